package decisionlog

import (
	"maps"
	"slices"
	"strconv"

	"gavel/internal/redact"
)

// redacted replaces a hidden value.
const redacted = "**REDACTED**"

// hideAlways hides what no decision log may contain, whatever the policy says, and returns the
// JSON pointers of the hidden values: content in the tool's parameters at any depth, and the
// values of environment variables (R35).
func hideAlways(input, result any) (masked []string) {
	if tool, ok := member(input, "tool").(map[string]any); ok {
		masked = hideContent(tool["params"], "/input/tool/params", masked)
	}
	if exec, ok := member(result, "exec").(map[string]any); ok {
		exec["env"], masked = hideValues(exec["env"], "/result/exec/env", masked)
		if exec["env"] == nil {
			delete(exec, "env")
		}
	}
	return masked
}

func member(node any, name string) any {
	object, _ := node.(map[string]any)
	return object[name]
}

// hideContent walks parameters and hides every member that carries content.
func hideContent(node any, at string, masked []string) []string {
	switch node := node.(type) {
	case map[string]any:
		for _, name := range sorted(node) {
			here := at + "/" + escape(name)
			switch folded := redact.Plain(name); {
			case redact.Content(folded):
				node[name] = redacted
				masked = append(masked, here)
			case folded == redact.Variables:
				node[name], masked = hideValues(node[name], here, masked)
			default:
				masked = hideContent(node[name], here, masked)
			}
		}
	case []any:
		for i, child := range node {
			masked = hideContent(child, at+"/"+strconv.Itoa(i), masked)
		}
	}
	return masked
}

// hideValues hides each value of an environment and keeps its names. Anything
// but an object or an array is hidden as a whole.
func hideValues(node any, at string, masked []string) (any, []string) {
	switch node := node.(type) {
	case nil:
		return nil, masked
	case map[string]any:
		for _, name := range sorted(node) {
			node[name] = redacted
			masked = append(masked, at+"/"+escape(name))
		}
		return node, masked
	case []any:
		for i := range node {
			node[i] = redacted
			masked = append(masked, at+"/"+strconv.Itoa(i))
		}
		return node, masked
	default:
		return redacted, append(masked, at)
	}
}

func sorted(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}
