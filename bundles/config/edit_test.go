package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bundles/config"
)

func TestAnEditLeavesEverythingElseAsItIs(t *testing.T) {
	rule := map[string]any{"program": "git", "commands": []any{"push"}, "operands": []any{"a, b", "c"}, "effect": "allow"}
	const written = `{program: git, commands: [push], operands: ['a, b', c], effect: allow}`
	const asJSON = `{"commands":["push"],"effect":"allow","operands":["a, b","c"],"program":"git"}`
	addRule := config.Edit{Op: config.Add, Path: "tools.exec.rules", Value: rule}
	for name, c := range map[string]struct {
		file, text string
		edit       config.Edit
		want       string
	}{
		"a list of lines gets one more": {
			"config.yaml", "# head\ntools:\n  exec:\n    rules:\n      - {program: ls, effect: allow} # first\n      - program: rg\n        effect: allow\n\n    # next\n    ask: off\n", addRule,
			"# head\ntools:\n  exec:\n    rules:\n      - {program: ls, effect: allow} # first\n      - program: rg\n        effect: allow\n      - " + written + "\n\n    # next\n    ask: off\n"},
		"a list in the column of its key": {
			"config.yaml", "tools:\n  exec:\n    rules:\n    - {program: ls, effect: allow}\nagents: {}", addRule,
			"tools:\n  exec:\n    rules:\n    - {program: ls, effect: allow}\n    - " + written + "\nagents: {}"},
		"an item on several lines stays whole": {
			"config.yaml", "tools:\n  exec:\n    rules:\n      - {program: ls,\n         effect: allow}\n", addRule,
			"tools:\n  exec:\n    rules:\n      - {program: ls,\n         effect: allow}\n      - " + written + "\n"},
		"a missing list is created after its siblings": {
			"config.yaml", "tools:\n  exec:\n    ask: on-miss\n    allowlist:\n      - /usr/bin/ls\n\nagents: {}\n", addRule,
			"tools:\n  exec:\n    ask: on-miss\n    allowlist:\n      - /usr/bin/ls\n    rules:\n      - " + written + "\n\nagents: {}\n"},
		"missing sections too": {
			"config.yaml", "agents:\n  coder: {}\n", addRule,
			"agents:\n  coder: {}\ntools:\n  exec:\n    rules:\n      - " + written + "\n"},
		"a key without a value": {
			"config.yaml", "tools: # nothing yet\nagents: {}\n", addRule,
			"tools: # nothing yet\n  exec:\n    rules:\n      - " + written + "\nagents: {}\n"},
		"an empty mapping in brackets": {
			"config.yaml", "agents:\n  coder: {}  # all\n", config.Edit{Op: config.Add, Path: "agents.coder.exec.rules", Value: rule},
			"agents:\n  coder: {exec: {rules: [" + written + "]}}  # all\n"},
		"a list in brackets": {
			"config.yaml", "tools: {allow: [read, 'it''s]'] } # x\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"},
			"tools: {allow: [read, 'it''s]', exec] } # x\n"},
		"a list in brackets on several lines": {
			"config.yaml", "tools:\n  allow: [\n    read, # files ]\n    write\n  ]\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"},
			"tools:\n  allow: [\n    read, # files ]\n    write,\n    exec\n  ]\n"},
		"JSON": {
			"openclaw.json", "{\n  // tools\n  \"tools\": {\n    \"allow\": [\"read\"]\n  }\n}\n", addRule,
			"{\n  // tools\n  \"tools\": {\n    \"allow\": [\"read\"],\n    \"exec\": {\"rules\":[" + asJSON + "]}\n  }\n}\n"},
		"JSON with a comma at the end": {
			"openclaw.json", "{\"tools\": {\"allow\": [\n  \"read\",\n]}}", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"},
			"{\"tools\": {\"allow\": [\n  \"read\",\n  \"exec\"\n]}}"},
		"an agent of a list, with exec under tools": {
			"config.yaml", "agents:\n  list:\n    - id: Main\n      tools:\n        exec:\n          ask: off\n", config.Edit{Op: config.Add, Path: "agents.main.exec.rules", Value: rule},
			"agents:\n  list:\n    - id: Main\n      tools:\n        exec:\n          ask: off\n          rules:\n            - " + written + "\n"},
		"an agent of the entries, with exec under tools": {
			"openclaw.json", "{\"agents\": {\"entries\": {\"Main\": {\"tools\": {\"exec\": {\"mode\": \"allowlist\"}}}}}}", config.Edit{Op: config.Add, Path: "agents.main.exec.rules", Value: rule},
			"{\"agents\": {\"entries\": {\"Main\": {\"tools\": {\"exec\": {\"mode\": \"allowlist\", \"rules\": [" + asJSON + "]}}}}}}"},
		"a scalar is replaced": {
			"config.yaml", "tools:\n  exec:\n    constructs:\n      redirect: deny   # closed\n", config.Edit{Op: config.Set, Path: "tools.exec.constructs.redirect", Value: "paths"},
			"tools:\n  exec:\n    constructs:\n      redirect: paths   # closed\n"},
		"a quoted scalar in brackets": {
			"config.yaml", `tools: {exec: {harmlessRedirects: "deny", ask: "off"}}`, config.Edit{Op: config.Set, Path: "tools.exec.harmlessRedirects", Value: "allow"},
			`tools: {exec: {harmlessRedirects: allow, ask: "off"}}`},
		"a scalar that YAML would read otherwise": {
			"config.yaml", "tools:\n  exec: {}\n", config.Edit{Op: config.Set, Path: "tools.exec.ask", Value: "off"},
			"tools:\n  exec: {ask: \"off\"}\n"},
		"ends of lines of another system": {
			"config.yaml", "tools:\r\n  allow:\r\n    - read\r\nagents: {}\r\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"},
			"tools:\r\n  allow:\r\n    - read\r\n    - exec\r\nagents: {}\r\n"},
		"a key with dots": {
			"config.yaml", "tools:\n  byProvider:\n    openai/gpt-5.2:\n      allow: [read]\n", config.Edit{Op: config.Add, Path: "tools.byProvider.openai/gpt-5.2.allow", Value: "exec"},
			"tools:\n  byProvider:\n    openai/gpt-5.2:\n      allow: [read, exec]\n"},
		"a text on several lines at the end": {
			"config.yaml", "tools:\n  exec:\n    rules:\n      - program: git\n        effect: ask\n        why: |\n          one\n          two\nagents: {}\n", addRule,
			"tools:\n  exec:\n    rules:\n      - program: git\n        effect: ask\n        why: |\n          one\n          two\n      - " + written + "\nagents: {}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.Apply(c.file, []byte(c.text), []config.Edit{c.edit})
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got))
		})
	}
}

func TestAnImpossibleEditIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		edit config.Edit
	}{
		"a list where a text is":             {"tools:\n  allow: read\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"}},
		"a key below a list":                 {"tools:\n  allow: [read]\n", config.Edit{Op: config.Set, Path: "tools.allow.x", Value: "exec"}},
		"a text that is not a configuration": {"- a\n", config.Edit{Op: config.Set, Path: "tools.profile", Value: "full"}},
		"a text that cannot be read":         {"tools: [\n", config.Edit{Op: config.Set, Path: "tools.profile", Value: "full"}},
		"a text that looks like a comment":   {"tools:\n  allow:\n    - |\n      a\n      # b\n", config.Edit{Op: config.Add, Path: "tools.allow", Value: "exec"}},
		"a value that cannot be written":     {"tools: {}\n", config.Edit{Op: config.Set, Path: "tools.x", Value: struct{}{}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Apply("config.yaml", []byte(c.text), []config.Edit{c.edit})
			assert.Error(t, err)
		})
	}
}
