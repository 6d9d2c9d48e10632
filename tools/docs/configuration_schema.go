package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// node contains the JSON Schema keywords that the page uses.
type node struct {
	Ref         string          `json:"$ref"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Type        any             `json:"type"`
	Enum        []any           `json:"enum"`
	Const       any             `json:"const"`
	Default     json.RawMessage `json:"default"`
	Examples    []any           `json:"examples"`
	Properties  map[string]node `json:"properties"`
	Required    []string        `json:"required"`
	// Additional is a node or false. Key describes the names of additional members.
	Additional  json.RawMessage `json:"additionalProperties"`
	Key         string          `json:"x-gavel-key"`
	AllOf       []node          `json:"allOf"`
	Items       *node           `json:"items"`
	Instead     string          `json:"x-gavel-instead"`
	Ignored     bool            `json:"x-gavel-passed-over"`
	Definitions map[string]node `json:"definitions"`

	// definition is the name of the referenced definition, or "".
	definition string
}

// schema is the schema of the configuration.
type schema struct{ node }

func readSchema(text []byte) (schema, error) {
	var s schema
	if err := json.Unmarshal(text, &s.node); err != nil {
		return schema{}, fmt.Errorf("read the schema of the configuration: %w", err)
	}
	return s, nil
}

// resolve follows references and merges allOf. Keywords beside a reference take precedence over
// those of its target.
func (s schema) resolve(n node) node {
	for hops := 0; n.Ref != "" && hops < 8; hops++ {
		beside, name := n, strings.TrimPrefix(n.Ref, "#/definitions/")
		n = s.Definitions[name]
		n.definition = name
		if beside.Description != "" {
			n.Description = beside.Description
		}
		if len(beside.Default) > 0 {
			n.Default = beside.Default
		}
		if len(beside.Examples) > 0 {
			n.Examples = beside.Examples
		}
	}
	for _, part := range n.AllOf {
		part = s.resolve(part)
		if n.Properties == nil {
			n.Properties, n.Additional, n.definition = part.Properties, part.Additional, part.definition
		}
		n.Required = append(n.Required, part.Required...)
	}
	return n
}

// member is a key of an object with its resolved node. A name in angle brackets stands for any
// key.
type member struct {
	name string
	node node
}

// members returns the keys of an object that Gavel reads. Names in angle brackets come last.
func (s schema) members(n node) []member {
	var all []member
	for _, name := range sortedNames(n.Properties) {
		if inner := s.resolve(n.Properties[name]); !inner.Ignored && inner.Instead == "" {
			all = append(all, member{name, inner})
		}
	}
	var rest node
	if len(n.Additional) > 0 && n.Additional[0] == '{' && json.Unmarshal(n.Additional, &rest) == nil && !rest.Ignored {
		name := n.Key
		if name == "" {
			name = "name"
		}
		all = append(all, member{"<" + name + ">", s.resolve(rest)})
	}
	return all
}

// heading returns the title of the section about a shared object, and "" for a definition that
// has no section because it is explained where it is used.
func heading(definition string) string {
	return map[string]string{
		"agent": "Agent", "agentSandbox": "Agent sandbox", "agentTools": "Agent tools", "allowlistEntry": "Allowlist entry",
		"applyPatch": "Patch settings", "exec": "Exec settings", "files": "File lists", "readFiles": "File lists for reading", "group": "Group",
		"policy": "Tool lists", "providerPolicy": "Provider settings", "self": "Protected files", "subagents": "Subagent limits",
	}[definition]
}

// kind names the type of a value, or lists its values.
func (n node) kind() string {
	switch {
	case len(n.Enum) > 0:
		texts := make([]string, len(n.Enum))
		for i, value := range n.Enum {
			texts[i] = fmt.Sprintf("`%v`", value)
		}
		return strings.Join(texts, ", ")
	case n.Title != "":
		return n.Title
	}
	switch n.Type {
	case "boolean":
		return "`true`, `false`"
	case "integer":
		return "whole number"
	case nil:
		return ""
	}
	return fmt.Sprint(n.Type)
}

func sortedNames(m map[string]node) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
