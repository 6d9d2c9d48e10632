package wrappers_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/cases"
	"gavel/credentials/wrappers"
)

// parse reads a configuration with one tool, which has these settings beside its program.
func parse(t *testing.T, name string, tool map[string]any, top map[string]any) (*wrappers.Config, error) {
	t.Helper()
	if tool == nil {
		tool = map[string]any{}
	}
	tool["binary"] = "/bin/true"
	document := map[string]any{"tools": map[string]any{name: tool}}
	for key, value := range top {
		document[key] = value
	}
	text, err := json.Marshal(document) // YAML reads JSON
	require.NoError(t, err)
	return wrappers.Parse("wrappers.yaml", text)
}

func TestTheCasesOfTheReferenceAboutTheConfiguration(t *testing.T) {
	for _, c := range cases.Read(t, "..", "config") {
		t.Run(c.Name, func(t *testing.T) {
			name, _, _ := strings.Cut(c.Name, "/")
			switch name {
			case "TestValidate_BlockedArgsMatchModes":
				matchModes(t, c)
			case "TestGetPassBinary", "TestGetOPBinary", "TestGetReplayCacheTTL_Floor":
				proxyCase(t, c)
			case "TestLoad_RejectsInvalidConfig":
				loadCase(t, c)
			default:
				validateCase(t, c, name)
			}
		})
	}
}

func matchModes(t *testing.T, c cases.Case) {
	rules := []any{}
	for _, match := range cases.Get[[]string](t, c.Input, "matches") {
		rule := map[string]any{"pattern": "x", "match": match}
		if match == "" {
			delete(rule, "match") // an empty text is a mistake here
		}
		rules = append(rules, rule)
	}
	config, err := parse(t, "gh", map[string]any{"blocked_args": rules}, nil)
	require.NoError(t, err)
	got := []string{}
	for _, rule := range config.Tools["gh"].Blocked {
		got = append(got, rule.Match)
	}
	assert.Equal(t, cases.Get[[]string](t, c.Expect, "normalized"), got)
}

func proxyCase(t *testing.T, c cases.Case) {
	proxy := map[string]any{}
	for key := range c.Input {
		if value := cases.Get[string](t, c.Input, key); value != "" { // an empty text is a mistake here
			proxy[key] = value
		}
	}
	config, err := parse(t, "gh", nil, map[string]any{"proxy": proxy})
	require.NoError(t, err)
	want := cases.Get[string](t, c.Expect, "value")
	if c.Input.Has("replay_cache_ttl") {
		limit, err := time.ParseDuration(want)
		require.NoError(t, err)
		assert.Equal(t, limit, config.Proxy.ReplayTTL)
		return
	}
	got := config.Proxy.Sources.PassBinary
	if c.Input.Has("op_binary") {
		got = config.Proxy.Sources.OPBinary
	}
	if want == "platform default" {
		want = "" // the program is looked for in trusted directories, when it is needed
	}
	assert.Equal(t, want, got)
}

func loadCase(t *testing.T, c cases.Case) {
	var err error
	switch {
	case c.Input.Has("pattern"):
		_, err = parse(t, "gh", map[string]any{"blocked_args": []any{map[string]any{"pattern": cases.Get[string](t, c.Input, "pattern")}}}, nil)
	case c.Input.Has("text"):
		_, err = wrappers.Parse("wrappers.yaml", []byte(cases.Get[string](t, c.Input, "text")))
	default:
		_, err = wrappers.Load(filepath.Join(t.TempDir(), "nonexistent.yaml"), every())
	}
	require.Error(t, err)
}

func validateCase(t *testing.T, c cases.Case, name string) {
	tool, top, called := map[string]any{}, map[string]any{}, "gh"
	switch name {
	case "TestValidate_MixedValidInvalid":
		rules := []any{}
		for _, pattern := range cases.Get[[]string](t, c.Input, "patterns") {
			rules = append(rules, map[string]any{"pattern": pattern})
		}
		tool["blocked_args"] = rules
	case "TestValidate_InvalidToolName":
		called = cases.Get[string](t, c.Input, "tool_name")
	case "TestValidate_MissingCredentialRef":
		// A plain word is a literal, as in later versions of the reference. A reference in a text is an error.
		tool["env"] = map[string]any{"GH_TOKEN": fmt.Sprintf("{{ %s }}", cases.Get[map[string]string](t, c.Input, "env")["GH_TOKEN"])}
	case "TestValidate_ValidCredentialRef":
		tool["env"] = cases.Get[map[string]string](t, c.Input, "env")
		credentials := map[string]any{}
		for _, credential := range cases.Get[[]string](t, c.Input, "credentials") {
			credentials[credential] = map[string]any{"source": "pass:x"}
		}
		top["credentials"] = credentials
	case "TestValidate_MissingConfigFileCredential":
		tool["config_file"] = map[string]any{"xdg_subdir": "a", "filename": "b", "template": "c", "credentials": cases.Get[[]string](t, c.Input, "config_file.credentials")}
	case "TestValidate_ConfigFilePathTraversalRejected":
		tool["config_file"] = map[string]any{"xdg_subdir": cases.Get[string](t, c.Input, "xdg_subdir"), "filename": "b", "template": "c", "credentials": []string{}}
	default:
		t.Fatalf("nothing runs %s", c.Name)
	}
	config, err := parse(t, called, tool, top)
	if cases.Get[bool](t, c.Expect, "ok") {
		require.NoError(t, err)
		assert.Equal(t, []string{"github-token"}, config.Tools["gh"].Uses())
		return
	}
	require.Error(t, err)
	// The words of errors are Gavel's own; what they name is the same.
	for word := range strings.FieldsSeq(cases.Get[string](t, c.Expect, "error_contains")) {
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
			assert.ErrorContains(t, err, word)
		}
	}
}
