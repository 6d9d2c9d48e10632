package main

import (
	"bytes"
	"encoding/json"
)

// schema is the JSON Schema of a value. Members are in the order of the struct.
type schema struct {
	Schema      string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        string     `json:"type"`
	Enum        []string   `json:"enum,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Additional  any        `json:"additionalProperties,omitempty"` // closed, or a schema
	Required    []string   `json:"required,omitempty"`
	Properties  properties `json:"properties,omitempty"`
}

// closed is false, which forbids other members. It is written although it is a zero value.
func closed() any { return json.RawMessage("false") }

type properties []property

type property struct {
	name string
	is   *schema
}

// MarshalJSON keeps the order of members.
func (list properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range list {
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		is, err := marshal(p.is)
		if err != nil {
			return nil, err
		}
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.Write(name)
		b.WriteByte(':')
		b.Write(is)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal writes JSON without escaping & and <.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return b.Bytes(), err
}

// writeSchema writes the JSON Schema of the input.
func writeSchema(t *table) ([]byte, error) {
	s := t.order[0].schema()
	s.Schema, s.ID, s.Title = "http://json-schema.org/draft-07/schema#", "gavel:facts", "Facts"
	s.Description = "What the analyzer observed about a call: the input of every rule. make generate writes it from the structs in Go (the files named *facts.go)."
	s.Properties = append(s.Properties, added()...)
	text, err := marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, text, "", "  ")
	return b.Bytes(), err
}

// added lists the members of the input that are not facts. A snapshot adds them.
func added() properties {
	return properties{
		{"frozen", &schema{Type: "object", Description: "What a snapshot remembers about this context: the value of data.gavel.frozen.fresh. " +
			"Absent in stock OPA, which computes it."}},
		{"snapshot", &schema{Type: "object", Description: "Set by a snapshot while it computes the frozen part, from facts that are complete " +
			"and a configuration that was checked.", Additional: closed(), Required: []string{"custom"}, Properties: properties{
			{"custom", &schema{Type: "array", Items: &schema{Type: "array", Items: &schema{Type: "string"}}}}}}},
	}
}

func (s *structure) schema() *schema {
	is := &schema{Type: "object", Description: s.doc, Additional: closed()}
	for _, f := range s.fields {
		is.Properties = append(is.Properties, property{f.json, f.schema()})
		if f.kind != pointer {
			is.Required = append(is.Required, f.json)
		}
	}
	return is
}

func (f *field) schema() *schema {
	is := &schema{Type: map[kind]string{text: "string", flag: "boolean", number: "integer", given: "object", list: "array", byName: "object"}[f.kind]}
	switch f.kind {
	case object, pointer:
		is = f.of.schema()
	case byName:
		is.Additional = &schema{Type: "array", Items: &schema{Type: "string"}}
	case list:
		is.Items = f.items()
	}
	is.Enum = f.enum
	if f.doc != "" {
		is.Description = f.doc
	}
	return is
}

// items returns the schema of list elements.
func (f *field) items() *schema {
	if f.element == object {
		return f.of.schema()
	}
	return (&field{kind: f.element}).schema()
}
