package decisionlog

import (
	"bytes"
	"encoding/json"
)

// parameters is a copy of a tool's parameters. Those of a request have JSON types; what
// a caller in this process gave otherwise becomes them.
func parameters(params map[string]any) (map[string]any, error) {
	if copied, ok := copied(params, maxCopied); ok {
		return copied.(map[string]any), nil
	}
	copied, err := tree(params)
	if err != nil {
		return nil, err
	}
	return copied.(map[string]any), nil
}

// maxCopied is how deep values are copied as they are, more than any request is. What is
// deeper, and perhaps without end, is left to the encoder, which notices.
const maxCopied = 100

// copied is a copy of a value of JSON types, and whether it is one, so many levels deep.
func copied(v any, levels int) (any, bool) {
	switch v := v.(type) {
	case nil, bool, string, float64, json.Number:
		return v, true
	case map[string]any:
		if levels == 0 {
			return nil, false
		}
		out := make(map[string]any, len(v))
		for name, child := range v {
			var ok bool
			if out[name], ok = copied(child, levels-1); !ok {
				return nil, false
			}
		}
		return out, true
	case []any:
		if levels == 0 {
			return nil, false
		}
		out := make([]any, len(v))
		for i, child := range v {
			var ok bool
			if out[i], ok = copied(child, levels-1); !ok {
				return nil, false
			}
		}
		return out, true
	default:
		return nil, false
	}
}

// tree is a copy of v in JSON types; numbers keep their digits.
func tree(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		return nil, err
	}
	return out, nil
}
