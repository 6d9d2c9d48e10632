package grant

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// execTool is the tool whose calls are bound by what they would run.
const execTool = "exec"

// Params returns the parameters of a call as [Bound] has them: in JSON according to RFC 8785. Those
// of exec that other fields cover, or that can only tighten the decision, are left out.
func Params(tool string, params map[string]any) (string, error) {
	bound := make(map[string]any, len(params))
	for name, value := range params {
		if tool != execTool || !slices.Contains([]string{"command", "workdir", "env", "host", "node", "security", "ask"}, name) {
			bound[name] = value
		}
	}
	text, err := json.Marshal(bound)
	if err != nil {
		return "", fmt.Errorf("the parameters are not JSON: %w", err)
	}
	raw := jsontext.Value(text)
	if err := raw.Canonicalize(); err != nil {
		return "", fmt.Errorf("the parameters are not JSON: %w", err)
	}
	return string(raw), nil
}

// Variables returns the parameter env of a call as [Bound] has it: names and values as they are
// given, sorted by name. A value that is not a map of strings is an error; nil has no variables.
func Variables(value any) ([][2]string, error) {
	if value == nil {
		return nil, nil
	}
	env, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("env is not a map")
	}
	var list [][2]string
	for name, value := range env {
		text, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("the value of the variable %q is not a string", name)
		}
		list = append(list, [2]string{name, text})
	}
	slices.SortFunc(list, func(x, y [2]string) int { return strings.Compare(x[0], y[0]) })
	return list, nil
}
