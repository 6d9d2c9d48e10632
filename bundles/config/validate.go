package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"gavel"
	"gavel/internal/nearest"
)

// explainer turns the errors of the schema validator into problems.
type explainer struct {
	root     *node
	raw      rawSchema
	problems *problemList
}

// validate validates the canonical data against the schema, and adds a problem for every error.
func (r *Reader) validate(root *node, data map[string]any, problems *problemList) {
	err := r.schema.Validate(data)
	if err == nil {
		return
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		problems.add(location{}, "", "the configuration could not be checked: "+err.Error(), "", "report this")
		return
	}
	before := len(problems.list) + problems.dropped
	(&explainer{root: root, raw: r.raw, problems: problems}).explain(invalid)
	if len(problems.list)+problems.dropped == before { // never lose an error
		problems.add(location{1, 1}, "", "the configuration does not fit the schema: "+invalid.Error(), "", "report this")
	}
}

// explain adds problems for the errors that have no causes of their own.
func (e *explainer) explain(invalid *jsonschema.ValidationError) {
	if e.problems.full() {
		e.problems.dropped++
		return
	}
	if _, name := invalid.ErrorKind.(*kind.PropertyNames); len(invalid.Causes) > 0 && !name {
		for _, cause := range invalid.Causes {
			e.explain(cause)
		}
		return
	}
	value, path := e.locate(invalid.InstanceLocation)
	if k, name := invalid.ErrorKind.(*kind.PropertyNames); name && value.value.get(k.Property) == nil {
		value, path = e.mappingWith(k.Property, len(invalid.InstanceLocation), value, path)
	}
	e.explainLeaf(invalid, value, path, e.raw.at(invalid.SchemaURL))
}

// explainLeaf adds a problem for one error.
func (e *explainer) explainLeaf(invalid *jsonschema.ValidationError, at field, path string, schema rawSchema) {
	switch k := invalid.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		e.unknownKeys(k.Properties, at.value, path, schema)
	case *kind.PropertyNames:
		e.invalidName(k.Property, at.value, path)
	case *kind.Not:
		e.forbiddenKey(at, path, schema)
	case *kind.Enum:
		e.invalidValue(at, path, k.Want, schema)
	case *kind.Type:
		want := typeNames(k.Want)
		if schema.string("title") != "" {
			want = typeName(schema)
		}
		fix := "remove the key, or give it a value"
		if at.value.kind == text && len(k.Want) == 1 && k.Want[0] == "array" {
			fix = fmt.Sprintf("write [%q]", at.value.text)
		} else if at.value.kind != null {
			fix = "write " + want + example(schema)
		}
		e.problems.add(valueLocation(at), path, wrongType(want, at.value), "", fix)
	case *kind.Pattern, *kind.MinLength:
		wrong := "is blank"
		if at.value.kind == text && strings.TrimSpace(at.value.text) != "" {
			wrong = quote(at.value.text) + " is not a valid value"
		}
		fix, meant := "write "+typeName(schema)+example(schema)+", or remove it", similarPattern(at.value.text, schema)
		if meant != "" {
			fix = "write " + meant + "; it must be " + typeName(schema)
		}
		e.problems.add(valueLocation(at), path, wrong, meant, fix)
	case *kind.MinProperties:
		e.problems.add(valueLocation(at), path, "is empty", "", "write "+typeName(schema)+", or remove it")
	case *kind.Minimum:
		least, _ := k.Want.Float64()
		e.problems.add(valueLocation(at), path, fmt.Sprintf("is %s, and must be at least %v%s", at.value.number, least, unit(schema)), "",
			fmt.Sprintf("write %v or more", least))
	case *kind.Maximum:
		most, _ := k.Want.Float64()
		e.problems.add(valueLocation(at), path, fmt.Sprintf("is %s, and must be at most %v%s", at.value.number, most, unit(schema)), "",
			fmt.Sprintf("write %v or less", most))
	case *kind.MinItems:
		e.problems.add(valueLocation(at), path, "is empty", "", "write "+typeName(schema)+", or remove it")
	case *kind.Required:
		e.problems.add(valueLocation(at), path, strings.Join(k.Missing, " and ")+" is missing", "", "add "+strings.Join(k.Missing, " and ")+values(k.Missing, schema))
	default:
		e.problems.add(valueLocation(at), path, fmt.Sprintf("does not fit the schema at %s", invalid.SchemaURL), "", "see the schema")
	}
}

// unknownKeys adds problems for keys that the schema does not have.
func (e *explainer) unknownKeys(names []string, holder *node, path string, schema rawSchema) {
	valid := schema.keys()
	fix := "remove it"
	if len(valid) > 0 {
		fix = "remove it; valid here: " + strings.Join(valid, ", ")
	}
	for _, name := range names {
		if e.problems.full() {
			e.problems.dropped++
			continue
		}
		at := holder.location
		if f := holder.get(name); f != nil {
			at = f.location
		}
		meant, own := nearest.Name(name, valid), fix
		if meant != "" {
			own = "write " + meant + strings.TrimPrefix(fix, "remove it")
		} else if meant = e.sectionBelow(name, path, schema); meant != "" {
			own = "move it to " + meant
		}
		e.problems.add(at, join(path, name), fmt.Sprintf("unknown key %s", quote(name)), meant, own)
	}
}

// sectionBelow returns the path of a key in the only section below that has it, or "".
func (e *explainer) sectionBelow(name, path string, schema rawSchema) (below string) {
	for _, section := range schema.keys() {
		inside := schema.part("properties").part(section).resolve(e.raw)
		if !slices.Contains(inside.keys(), name) {
			continue
		}
		if below != "" {
			return ""
		}
		below = join(join(path, section), name)
	}
	return below
}

// invalidName adds a problem for a key that is not a valid name.
func (e *explainer) invalidName(name string, holder *node, path string) {
	at, message := holder.location, "the name is blank"
	if f := holder.get(name); f != nil {
		at = f.location
	}
	if strings.TrimSpace(name) != "" {
		message = quote(name) + " is not a valid name"
	}
	e.problems.add(at, join(path, name), message, "", "choose another name")
}

// forbiddenKey adds a problem for a key that the schema lists in order to refuse it.
func (e *explainer) forbiddenKey(at field, path string, schema rawSchema) {
	instead := schema.string(markInstead)
	e.problems.add(at.location, path, at.key+" is not a key here: the setting is "+instead, "", "write it as "+instead)
}

// invalidValue adds a problem for a value that is not one of the valid ones.
func (e *explainer) invalidValue(at field, path string, want []any, schema rawSchema) {
	valid := make([]string, len(want))
	for i, value := range want {
		valid[i] = display(value)
	}
	given := at.value.describe()
	switch at.value.kind {
	case text:
		given = at.value.text
	case boolean:
		given = strconv.FormatBool(at.value.truth)
	case number:
		given = at.value.number.String()
	case list:
		given = "list"
	}
	fix := "write " + gavel.OneOf(valid)
	if why := schema.part(markRefused).string(given); why != "" {
		e.problems.add(valueLocation(at), path, fmt.Sprintf("%s is a value of OpenClaw that Gavel does not offer: %s", given, why), "", fix)
		return
	}
	switch at.value.kind {
	case null, list, mapping:
		e.problems.add(valueLocation(at), path, wrongType(gavel.OneOf(valid), at.value), "", fix)
	default:
		near := nearest.Name(given, valid)
		if near != "" { // the message lists the others
			fix = "write " + near
		}
		e.problems.add(valueLocation(at), path, fmt.Sprintf("%s is not a valid value: want %s", quote(given), gavel.OneOf(valid)), near, fix)
	}
}

// locate returns the field at an instance location of the validator, and its path. A list item is
// returned as a field with the location of the item.
func (e *explainer) locate(tokens []string) (field, string) {
	at, path := field{location: e.root.location, value: e.root}, (*keyPath)(nil)
	for _, token := range tokens {
		if at.value.kind == list {
			index, err := strconv.Atoi(token)
			if err != nil || index < 0 || index >= len(at.value.items) {
				break
			}
			item := at.value.items[index]
			at, path = field{key: token, location: item.location, value: item}, path.item(index)
			continue
		}
		f := at.value.get(token)
		if f == nil {
			break
		}
		at, path = *f, path.field(token)
	}
	return at, path.String()
}

// mappingWith returns the first mapping at a depth that has a key, or given if there is none. The
// validator reuses the memory of the location of an invalid name, so that only its length is right.
func (e *explainer) mappingWith(name string, depth int, given field, path string) (field, string) {
	type spot struct {
		at   field
		path *keyPath
	}
	level := []spot{{at: field{location: e.root.location, value: e.root}}}
	for ; depth > 0; depth-- {
		var next []spot
		for _, s := range level {
			for i, item := range s.at.value.items {
				next = append(next, spot{field{location: item.location, value: item}, s.path.item(i)})
			}
			for _, f := range s.at.value.fields {
				next = append(next, spot{f, s.path.field(f.key)})
			}
		}
		level = next
	}
	for _, s := range level {
		if s.at.value.get(name) != nil {
			return s.at, s.path.String()
		}
	}
	return given, path
}
