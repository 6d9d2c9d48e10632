package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// clientTypes generates the client types from the OpenAPI description. It returns files by their
// paths relative to docs/.
func clientTypes(api object) (map[string]string, error) {
	text, err := json.Marshal(api["components"].(object)["schemas"])
	if err != nil {
		return nil, err
	}
	var schemas map[string]clientSchema
	if err := json.Unmarshal(text, &schemas); err != nil {
		return nil, fmt.Errorf("read the schemas of the API: %w", err)
	}
	types := typeList{}
	for _, name := range []string{"Call", "Decision", "Approval"} {
		if err := types.addObject(name, schemas[name]); err != nil {
			return nil, err
		}
	}
	return map[string]string{
		"../clients/typescript/src/types.ts":    types.typeScript(),
		"../clients/python/gavel_pdp/_types.py": types.python(),
	}, nil
}

// clientSchema contains the JSON Schema keywords that the API's schemas use.
type clientSchema struct {
	Type                 any // a name, or a list with a name and null
	Enum                 []string
	Description          string
	Properties           map[string]clientSchema
	Required             []string
	Items                *clientSchema
	AdditionalProperties json.RawMessage
}

// objectType is a named object.
type objectType struct {
	name, description string
	members           []typeMember
}

// typeMember is a member of an objectType.
type typeMember struct {
	name, description string
	required          bool
	kind              kind
}

// kind is the type of a value. Exactly one field other than nullable is set.
type kind struct {
	basic    string   // string, integer, boolean, any
	enum     []string // strings
	object   string   // the name of an objectType
	list     *kind
	values   *kind // an object with arbitrary names and values of this kind
	nullable bool
}

// typeList contains object types, each after the types that it uses.
type typeList []objectType

// addObject adds an object type and the types of its members.
func (l *typeList) addObject(name string, s clientSchema) error {
	typ := objectType{name: name, description: s.Description}
	for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
		inner := s.Properties[property]
		memberKind, err := l.kind(name+strings.ToUpper(property[:1])+property[1:], inner)
		if err != nil {
			return err
		}
		typ.members = append(typ.members, typeMember{property, inner.Description, slices.Contains(s.Required, property), memberKind})
	}
	if len(typ.members) == 0 {
		return fmt.Errorf("cannot generate a client type: the schema of %s has no properties", name)
	}
	*l = append(*l, typ)
	return nil
}

func (l *typeList) kind(name string, s clientSchema) (kind, error) {
	basic, nullable := s.Type, false
	if list, ok := s.Type.([]any); ok {
		if len(list) != 2 || list[1] != "null" {
			return kind{}, fmt.Errorf("cannot generate a client type: the schema of %s has the types %v", name, list)
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
		return kind{object: name, nullable: nullable}, l.addObject(name, s)
	case basic == "object":
		values := kind{basic: "any"}
		var value clientSchema
		if json.Unmarshal(s.AdditionalProperties, &value) == nil && value.Type != nil {
			var err error
			if values, err = l.kind(name+"Value", value); err != nil {
				return kind{}, err
			}
		}
		return kind{values: &values, nullable: nullable}, nil
	case basic == "string", basic == "integer", basic == "boolean":
		return kind{basic: basic.(string), nullable: nullable}, nil
	}
	return kind{}, fmt.Errorf("cannot generate a client type: the schema of %s has the type %v", name, s.Type)
}

// singular returns the type name for an element of a list.
func singular(name string) string {
	if stem, ok := strings.CutSuffix(name, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(name, "s")
}

const generatedNotice = "Generated from docs/openapi.json by make generate; do not edit."

func (l typeList) typeScript() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", generatedNotice)
	for _, typ := range l {
		fmt.Fprintf(&b, "\n%sexport interface %s {\n", comment("", typ.description), typ.name)
		for _, m := range typ.members {
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
	case k.values != nil:
		text = "Record<string, " + k.values.typeScript() + ">"
	}
	if k.nullable {
		text += " | null"
	}
	return text
}

func (l typeList) python() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nfrom typing import Any, Dict, List, Literal, Optional, TypedDict\n", generatedNotice)
	for _, typ := range l {
		var required, optional []string
		for _, m := range typ.members {
			line := fmt.Sprintf("    %q: %s,\n", m.name, m.kind.python())
			if m.required {
				required = append(required, line)
			} else {
				optional = append(optional, line)
			}
		}
		if typ.description != "" {
			fmt.Fprintf(&b, "\n# %s", typ.description)
		}
		writeDict := func(name string, members []string, total string) {
			fmt.Fprintf(&b, "\n%s = TypedDict(%q, {\n%s}%s)\n", name, name, strings.Join(members, ""), total)
		}
		switch {
		case len(optional) == 0:
			writeDict(typ.name, required, "")
		case len(required) == 0:
			writeDict(typ.name, optional, ", total=False")
		default:
			writeDict("_"+typ.name, required, "")
			writeDict("_Any"+typ.name, optional, ", total=False")
			fmt.Fprintf(&b, "\n\nclass %s(_%s, _Any%s):\n    pass\n", typ.name, typ.name, typ.name)
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
	case k.values != nil:
		text = "Dict[str, " + k.values.python() + "]"
	}
	if k.nullable {
		text = "Optional[" + text + "]"
	}
	return text
}
