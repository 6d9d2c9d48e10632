package analyzer

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/analyzer/spelling"
)

// Tools are the tools whose parameters are read, by canonical name. The table is
// rego/gavel/catalog/analysis/tools.yaml.
type Tools struct {
	Exec  string              `yaml:"exec"`  // the tool that runs shell commands
	Files map[string]FileTool `yaml:"files"` // tools that name files
	URLs  map[string][]string `yaml:"urls"`  // for each tool that opens URLs, the parameters that hold them
	// Reading are the tools that read the files which their parameters name, and change none.
	Reading []string `yaml:"reading"`
	// FileNames are parts of the names of parameters that hold the name of a file.
	FileNames []string `yaml:"file_names"`
	// URLNames are other names of parameters that a web tool may read as a URL.
	URLNames []string `yaml:"url_names"`
	// Contents are names of parameters of web tools whose texts are not opened.
	Contents []string `yaml:"contents"`
	// Spawns has, for each tool that starts agents, the parameter with the id of the agent.
	Spawns map[string]string `yaml:"spawns"`
	// Process is the tool that controls sessions which exec started.
	Process ProcessTool `yaml:"process"`
	// Credential runs a program with credentials that the agent does not see.
	Credential string `yaml:"credential"`
}

// ProcessTool says how the tool for running sessions sends input to them.
type ProcessTool struct {
	Tool  string            `yaml:"tool"`
	Texts map[string]string `yaml:"texts"` // the parameter with the text, by action
	Keys  []string          `yaml:"keys"`  // actions that press keys
}

// FileTool says how a tool names the files that it reads or writes.
type FileTool struct {
	Parameter string `yaml:"parameter"`
	Access    string `yaml:"access"` // read or write
	Patch     bool   `yaml:"patch"`  // the parameter is a patch, which names them
	// Content is the parameter with the new content of the file. Adds are the parameters with text
	// that is added to it, and Repeats is the one that says that it may be added several times.
	Content string   `yaml:"content"`
	Adds    []string `yaml:"adds"`
	Repeats string   `yaml:"repeats"`
	// Below is the parameter whose directory the tool reads recursively; "" for none.
	Below string `yaml:"below"`
}

// check returns an error for an incomplete table.
func (t Tools) check() error {
	if t.Exec == "" {
		return errors.New("tools: exec has no name")
	}
	for name, tool := range t.Files {
		if tool.Parameter == "" || tool.Access != "read" && tool.Access != "write" {
			return fmt.Errorf("tools: %s: want a parameter, and read or write as its access", name)
		}
	}
	for name, parameter := range t.Spawns {
		if foldParameter(parameter) == "" {
			return fmt.Errorf("tools: %s: want the parameter that names the agent", name)
		}
	}
	for name, parameters := range t.URLs {
		if len(parameters) == 0 {
			return fmt.Errorf("tools: %s: want the parameters that hold a URL", name)
		}
	}
	return nil
}

// Aliases maps other names of tools to their canonical names. Every name is in lower case.
type Aliases map[string]string

// ReadAliases reads the table gavel/catalog/aliases/data.yaml.
func ReadAliases(text []byte) (aliases Aliases, err error) {
	if err := yaml.Unmarshal(text, &aliases); err != nil {
		return nil, fmt.Errorf("read the table of aliases: %w", err)
	}
	return aliases, nil
}

// canonical returns the canonical name of a tool.
func (a Aliases) canonical(given string) string {
	if name, ok := spelling.MCP(given); ok {
		return name
	}
	name := spelling.Name(given)
	if canonical, ok := a[name]; ok {
		return canonical
	}
	return name
}

// tool returns a tool under its canonical name, with its parameters unchanged.
func (a Aliases) tool(t gavel.Tool) gavel.ToolFacts {
	params := t.Params
	if params == nil {
		params = map[string]any{}
	}
	return gavel.ToolFacts{Name: a.canonical(t.Name), Given: t.Name, Plugin: spelling.Name(t.Plugin), Params: params,
		Parameters: []string{}, Odd: []string{}, Unread: t.Unread, Misfits: []gavel.Misfit{}}
}

// plugins returns the sorted names that each loaded plugin provides.
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
		names := provided[id] // two spellings of one plugin id are merged
		for _, name := range tools {
			names = append(names, a.canonical(name))
		}
		provided[id] = spelling.Tidy(names)
	}
	return provided
}

// unreadable is the id in place of one that cannot be read. No agent has it.
const unreadable = "?"

// spawns returns the id of the agent that a call would start, "" for none, or [unreadable]. A gateway
// may accept any spelling of the parameter's name, so all spellings must agree on one id.
func (t Tools) spawns(tool string, params map[string]any) string {
	parameter, ok := t.Spawns[tool]
	if !ok {
		return ""
	}
	found := ""
	for name, value := range params {
		if foldParameter(name) != foldParameter(parameter) || value == nil {
			continue
		}
		text, ok := value.(string)
		id := spelling.Name(text)
		if !ok || id == "" || found != "" && found != id {
			return unreadable
		}
		found = id
	}
	return found
}

// foldParameter returns the name of a parameter without case, underscores and hyphens.
func foldParameter(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(spelling.Name(name))
}
