package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"gavel/internal/nearest"
)

// explainer translates the schema's objections into problems.
type explainer struct {
	root  *node
	raw   rawSchema
	found *problems
}

// validate applies the schema to the canonical data, which is what the policy will see, and
// adds a problem for every objection.
func (r *Reader) validate(root *node, data map[string]any, found *problems) {
	err := r.schema.Validate(data)
	if err == nil {
		return
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		found.add(place{}, "", "the configuration could not be checked: "+err.Error(), "", "report this")
		return
	}
	before := len(found.list) + found.more
	(&explainer{root: root, raw: r.raw, found: found}).explain(invalid)
	if len(found.list)+found.more == before { // never lose an objection
		found.add(place{1, 1}, "", "the configuration does not fit the schema: "+invalid.Error(), "", "report this")
	}
}

// explain descends to the objections without causes of their own.
func (e *explainer) explain(invalid *jsonschema.ValidationError) {
	if e.found.full() {
		e.found.more++
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
		value, path = e.holding(k.Property, len(invalid.InstanceLocation), value, path)
	}
	e.leaf(invalid, value, path, e.raw.at(invalid.SchemaURL))
}

// leaf describes one objection.
func (e *explainer) leaf(invalid *jsonschema.ValidationError, at field, path string, schema rawSchema) {
	switch k := invalid.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		e.unknownKeys(k.Properties, at.value, path, schema)
	case *kind.PropertyNames:
		e.badName(k.Property, at.value, path)
	case *kind.Not:
		e.notHere(at, path, schema)
	case *kind.Enum:
		e.badValue(at, path, k.Want, schema)
	case *kind.Type:
		want := typeNames(k.Want)
		if schema.string("title") != "" {
			want = typeOrTitle(schema)
		}
		fix := "remove the key, or give it a value"
		if at.value.kind == text && len(k.Want) == 1 && k.Want[0] == "array" {
			fix = fmt.Sprintf("write [%q]", at.value.text)
		} else if at.value.kind != null {
			fix = "write " + want + example(schema)
		}
		e.found.add(valuePlace(at), path, mustBe(want, at.value), "", fix)
	case *kind.Pattern, *kind.MinLength:
		wrong := "is blank"
		if at.value.kind == text && strings.TrimSpace(at.value.text) != "" {
			wrong = shorten(at.value.text) + " is not a valid value"
		}
		e.found.add(valuePlace(at), path, wrong, "", "write "+typeOrTitle(schema)+example(schema)+", or remove it")
	case *kind.MinProperties:
		e.found.add(valuePlace(at), path, "is empty", "", "write "+typeOrTitle(schema)+", or remove it")
	case *kind.Minimum:
		least, _ := k.Want.Float64()
		e.found.add(valuePlace(at), path, fmt.Sprintf("is %s, and must be at least %v%s", at.value.number, least, unit(schema)), "",
			fmt.Sprintf("write %v or more", least))
	case *kind.Maximum:
		most, _ := k.Want.Float64()
		e.found.add(valuePlace(at), path, fmt.Sprintf("is %s, and must be at most %v%s", at.value.number, most, unit(schema)), "",
			fmt.Sprintf("write %v or less", most))
	case *kind.MinItems:
		e.found.add(valuePlace(at), path, "is empty", "", "write "+typeOrTitle(schema)+", or remove it")
	case *kind.Required:
		e.found.add(valuePlace(at), path, strings.Join(k.Missing, " and ")+" is missing", "", "add "+strings.Join(k.Missing, " and "))
	default:
		e.found.add(valuePlace(at), path, fmt.Sprintf("does not fit the schema at %s", invalid.SchemaURL), "", "see the schema")
	}
}

// unknownKeys describes keys that the schema does not have.
func (e *explainer) unknownKeys(names []string, holder *node, path string, schema rawSchema) {
	valid := schema.keys()
	fix := "remove it"
	if len(valid) > 0 {
		fix = "remove it; valid here: " + strings.Join(valid, ", ")
	}
	for _, name := range names {
		if e.found.full() {
			e.found.more++
			continue
		}
		at := holder.place
		if f := holder.get(name); f != nil {
			at = f.place
		}
		meant, own := nearest.Name(name, valid), fix
		if meant != "" {
			own = "write " + meant + strings.TrimPrefix(fix, "remove it")
		}
		e.found.add(at, join(path, name), fmt.Sprintf("unknown key %s", shorten(name)), meant, own)
	}
}

// badName describes a key that cannot be a name.
func (e *explainer) badName(name string, holder *node, path string) {
	at, message := holder.place, "the name is blank"
	if f := holder.get(name); f != nil {
		at = f.place
	}
	if strings.TrimSpace(name) != "" {
		message = shorten(name) + " is not a valid name"
	}
	e.found.add(at, join(path, name), message, "", "choose another name")
}

// notHere describes a key that the schema lists in order to refuse it.
func (e *explainer) notHere(at field, path string, schema rawSchema) {
	instead := schema.string(markInstead)
	e.found.add(at.place, path, at.key+" is not read; its settings belong under "+instead, instead, "move them to "+instead)
}

// badValue describes a value that is not a valid one.
func (e *explainer) badValue(at field, path string, want []any, schema rawSchema) {
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
	fix := "write " + orList(valid)
	if why := schema.part(markRefused).string(given); why != "" {
		e.found.add(valuePlace(at), path, fmt.Sprintf("%s is a value of OpenClaw that Gavel does not offer: %s", given, why), "", fix)
		return
	}
	switch at.value.kind {
	case null, list, mapping:
		e.found.add(valuePlace(at), path, mustBe(orList(valid), at.value), "", fix)
	default:
		near := nearest.Name(given, valid)
		if near != "" { // the message lists the others
			fix = "write " + near
		}
		e.found.add(valuePlace(at), path, fmt.Sprintf("%s is not a valid value: want %s", shorten(given), orList(valid)), near, fix)
	}
}

// locate returns the key and value at an instance location, and its path. For a list item,
// the key's location is the item's.
func (e *explainer) locate(tokens []string) (field, string) {
	at, path := field{place: e.root.place, value: e.root}, (*trail)(nil)
	for _, token := range tokens {
		if at.value.kind == list {
			index, err := strconv.Atoi(token)
			if err != nil || index < 0 || index >= len(at.value.items) {
				break
			}
			item := at.value.items[index]
			at, path = field{key: token, place: item.place, value: item}, path.item(index)
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

// holding returns the first mapping at a depth that has the key name, or else what was given. The
// schema's library overwrites the location of a bad name, apart from its length, when it goes on.
func (e *explainer) holding(name string, depth int, given field, path string) (field, string) {
	type spot struct {
		at   field
		path *trail
	}
	level := []spot{{at: field{place: e.root.place, value: e.root}}}
	for ; depth > 0; depth-- {
		var next []spot
		for _, s := range level {
			for i, item := range s.at.value.items {
				next = append(next, spot{field{place: item.place, value: item}, s.path.item(i)})
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
