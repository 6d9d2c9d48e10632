package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// clientTypes generates the files with the client types from the OpenAPI description alone. The
// file names are relative to docs/.
func clientTypes(api object) (map[string]string, error) {
	text, err := json.Marshal(api["components"].(object)["schemas"])
	if err != nil {
		return nil, err
	}
	var schemas map[string]shape
	if err := json.Unmarshal(text, &schemas); err != nil {
		return nil, fmt.Errorf("read the schemas of the API: %w", err)
	}
	types := typeList{}
	for _, name := range []string{"Call", "Decision", "Approval"} {
		if err := types.add(name, schemas[name]); err != nil {
			return nil, err
		}
	}
	return map[string]string{
		"../clients/typescript/src/types.ts":    types.typeScript(),
		"../clients/python/gavel_pdp/_types.py": types.python(),
	}, nil
}

// shape is the part of a JSON Schema that the API's schemas use.
type shape struct {
	Type                 any // a name, or a list with a name and null
	Enum                 []string
	Description          string
	Properties           map[string]shape
	Required             []string
	Items                *shape
	AdditionalProperties json.RawMessage
}

// objectType is a named object.
type objectType struct {
	name, description string
	members           []typeMember
}

// typeMember is one member of an object type.
type typeMember struct {
	name, description string
	required          bool
	kind              kind
}

// kind is the type of a value. Exactly one form is set.
type kind struct {
	basic    string   // string, integer, boolean, any
	enum     []string // of texts
	object   string   // the name of an objectType
	list     *kind
	byName   *kind // an object with arbitrary names and values of this kind
	nullable bool
}

// typeList contains every object type, each after those that it uses.
type typeList []objectType

// add adds an object type and the types of its members.
func (l *typeList) add(name string, s shape) error {
	one := objectType{name: name, description: s.Description}
	for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
		inner := s.Properties[property]
		of, err := l.kind(name+strings.ToUpper(property[:1])+property[1:], inner)
		if err != nil {
			return err
		}
		one.members = append(one.members, typeMember{property, inner.Description, slices.Contains(s.Required, property), of})
	}
	if len(one.members) == 0 {
		return fmt.Errorf("the schema of %s has no properties: no client type can be made of it", name)
	}
	*l = append(*l, one)
	return nil
}

func (l *typeList) kind(name string, s shape) (kind, error) {
	basic, nullable := s.Type, false
	if list, ok := s.Type.([]any); ok {
		if len(list) != 2 || list[1] != "null" {
			return kind{}, fmt.Errorf("the schema of %s has the types %v: no client type can be made of it", name, list)
		}
		basic, nullable = list[0], true
	}
	switch {
	case len(s.Enum) > 0:
		return kind{enum: s.Enum, nullable: nullable}, nil
	case basic == "array" && s.Items != nil:
		inner, err := l.kind(singular(name), *s.Items)
		return kind{list: &inner, nullable: nullable}, err
	case basic == "object" && len(s.Properties) > 0:
		return kind{object: name, nullable: nullable}, l.add(name, s)
	case basic == "object":
		values := kind{basic: "any"}
		var of shape
		if json.Unmarshal(s.AdditionalProperties, &of) == nil && of.Type != nil {
			var err error
			if values, err = l.kind(name+"Value", of); err != nil {
				return kind{}, err
			}
		}
		return kind{byName: &values, nullable: nullable}, nil
	case basic == "string", basic == "integer", basic == "boolean":
		return kind{basic: basic.(string), nullable: nullable}, nil
	}
	return kind{}, fmt.Errorf("the schema of %s has the type %v: no client type can be made of it", name, s.Type)
}

// singular returns the name for one element of a list.
func singular(name string) string {
	if stem, ok := strings.CutSuffix(name, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(name, "s")
}

const madeBy = "Generated from docs/openapi.json by make generate; do not edit."

func (l typeList) typeScript() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", madeBy)
	for _, one := range l {
		fmt.Fprintf(&b, "\n%sexport interface %s {\n", comment("", one.description), one.name)
		for _, m := range one.members {
			optional := "?"
			if m.required {
				optional = ""
			}
			fmt.Fprintf(&b, "%s  %s%s: %s;\n", comment("  ", m.description), m.name, optional, m.kind.typeScript())
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func comment(indent, text string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + text + " */\n"
}

func (k kind) typeScript() string {
	text := map[string]string{"string": "string", "integer": "number", "boolean": "boolean", "any": "unknown"}[k.basic]
	switch {
	case k.enum != nil:
		text = `"` + strings.Join(k.enum, `" | "`) + `"`
	case k.object != "":
		text = k.object
	case k.list != nil:
		text = "Array<" + k.list.typeScript() + ">"
	case k.byName != nil:
		text = "Record<string, " + k.byName.typeScript() + ">"
	}
	if k.nullable {
		text += " | null"
	}
	return text
}

func (l typeList) python() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nfrom typing import Any, Dict, List, Literal, Optional, TypedDict\n", madeBy)
	for _, one := range l {
		var required, optional []string
		for _, m := range one.members {
			line := fmt.Sprintf("    %q: %s,\n", m.name, m.kind.python())
			if m.required {
				required = append(required, line)
			} else {
				optional = append(optional, line)
			}
		}
		if one.description != "" {
			fmt.Fprintf(&b, "\n# %s", one.description)
		}
		given := func(name string, members []string, total string) {
			fmt.Fprintf(&b, "\n%s = TypedDict(%q, {\n%s}%s)\n", name, name, strings.Join(members, ""), total)
		}
		switch {
		case len(optional) == 0:
			given(one.name, required, "")
		case len(required) == 0:
			given(one.name, optional, ", total=False")
		default:
			given("_"+one.name, required, "")
			given("_Any"+one.name, optional, ", total=False")
			fmt.Fprintf(&b, "\n\nclass %s(_%s, _Any%s):\n    pass\n", one.name, one.name, one.name)
		}
	}
	return b.String()
}

func (k kind) python() string {
	text := map[string]string{"string": "str", "integer": "int", "boolean": "bool", "any": "Any"}[k.basic]
	switch {
	case k.enum != nil:
		text = `Literal["` + strings.Join(k.enum, `", "`) + `"]`
	case k.object != "":
		text = k.object
	case k.list != nil:
		text = "List[" + k.list.python() + "]"
	case k.byName != nil:
		text = "Dict[str, " + k.byName.python() + "]"
	}
	if k.nullable {
		text = "Optional[" + text + "]"
	}
	return text
}
