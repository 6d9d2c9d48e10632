package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// node is what the page reads of a JSON Schema.
type node struct {
	Ref         string          `json:"$ref"`
	Description string          `json:"description"`
	Type        any             `json:"type"`
	Enum        []any           `json:"enum"`
	Const       any             `json:"const"`
	Default     any             `json:"default"`
	Properties  map[string]node `json:"properties"`
	// Additional and Patterns hold the members whose names are the author's own.
	Additional  json.RawMessage `json:"additionalProperties"`
	Patterns    map[string]node `json:"patternProperties"`
	AllOf       []node          `json:"allOf"`
	Items       json.RawMessage `json:"items"`
	Later       any             `json:"x-gavel-later"`
	PassedOver  bool            `json:"x-gavel-passed-over"`
	Definitions map[string]node `json:"definitions"`
}

// page walks the schema and writes a row a key.
type page struct {
	strings.Builder
	definitions map[string]node
	written     map[string]string // definition → path whose rows spell it out
}

func configurationPage(schema []byte) (string, error) {
	var root node
	if err := json.Unmarshal(schema, &root); err != nil {
		return "", fmt.Errorf("read the schema of the configuration: %w", err)
	}
	p := &page{definitions: root.Definitions, written: map[string]string{}}
	p.WriteString("# Configuration\n\n" +
		"Every key, made from `rego/schema/config.json` (`make generate`). YAML, JSON and JSON5 read alike; `agents` may be a map or\n" +
		"a `list` of agents with ids. A configuration is closed: an unknown key, a wrong type, an unknown name or a blank entry is an\n" +
		"error with its line. *Later* marks keys of the documents whose layer this version does not have: they are errors that say so.\n")
	for _, section := range sortedNames(root.Properties) {
		if inner := p.resolve(root.Properties[section]); !inner.PassedOver && section != "$schema" {
			fmt.Fprintf(p, "\n## %s\n\n%s\n\n| key | values | meaning |\n|---|---|---|\n", section, cell(inner.Description))
			p.rows(section, inner, 0)
		}
	}
	return p.String(), nil
}

// rows writes the members of a section, six levels deep at most.
func (p *page) rows(path string, n node, depth int) {
	if depth > 6 {
		return
	}
	for _, name := range sortedNames(n.Properties) {
		p.row(path+"."+name, n.Properties[name], depth)
	}
	for _, pattern := range sortedNames(n.Patterns) {
		p.row(path+".<name>", n.Patterns[pattern], depth)
	}
	var additional node
	if json.Unmarshal(n.Additional, &additional) == nil && len(n.Additional) > 0 && n.Additional[0] == '{' {
		p.row(path+".<name>", additional, depth)
	}
}

// row writes one key and what is below it. What several keys share is spelled out
// once.
func (p *page) row(path string, raw node, depth int) {
	n := p.resolve(raw)
	if n.PassedOver {
		return
	}
	about := meaning(n)
	elsewhere, again := p.written[raw.Ref]
	if again = again && raw.Ref != "" && hasKeys(n); again {
		about += " Keys as under `" + elsewhere + "`."
	}
	fmt.Fprintf(p, "| `%s` | %s | %s |\n", path, cell(values(n)), cell(about))
	if later, whole := n.Later.(string); again || (whole && later != "") {
		return
	}
	p.written[raw.Ref] = path
	p.rows(path, n, depth+1)
}

func hasKeys(n node) bool { return len(n.Properties) > 0 || len(n.Patterns) > 0 }

// resolve follows references and puts together what allOf adds up.
func (p *page) resolve(n node) node {
	for hops := 0; n.Ref != "" && hops < 8; hops++ {
		description := n.Description
		n = p.definitions[strings.TrimPrefix(n.Ref, "#/definitions/")]
		if description != "" {
			n.Description = description
		}
	}
	for _, part := range n.AllOf {
		part = p.resolve(part)
		if n.Properties == nil {
			n.Properties = part.Properties
		}
	}
	return n
}

func values(n node) string {
	switch {
	case len(n.Enum) > 0:
		texts := make([]string, len(n.Enum))
		for i, value := range n.Enum {
			texts[i] = fmt.Sprintf("`%v`", value)
		}
		return strings.Join(texts, ", ")
	case n.Const != nil:
		return fmt.Sprintf("`%v`", n.Const)
	case n.Type != nil:
		return fmt.Sprint(n.Type)
	}
	return ""
}

func meaning(n node) string {
	switch later := n.Later.(type) {
	case string:
		return n.Description + " *Later: " + later + ".*"
	case map[string]any:
		names := make([]string, 0, len(later))
		for name, layer := range later {
			names = append(names, fmt.Sprintf("`%s`: %v", name, layer))
		}
		slices.Sort(names)
		return n.Description + " *Later: " + strings.Join(names, "; ") + ".*"
	}
	return n.Description
}

func sortedNames(m map[string]node) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
