package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bundles/config"
)

// A rule, and how an edit writes it.
const (
	ruleInYAML = `{program: git, commands: [push], operands: ['a, b', c], effect: allow}`
	ruleInJSON = `{"commands":["push"],"effect":"allow","operands":["a, b","c"],"program":"git"}`
)

func pushRule() map[string]any {
	return map[string]any{"program": "git", "commands": []any{"push"}, "operands": []any{"a, b", "c"}, "effect": "allow"}
}

// addRule is the edit that adds the rule for all agents.
func addRule() config.Edit {
	return config.Edit{Op: config.Add, Path: "tools.exec.rules", Value: pushRule()}
}

// checkEdit compares the text of configurations after an edit.
func checkEdit(t *testing.T, cases map[string]struct {
	file, text string
	edit       config.Edit
	want       string
}) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := config.Apply(c.file, []byte(c.text), []config.Edit{c.edit})
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got))
		})
	}
}

func TestAnEditOfYAMLChangesNothingElse(t *testing.T) {
	t.Parallel()
	checkEdit(t, map[string]struct {
		file, text string
		edit       config.Edit
		want       string
	}{
		"a list with an item on each line": {
			"config.yaml", "# head\ntools:\n  exec:\n    rules:\n      - {program: ls, effect: allow} # first\n      - program: rg\n        effect: allow\n\n    # next\n    ask: off\n", addRule(),
			"# head\ntools:\n  exec:\n    rules:\n      - {program: ls, effect: allow} # first\n      - program: rg\n        effect: allow\n      - " + ruleInYAML + "\n\n    # next\n    ask: off\n"},
		"a list in the column of its key": {
			"config.yaml", "tools:\n  exec:\n    rules:\n    - {program: ls, effect: allow}\nagents: {}", addRule(),
			"tools:\n  exec:\n    rules:\n    - {program: ls, effect: allow}\n    - " + ruleInYAML + "\nagents: {}"},
		"an item on several lines stays whole": {
			"config.yaml", "tools:\n  exec:\n    rules:\n      - {program: ls,\n         effect: allow}\n", addRule(),
			"tools:\n  exec:\n    rules:\n      - {program: ls,\n         effect: allow}\n      - " + ruleInYAML + "\n"},
		"a missing list is created after its siblings": {
			"config.yaml", "tools:\n  exec:\n    ask: on-miss\n    allowlist:\n      - /usr/bin/ls\n\nagents: {}\n", addRule(),
			"tools:\n  exec:\n    ask: on-miss\n    allowlist:\n      - /usr/bin/ls\n    rules:\n      - " + ruleInYAML + "\n\nagents: {}\n"},
		"missing sections too": {
			"config.yaml", "agents:\n  coder: {}\n", addRule(),
			"agents:\n  coder: {}\ntools:\n  exec:\n    rules:\n      - " + ruleInYAML + "\n"},
		"a key without a value": {
			"config.yaml", "tools: # nothing yet\nagents: {}\n", addRule(),
			"tools: # nothing yet\n  exec:\n    rules:\n      - " + ruleInYAML + "\nagents: {}\n"},
		"a string that YAML would read as a boolean": {
			"config.yaml", "tools:\n  exec: {}\n", config.Edit{Op: config.Set, Path: "tools.exec.ask", Value: "off"},
			"tools:\n  exec: {ask: \"off\"}\n"},
		"line endings of Windows": {
			"config.yaml", "tools:\r\n  allow:\r\n    - read\r\nagents: {}\r\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"},
			"tools:\r\n  allow:\r\n    - read\r\n    - exec\r\nagents: {}\r\n"},
		"a key with dots": {
			"config.yaml", "tools:\n  byProvider:\n    openai/gpt-5.2:\n      allow: [read]\n", config.Edit{Op: config.Add, Path: "tools.byProvider.openai/gpt-5.2.allow", Value: "exec"},
			"tools:\n  byProvider:\n    openai/gpt-5.2:\n      allow: [read, exec]\n"},
		"a string on several lines at the end": {
			"config.yaml", "tools:\n  exec:\n    rules:\n      - program: git\n        effect: ask\n        why: |\n          one\n          two\nagents: {}\n", addRule(),
			"tools:\n  exec:\n    rules:\n      - program: git\n        effect: ask\n        why: |\n          one\n          two\n      - " + ruleInYAML + "\nagents: {}\n"},
	})
}

func TestAnEditInBracketsAndOfJSONChangesNothingElse(t *testing.T) {
	t.Parallel()
	checkEdit(t, map[string]struct {
		file, text string
		edit       config.Edit
		want       string
	}{
		"an empty mapping in brackets": {
			"config.yaml", "agents:\n  coder: {}  # all\n", config.Edit{Op: config.Add, Path: "agents.coder.exec.rules", Value: pushRule()},
			"agents:\n  coder: {exec: {rules: [" + ruleInYAML + "]}}  # all\n"},
		"a list in brackets": {
			"config.yaml", "tools: {allow: [read, 'it''s]'] } # x\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"},
			"tools: {allow: [read, 'it''s]', exec] } # x\n"},
		"a list in brackets on several lines": {
			"config.yaml", "tools:\n  allow: [\n    read, # files ]\n    write\n  ]\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"},
			"tools:\n  allow: [\n    read, # files ]\n    write,\n    exec\n  ]\n"},
		"JSON": {
			"openclaw.json", "{\n  // tools\n  \"tools\": {\n    \"allow\": [\"read\"]\n  }\n}\n", addRule(),
			"{\n  // tools\n  \"tools\": {\n    \"allow\": [\"read\"],\n    \"exec\": {\"rules\":[" + ruleInJSON + "]}\n  }\n}\n"},
		"JSON with a trailing comma": {
			"openclaw.json", "{\"tools\": {\"allow\": [\n  \"read\",\n]}}", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"},
			"{\"tools\": {\"allow\": [\n  \"read\",\n  \"exec\"\n]}}"},
		"an agent in a list, with exec under tools": {
			"config.yaml", "agents:\n  list:\n    - id: Main\n      tools:\n        exec:\n          ask: off\n", config.Edit{Op: config.Add, Path: "agents.main.exec.rules", Value: pushRule()},
			"agents:\n  list:\n    - id: Main\n      tools:\n        exec:\n          ask: off\n          rules:\n            - " + ruleInYAML + "\n"},
		"an agent in entries, with exec under tools": {
			"openclaw.json", "{\"agents\": {\"entries\": {\"Main\": {\"tools\": {\"exec\": {\"mode\": \"allowlist\"}}}}}}", config.Edit{Op: config.Add, Path: "agents.main.exec.rules", Value: pushRule()},
			"{\"agents\": {\"entries\": {\"Main\": {\"tools\": {\"exec\": {\"mode\": \"allowlist\", \"rules\": [" + ruleInJSON + "]}}}}}}"},
		"a scalar is replaced": {
			"config.yaml", "tools:\n  exec:\n    constructs:\n      redirect: deny   # closed\n", config.Edit{Op: config.Set, Path: "tools.exec.constructs.redirect", Value: "paths"},
			"tools:\n  exec:\n    constructs:\n      redirect: paths   # closed\n"},
		"a quoted scalar in brackets": {
			"config.yaml", `tools: {exec: {harmlessRedirects: "deny", ask: "off"}}`, config.Edit{Op: config.Set, Path: "tools.exec.harmlessRedirects", Value: "allow"},
			`tools: {exec: {harmlessRedirects: allow, ask: "off"}}`},
	})
}

func TestAnImpossibleEditIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		edit config.Edit
	}{
		"adding to a string":                 {"tools:\n  allow: read\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"}},
		"a key below a list":                 {"tools:\n  allow: [read]\n", config.Edit{Op: config.Set, Path: "tools.allow.x", Value: "exec"}},
		"a text that is not a map":           {"- a\n", config.Edit{Op: config.Set, Path: "tools.profile", Value: "full"}},
		"a text that cannot be read":         {"tools: [\n", config.Edit{Op: config.Set, Path: "tools.profile", Value: "full"}},
		"a string that looks like a comment": {"tools:\n  allow:\n    - |\n      a\n      # b\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"}},
		"a value that cannot be ruleInYAML":  {"tools: {}\n", config.Edit{Op: config.Set, Path: "tools.x", Value: struct{}{}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Apply("config.yaml", []byte(c.text), []config.Edit{c.edit})
			assert.Error(t, err)
		})
	}
}
