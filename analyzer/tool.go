package analyzer

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/analyzer/spelling"
)

// execTool is the one name of the tool that runs shell commands.
const execTool = "exec"

// Aliases maps other names of tools to the one name of each. Every name in it is in
// lower case.
type Aliases map[string]string

// ReadAliases reads the table gavel/catalog/aliases/data.yaml.
func ReadAliases(text []byte) (aliases Aliases, err error) {
	if err := yaml.Unmarshal(text, &aliases); err != nil {
		return nil, fmt.Errorf("read the table of aliases: %w", err)
	}
	return aliases, nil
}

// of returns the one name of a tool.
func (a Aliases) of(given string) string {
	name := spelling.Name(given)
	if canonical, ok := a[name]; ok {
		return canonical
	}
	return name
}

// tool returns a tool under its one name, its parameters as they are.
func (a Aliases) tool(t gavel.Tool) gavel.ToolFacts {
	params := t.Params
	if params == nil {
		params = map[string]any{}
	}
	return gavel.ToolFacts{Name: a.of(t.Name), Given: t.Name, Plugin: spelling.Name(t.Plugin), Params: params,
		Parameters: []string{}, Odd: []string{}}
}

// plugins returns what each loaded plugin provides, sorted, without blanks.
func (a Aliases) plugins(claims *gavel.Environment) map[string][]string {
	if claims == nil {
		return map[string][]string{}
	}
	provided := make(map[string][]string, len(claims.Plugins))
	for id, tools := range claims.Plugins {
		id = spelling.Name(id)
		if id == "" {
			continue
		}
		names := provided[id] // two spellings of one plugin are one plugin
		for _, name := range tools {
			names = append(names, a.of(name))
		}
		provided[id] = spelling.Tidy(names)
	}
	return provided
}
