package analyzer

import (
	"strings"
	"unicode/utf8"

	"gavel"
)

// execTool is the one name of the tool that runs shell commands.
const execTool = "exec"

// tool returns a tool under its one name, its parameters as they are.
func tool(t gavel.Tool) gavel.ToolFacts {
	params := t.Params
	if params == nil {
		params = map[string]any{}
	}
	return gavel.ToolFacts{Name: toolName(t.Name), Given: t.Name, Plugin: foldName(t.Plugin), Params: params}
}

// toolName trims and lower-cases a name, and resolves the two aliases of
// document 000: bash is exec, apply-patch is apply_patch.
func toolName(given string) string {
	switch name := foldName(given); name {
	case "bash":
		return execTool
	case "apply-patch":
		return "apply_patch"
	default:
		return name
	}
}

// foldName trims and lower-cases a name of ASCII letters. Tools have such names
// only, so that a name with any other character is left as it is and is unknown.
func foldName(given string) string {
	name := strings.TrimSpace(given)
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return name
		}
	}
	return strings.ToLower(name)
}

// plugins returns what each loaded plugin provides, sorted, without blanks.
func plugins(claims *gavel.Environment) map[string][]string {
	if claims == nil {
		return map[string][]string{}
	}
	provided := make(map[string][]string, len(claims.Plugins))
	for id, tools := range claims.Plugins {
		id = foldName(id)
		if id == "" {
			continue
		}
		names := provided[id] // two spellings of one plugin are one plugin
		for _, name := range tools {
			names = append(names, toolName(name))
		}
		provided[id] = tidy(names)
	}
	return provided
}
