package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Gavel's annotations in the schema. Validators ignore them.
const (
	// markIgnored is true for keys that do not affect permissions.
	markIgnored = "x-gavel-passed-over"
	// markInstead is the path of the key to use instead.
	markInstead = "x-gavel-instead"
	// markRefused maps values of OpenClaw that Gavel does not offer to the reason.
	markRefused = "x-gavel-refused"
	// markEdition is the first edition of OpenClaw that has the key.
	markEdition = "x-gavel-edition"
)

// schemaURL is the $id of the schema.
const schemaURL = "gavel:config"

// rawSchema is the schema, or a part of it, as JSON types.
type rawSchema map[string]any

// compileSchema reads the schema twice: as JSON for explanations, and compiled for validation.
func compileSchema(text []byte) (rawSchema, *jsonschema.Schema, error) {
	var raw rawSchema
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, nil, err
	}
	if id := raw["$id"]; id != schemaURL {
		return nil, nil, fmt.Errorf("the $id is %v, want %s", id, schemaURL)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, nil, err
	}
	compiled, err := compiler.Compile(schemaURL)
	if err != nil {
		return nil, nil, err
	}
	return raw, compiled, nil
}

// noLoader prevents the compiler from opening files that a schema refers to.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("the schema refers to " + url + ", but must not refer to other documents")
}

// resolve follows $ref to the definition. root is the whole schema.
func (s rawSchema) resolve(root rawSchema) rawSchema {
	for range 8 { // the schema has no longer chain of references
		ref, ok := s["$ref"].(string)
		if !ok {
			return s
		}
		s = root.at(ref)
	}
	return nil
}

// at returns the part of the schema that a URL points to, or nil.
func (s rawSchema) at(location string) rawSchema {
	_, pointer, _ := strings.Cut(location, "#")
	var part any = map[string]any(s)
	for _, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if token == "" {
			continue
		}
		if strings.ContainsAny(token, "%~") {
			token = unescape(token)
		}
		fields, ok := part.(map[string]any)
		if !ok {
			return nil
		}
		part = fields[token]
	}
	fields, _ := part.(map[string]any)
	return fields
}

// unescape decodes a token of a JSON pointer in a URL.
func unescape(token string) string {
	if unescaped, err := url.PathUnescape(token); err == nil {
		token = unescaped
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}

// part returns a sub-schema, or nil.
func (s rawSchema) part(key string) rawSchema {
	fields, _ := s[key].(map[string]any)
	return fields
}

// string returns an annotation, or "".
func (s rawSchema) string(key string) string {
	value, _ := s[key].(string)
	return value
}

// isIgnored reports whether the schema marks this as not affecting permissions.
func (s rawSchema) isIgnored() bool { return s[markIgnored] == true }

// keys returns the keys that the schema lists and does not ignore, sorted.
func (s rawSchema) keys() []string {
	var keys []string
	properties := s.part("properties")
	for key := range properties {
		if !properties.part(key).isIgnored() {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
