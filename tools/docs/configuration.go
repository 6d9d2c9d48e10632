package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// examples contains a configuration for each section of the page. A test loads them all.
//
//go:embed examples/*.yaml
var examples embed.FS

// page is the page about the configuration: a section for each top-level key, then one for each
// object that several keys share.
type page struct {
	strings.Builder
	schema schema
	shared []string            // definitions with their own section, in order of first use
	usedBy map[string][]string // definition → links to the keys that use it
}

func configurationPage(text []byte) (string, error) {
	s, err := readSchema(text)
	if err != nil {
		return "", err
	}
	p := &page{schema: s, usedBy: map[string][]string{}}
	p.WriteString("# Configuration\n\n" +
		"Every key of a configuration: what it does, its default and an example. `make generate` writes this page from `rego/schema/config.json`.\n\n" +
		"Write YAML, JSON or JSON5; an `openclaw.json` works as it is. `gavel init DIR` writes a starter with comments, `gavel check PATH` lists every problem\n" +
		"with its line. A configuration is closed: an unknown key, a wrong type, an unknown name or a blank entry is an error.\n" +
		"Names in angle brackets, such as `<agent>`, are yours to choose.\n\n" +
		"Flags and environment variables of `gavel decide`, `explain` and `serve` override the configuration; reasons name them as their source, and `gavel explain` lists them:\n" +
		"`--exec-security` (`OC_EXEC_SECURITY`), `--exec-ask` (`OC_EXEC_ASK`), `--no-sandbox` (`OC_SANDBOX=off`), `--profile` for the main agent (`OC_TOOL_PROFILE`), `--allow-tool` and\n" +
		"`--deny-tool`. Each variable may also be called `GAVEL_…`; if both are set, they must agree. What calls, sessions and the approvals file set can only make a decision stricter.\n")
	moved := ""
	for _, name := range sortedNames(s.Properties) {
		switch n := s.resolve(s.Properties[name]); {
		case n.Instead != "":
			moved += fmt.Sprintf("| `%s` | `%s` |\n", name, n.Instead)
		case !n.Ignored:
			if err := p.section("##", name, name, n); err != nil {
				return "", err
			}
			p.rows(name, name+".", n)
		}
	}
	fmt.Fprintf(p, "\n## Keys that belong elsewhere\n\nThese keys are errors at the top of a configuration.\n\n| key | use |\n|---|---|\n%s", moved)
	p.WriteString("\n## Shared objects\n\nThe values of several keys above have the same shape. Each shape is explained once.\n")
	for i := 0; i < len(p.shared); i++ { // writing a section may add others
		name := p.shared[i]
		n := s.resolve(node{Ref: "#/definitions/" + name})
		n.Description = s.Definitions[name].Description
		if err := p.section("###", heading(name), name, n); err != nil {
			return "", err
		}
		p.rows(heading(name), "", n)
	}
	return withContents(p.finish()), nil
}

// section writes the description and the example of a key or a shared object, and starts the
// table of its keys.
func (p *page) section(level, title, name string, n node) error {
	example, err := examples.ReadFile("examples/" + name + ".yaml")
	if err != nil {
		return fmt.Errorf("%s needs an example: %w", title, err)
	}
	fmt.Fprintf(p, "\n%s %s\n\n%s\n\n", level, title, n.Description)
	if level == "###" {
		fmt.Fprintf(p, "{{used by %s}}\n\n", name)
	}
	fmt.Fprintf(p, "```yaml\n%s```\n\n| key | value | default | meaning | example |\n|---|---|---|---|---|\n", example)
	return nil
}

// rows writes the keys of an object. The keys of a nested object follow immediately with their
// full path, unless the object has its own section.
func (p *page) rows(title, prefix string, n node) {
	for _, m := range p.schema.members(n) {
		path, below, inner := prefix+m.name, prefix+m.name+".", m.node
		if items := inner.Items; items != nil {
			below, inner = prefix+m.name+"[].", p.schema.resolve(*items)
		}
		about, shared := m.node.Description, heading(inner.definition)
		if shared != "" {
			about += fmt.Sprintf(" See [%s](#%s).", shared, fragment(shared))
			p.recordUse(inner.definition, title, path)
		}
		fmt.Fprintf(p, "| `%s` | %s | %s | %s | %s |\n", path, cell(m.node.kind()), literal(m.node.Default), cell(about), exampleValues(m.node))
		if shared == "" {
			p.rows(title, below, inner)
		}
	}
}

// recordUse notes that the value of a key is a shared object.
func (p *page) recordUse(definition, title, path string) {
	if !slices.Contains(p.shared, definition) {
		p.shared = append(p.shared, definition)
	}
	where := "`" + path + "`"
	if !strings.HasPrefix(path, title+".") {
		where += fmt.Sprintf(" of [%s](#%s)", title, fragment(title))
	}
	p.usedBy[definition] = append(p.usedBy[definition], where)
}

// finish returns the page. It inserts the keys that use each shared object, which are known only
// at the end.
func (p *page) finish() string {
	text := p.String()
	for name, users := range p.usedBy {
		text = strings.Replace(text, "{{used by "+name+"}}", "It is the value of "+strings.Join(users, ", ")+".", 1)
	}
	return text
}

func fragment(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}

// literal formats a default, or a dash.
func literal(value json.RawMessage) string {
	if len(value) == 0 {
		return "–"
	}
	return "`" + cell(string(value)) + "`"
}

// exampleValues formats the example values of a key.
func exampleValues(n node) string {
	texts := make([]string, len(n.Examples))
	for i, example := range n.Examples {
		text, err := json.Marshal(example)
		if err != nil { // cannot happen: the value comes from JSON
			return ""
		}
		texts[i] = "`" + cell(string(text)) + "`"
	}
	return strings.Join(texts, " or ")
}
