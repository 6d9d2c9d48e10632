package main

import (
	"bytes"
	"encoding/json"

	"gavel/internal/describe"
)

// schema is the JSON Schema of a value.
type schema struct {
	Schema      string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        string     `json:"type"`
	Enum        []string   `json:"enum,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Additional  any        `json:"additionalProperties,omitempty"` // noOthers, or a schema
	Required    []string   `json:"required,omitempty"`
	Properties  properties `json:"properties,omitempty"`
}

// noOthers forbids other members. It is raw JSON, because omitempty would drop a Go false.
func noOthers() any { return json.RawMessage("false") }

type properties []property

type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes the properties in the order of the list.
func (list properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range list {
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(p.schema)
		if err != nil {
			return nil, err
		}
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal returns JSON in which & and < are not escaped.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return b.Bytes(), err
}

// writeSchema generates the JSON Schema of the input.
func writeSchema(t *table) ([]byte, error) {
	s := t.order[0].schema()
	s.Schema, s.ID, s.Title = "http://json-schema.org/draft-07/schema#", "gavel:facts", "Facts"
	s.Description = "What the analyzer observed about a call: the input of every rule. make generate writes it from the structs in Go (the files named *facts.go)."
	s.Properties = append(s.Properties, snapshotMembers()...)
	text, err := marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, text, "", "  ")
	return b.Bytes(), err
}

// snapshotMembers returns the members of the input that a snapshot adds to the facts.
func snapshotMembers() properties {
	return properties{
		{"frozen", &schema{Type: "object", Description: "The frozen part of this context: the value of data.gavel.frozen.fresh, which a snapshot computes once. " +
			"Absent in stock OPA, which computes it for each call."}},
		{"snapshot", &schema{Type: "object", Description: "Set by a snapshot while it computes the frozen part, from facts that are complete " +
			"and a configuration that was checked.", Additional: noOthers(), Required: []string{"custom"}, Properties: properties{
			{"custom", &schema{Type: "array", Items: &schema{Type: "array", Items: &schema{Type: "string"}}}}}}},
	}
}

func (s *structure) schema() *schema {
	names := map[string]string{}
	for _, f := range s.fields {
		names[f.name] = f.json
	}
	result := &schema{Type: "object", Description: describe.Description(s.doc, s.name, names), Additional: noOthers()}
	for _, f := range s.fields {
		member := f.schema()
		if f.doc != "" {
			member.Description = describe.Description(f.doc, f.name, names)
		}
		result.Properties = append(result.Properties, property{f.json, member})
		if f.kind != pointer {
			result.Required = append(result.Required, f.json)
		}
	}
	return result
}

func (f *field) schema() *schema {
	result := &schema{Type: map[kind]string{text: "string", flag: "boolean", number: "integer", anyMap: "object", list: "array", listMap: "object"}[f.kind]}
	switch f.kind {
	case object, pointer:
		result = f.target.schema()
	case listMap:
		result.Additional = &schema{Type: "array", Items: &schema{Type: "string"}}
	case list:
		result.Items = f.items()
	}
	result.Enum = f.enum
	return result
}

// items returns the schema of list elements.
func (f *field) items() *schema {
	if f.element == object {
		return f.target.schema()
	}
	return (&field{kind: f.element}).schema()
}
