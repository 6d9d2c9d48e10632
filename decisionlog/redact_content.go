package decisionlog

import (
	"maps"
	"slices"
	"strconv"

	"gavel/internal/redact"
)

// redacted replaces a value that must not be logged.
const redacted = "**REDACTED**"

// redactAlways redacts what must never be logged, whatever the policy says: content in the tool's
// parameters, at any depth, and the values of environment variables (R35). It returns the JSON
// pointers of the redacted values.
func redactAlways(input, result any) (masked []string) {
	if tool, ok := member(input, "tool").(map[string]any); ok {
		masked = redactContent(tool["params"], "/input/tool/params", masked)
	}
	if exec, ok := member(result, "exec").(map[string]any); ok {
		exec["env"], masked = redactValues(exec["env"], "/result/exec/env", masked)
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

// redactContent redacts every member of node that has content, and every environment.
func redactContent(node any, at string, masked []string) []string {
	switch node := node.(type) {
	case map[string]any:
		for _, name := range sortedKeys(node) {
			pointer := at + "/" + escape(name)
			switch folded := redact.Plain(name); {
			case redact.Content(folded):
				node[name] = redacted
				masked = append(masked, pointer)
			case folded == redact.Variables:
				node[name], masked = redactValues(node[name], pointer, masked)
			default:
				masked = redactContent(node[name], pointer, masked)
			}
		}
	case []any:
		for i, child := range node {
			masked = redactContent(child, at+"/"+strconv.Itoa(i), masked)
		}
	}
	return masked
}

// redactValues redacts the values of an environment and keeps the names of its variables. Anything
// other than an object or an array is redacted as a whole.
func redactValues(node any, at string, masked []string) (any, []string) {
	switch node := node.(type) {
	case nil:
		return nil, masked
	case map[string]any:
		for _, name := range sortedKeys(node) {
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

func sortedKeys(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}
