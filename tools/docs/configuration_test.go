package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bundles"
	"gavel/bundles/config"
	"gavel/rego"
)

// The examples are loaded as gavel check loads a policy, which also resolves names.
func TestConfigurationExamplesAreAccepted(t *testing.T) {
	files, err := fs.Glob(examples, "examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	page, err := configurationPage(rego.ConfigSchema)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, rego.DefaultConfig, 0o600))
	store, err := bundles.Open(t.Context(), bundles.Config{Path: path, Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	for _, file := range files {
		text, err := examples.ReadFile(file)
		require.NoError(t, err)
		t.Run(filepath.Base(file), func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, text, 0o600))
			require.NoError(t, store.Reload(t.Context()))
			assert.Contains(t, page, string(text), "the page does not show this example: delete the file")
		})
	}
}

func TestEveryConfigurationKeyIsDocumented(t *testing.T) {
	s, err := readSchema(rego.ConfigSchema)
	require.NoError(t, err)
	reader, err := config.NewReader(rego.ConfigSchema)
	require.NoError(t, err)
	keys := 0
	walkKeys(s, func(path []string, n node) {
		keys++
		name := strings.Join(path, ".")
		assert.Regexp(t, `[.:]$`, n.Description, "%s: say what it does, in whole sentences", name)
		assert.NotEmpty(t, n.kind(), "%s: the schema has no type, title or enum", name)
		if text := n.Type == "array" || n.Type == "string" || n.Type == "number" || n.Type == "integer"; text && len(n.Enum) == 0 {
			tools := n.definition == "patterns" || n.definition == "profile"
			assert.True(t, len(n.Examples) > 0 || tools, "%s: give an example in the schema", name)
		}
		values := n.Examples
		if len(n.Default) > 0 {
			var standard any
			require.NoError(t, json.Unmarshal(n.Default, &standard), name)
			values = append(values[:len(values):len(values)], standard)
		}
		for _, value := range values {
			text, err := json.Marshal(configurationWith(path, value))
			require.NoError(t, err)
			_, problems := reader.Read("config.json", text)
			assert.Empty(t, problems, "%s: the reader rejects %s", name, text)
		}
	})
	require.Greater(t, keys, 120, "walkKeys found too few keys")
}

// walkKeys visits every key once. It visits the keys of a shared object where the object is used
// first.
func walkKeys(s schema, visit func(path []string, n node)) {
	seen := map[string]bool{}
	var below func(path []string, n node)
	below = func(path []string, n node) {
		for _, m := range s.members(n) {
			at, inner := append(path[:len(path):len(path)], m.name), m.node
			visit(at, m.node)
			if inner.Items != nil {
				at, inner = append(at, "[]"), s.resolve(*inner.Items)
			}
			if heading(inner.definition) != "" && seen[inner.definition] {
				continue
			}
			seen[inner.definition] = true
			below(at, inner)
		}
	}
	for _, name := range sortedNames(s.Properties) {
		if n := s.resolve(s.Properties[name]); n.Instead == "" && !n.Ignored {
			below([]string{name}, n)
		}
	}
}

// statedID returns the id that the value of an agent contains, or other.
func statedID(agent any, other string) string {
	if stated, ok := agent.(map[string]any)["id"].(string); ok {
		return stated
	}
	return other
}

// configurationWith returns a configuration with a value at a path, and with the required members
// of every list element on the path.
func configurationWith(path []string, value any) any {
	for i := len(path) - 1; i >= 0; i-- {
		switch name := path[i]; name {
		case "[]":
			entry, _ := value.(map[string]any)
			for key, needed := range map[string]map[string]any{
				"allowlist": {"pattern": "/usr/bin/rg"}, "targets": {"channel": "slack", "to": "U1"}, "list": {"id": "main"}, "rules": {"program": "git", "effect": "ask"},
			} {
				for member, value := range needed {
					if _, ok := entry[member]; key == path[i-1] && !ok {
						entry[member] = value
					}
				}
			}
			value = []any{value}
		case "<sender>":
			value = map[string]any{"id:1": value}
		case "<agent>":
			value = map[string]any{statedID(value, "agent"): value}
		default:
			value = map[string]any{strings.Trim(name, "<>"): value}
		}
	}
	return value
}
