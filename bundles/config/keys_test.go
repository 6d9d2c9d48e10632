package config

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sourceKey is a key that a source names, a value for it, and what happens to it. Fate is read;
// gateway, if the gateway applies it; passed over, if Gavel ignores it; or refused, and then Says
// is a part of the error.
type sourceKey struct {
	Source, Key, Fate, Says string
	Value                   json.RawMessage
}

// sourceKeys reads testdata/keys.jsonl, which lists every key that the sources of docs/rules.md
// name.
func sourceKeys(t *testing.T) []sourceKey {
	t.Helper()
	file, err := os.Open("testdata/keys.jsonl")
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // it was only read
	var list []sourceKey
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var key sourceKey
		require.NoError(t, json.Unmarshal(lines.Bytes(), &key), lines.Text())
		list = append(list, key)
	}
	require.Greater(t, len(list), 150)
	return list
}

// document returns a configuration with only the key.
func (k sourceKey) document(t *testing.T) string {
	t.Helper()
	steps := strings.Split(k.Key, ".")
	text := string(k.Value)
	for i := len(steps) - 1; i >= 0; i-- {
		name, err := json.Marshal(steps[i])
		require.NoError(t, err)
		text = "{" + string(name) + ":" + text + "}"
	}
	return text
}

func TestEveryKeyOfTheSourcesIsReadOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	reader, readers := newReader(t), readSources(t)
	schema, err := os.ReadFile("../../rego/schema/config.json")
	require.NoError(t, err)
	var raw rawSchema
	require.NoError(t, json.Unmarshal(schema, &raw))
	for _, key := range sourceKeys(t) {
		document, problems := reader.Read("openclaw.json", []byte(key.document(t)))
		if key.Fate == "refused" {
			require.NotEmpty(t, problems, key.Key)
			assert.Contains(t, problems[0].Message, key.Says, key.Key)
			continue
		}
		require.Empty(t, problems, "%s of %s", key.Key, key.Source)
		name := key.Key[strings.LastIndex(key.Key, ".")+1:]
		switch key.Fate {
		case "passed over":
			assert.Contains(t, document.Ignored, key.Key)
			assert.NotContains(t, descriptionOf(t, raw, name), "does not affect permissions; ignored", "the description of %s must say what happens to it", key.Key)
		case "gateway":
			assert.Empty(t, document.Ignored, key.Key)
			assert.Regexp(t, `[Dd]oes not affect permissions|The image|Number of processors|Megabytes|The network`, descriptionOf(t, raw, name), "the description of %s must say that Gavel does not judge it", key.Key)
		case "read":
			assert.Empty(t, document.Ignored, key.Key)
			assert.True(t, readers.reads(key.Key), "no rule and no Go reads %s", key.Key)
		default:
			t.Errorf("%s: unknown fate %q", key.Key, key.Fate)
		}
	}
}

// descriptionOf returns the description of a key from anywhere in the schema.
func descriptionOf(t *testing.T, schema rawSchema, name string) string {
	t.Helper()
	var problems string
	var below func(any)
	below = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				if at, ok := properties[name].(map[string]any); ok && problems == "" {
					problems, _ = at["description"].(string)
				}
			}
			for _, child := range v {
				below(child)
			}
		case []any:
			for _, child := range v {
				below(child)
			}
		}
	}
	below(map[string]any(schema))
	require.NotEmpty(t, problems, name)
	return problems
}

// sources are the texts of rules and Go code that may read settings, and of data tables.
type sources struct{ code, tables string }

func readSources(t *testing.T) sources {
	t.Helper()
	var all, tables strings.Builder
	for _, dir := range []string{"../../rego/gavel", "../../bundles", "../../approvals", "../../verifiers", "../../cmd/gavel"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.Contains(path, "testdata") || strings.HasSuffix(path, "_test.rego") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			switch {
			case entry.Name() == "data.yaml":
				tables.Write(text)
			case filepath.Ext(path) == ".rego", filepath.Ext(path) == ".go":
				all.Write(text)
			}
			return err
		}))
	}
	require.NotZero(t, all.Len())
	require.NotZero(t, tables.Len())
	return sources{all.String(), tables.String()}
}

// reads reports whether something reads a key. It looks for the last part of the key that is not a
// freely chosen name.
func (s sources) reads(key string) bool {
	steps := strings.Split(key, ".")
	for i := len(steps) - 1; i >= 0; i-- {
		switch steps[i] {
		case "main", "openai", "discord", "g1", "jq", "Authorization":
			continue
		}
		name := regexp.QuoteMeta(steps[i]) + `\b`
		return regexp.MustCompile(`["`+"`"+`.]`+name).MatchString(s.code) || regexp.MustCompile(`(?m)^[^#]*\b`+name).MatchString(s.tables)
	}
	return false
}
