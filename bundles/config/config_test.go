package config

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newReader returns a reader with the shipped schema.
func newReader(tb testing.TB) *Reader {
	tb.Helper()
	schema, err := os.ReadFile("../../rego/schema/config.json")
	require.NoError(tb, err)
	reader, err := NewReader(schema)
	require.NoError(tb, err)
	return reader
}

// mustRead reads a configuration that must have no problems.
func mustRead(tb testing.TB, file, text string) *Document {
	tb.Helper()
	document, problems := newReader(tb).Read(file, []byte(text))
	require.Empty(tb, problems)
	require.NotNil(tb, document)
	return document
}

// asJSON returns the canonical data as JSON.
func asJSON(tb testing.TB, document *Document) string {
	tb.Helper()
	text, err := json.Marshal(document.Data)
	require.NoError(tb, err)
	return string(text)
}

// formatCase is one configuration in every format, and what it means as JSON.
type formatCase struct{ name, yaml, json, json5, want string }

func formatCases() []formatCase {
	return []formatCase{
		{
			name:  "an empty map is a configuration",
			yaml:  `{}`,
			json:  `{}`,
			json5: `// nothing yet` + "\n{}",
			want:  `{}`,
		},
		{
			name:  "lists, enums and numbers",
			yaml:  "tools:\n  allow: [read, 'group:fs']\n  exec:\n    ask: off\n    timeoutSec: 1800\n    notifyOnExit: true\n",
			json:  `{"tools":{"allow":["read","group:fs"],"exec":{"ask":"off","timeoutSec":1.8e3,"notifyOnExit":true}}}`,
			json5: `{tools: {allow: ['read', "group:fs",], exec: {ask: 'off', timeoutSec: +1800., notifyOnExit: true,}}, /* end */}`,
			want:  `{"tools":{"allow":["read","group:fs"],"exec":{"ask":"off","timeoutSec":1800,"notifyOnExit":true}}}`,
		},
		{
			name:  "agents as a map and as a list are the same",
			yaml:  "agents:\n  Main:\n    tools: {deny: [browser]}\n",
			json:  `{"agents":{"list":[{"id":" main ","tools":{"deny":["browser"]}}]}}`,
			json5: `{agents: {MAIN: {id: 'main', tools: {deny: ['browser']}}}}`,
			want:  `{"agents":{"main":{"tools":{"deny":["browser"]}}}}`,
		},
		{
			name:  "a profile next to tools and one inside are the same",
			yaml:  "agents: {main: {profile: coding}}",
			json:  `{"agents":{"main":{"tools":{"profile":"coding"}}}}`,
			json5: `{agents: {list: [{id: 'main', profile: 'coding', tools: {profile: 'coding'}}]}}`,
			want:  `{"agents":{"main":{"tools":{"profile":"coding"}}}}`,
		},
		{
			name:  "exec settings next to tools and inside are merged",
			yaml:  "agents: {main: {exec: {security: full, ask: always}}}",
			json:  `{"agents":{"main":{"tools":{"exec":{"security":"full","ask":"always"}}}}}`,
			json5: `{agents: {main: {exec: {security: 'full'}, tools: {exec: {security: 'full', ask: 'always'}}}}}`,
			want:  `{"agents":{"main":{"exec":{"security":"full","ask":"always"}}}}`,
		},
		{
			name:  "the presence of an empty exec section survives",
			yaml:  "tools: {exec: {}}\nagents: {defaults: {}, main: {tools: {exec: {}}}}",
			json:  `{"tools":{"exec":{}},"agents":{"defaults":{},"main":{"exec":{}}}}`,
			json5: `{tools: {exec: {}}, agents: {defaults: {}, list: [{id: "main", exec: {}}]}}`,
			want:  `{"tools":{"exec":{}},"agents":{"defaults":{},"main":{"exec":{}}}}`,
		},
		{
			name:  "ids are trimmed and in lower case, but those of groups only trimmed",
			yaml:  "tools: {byProvider: {' OpenAI/GPT-5.2 ': {deny: [exec]}}}\nchannels: {Telegram: {accounts: {Bot: {groups: {' G1 ': {toolsBySender: {'ID:Alice': {allow: [read]}}}}}}}}",
			json:  `{"tools":{"byProvider":{"openai/gpt-5.2":{"deny":["exec"]}}},"channels":{"telegram":{"accounts":{"bot":{"groups":{"G1":{"toolsBySender":{"id:alice":{"allow":["read"]}}}}}}}}}`,
			json5: `{tools: {byProvider: {'openai/gpt-5.2': {deny: ['exec']}}}, channels: {telegram: {accounts: {bot: {token: 'x', groups: {G1: {requireMention: true, toolsBySender: {"id:alice": {allow: ['read']}}}}}}}}}`,
			want:  `{"tools":{"byProvider":{"openai/gpt-5.2":{"deny":["exec"]}}},"channels":{"telegram":{"accounts":{"bot":{"groups":{"G1":{"toolsBySender":{"id:alice":{"allow":["read"]}}}}}}}}}`,
		},
	}
}

func TestEveryFormatGivesTheSameData(t *testing.T) {
	t.Parallel()
	for _, c := range formatCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for file, text := range map[string]string{"c.yaml": c.yaml, "c.yml": c.yaml, "c.json": c.json, "c.json5": c.json5} {
				assert.JSONEq(t, c.want, asJSON(t, mustRead(t, file, text)), file)
			}
		})
	}
}

func TestAgentsInEntriesAreAgents(t *testing.T) {
	t.Parallel()
	document := mustRead(t, "openclaw.json", `{agents: {entries: {Main: {tools: {exec: {mode: "ask"}, toolsBySender: {"ID:7": {}}}}}, defaults: {}}}`)
	assert.JSONEq(t, `{"agents":{"main":{"exec":{"mode":"ask"},"tools":{"toolsBySender":{"id:7":{}}}},"defaults":{}}}`, asJSON(t, document))
	assert.Equal(t, []string{"agents.entries", "agents.main.tools.toolsBySender", "agents.main.exec.mode"}, document.Newer)
	line, column, ok := document.Locate("agents.main.exec.mode")
	assert.Equal(t, []any{1, 43, true}, []any{line, column, ok})
	assert.Empty(t, mustRead(t, "config.yaml", "agents: {main: {exec: {ask: off}}}").Newer)
}

// The text is the example in OpenClaw's reference (CONFIG-1).
func TestTheExampleOfTheReferenceIsRead(t *testing.T) {
	t.Parallel()
	document := mustRead(t, "config.yaml", `tools:
  allow: []
  deny: []
  exec:
    host: gateway
    security: allowlist
    ask: on-miss
    askFallback: deny
    strictInlineEval: false
    autoAllowSkills: true
    pathPrepend: []
    safeBins: []
    allowlist:
      - ~/Projects/**/bin/rg
      - {id: uuid-v4, pattern: /usr/bin/jq, args: any, lastUsedAt: 1737150000000}
    applyPatch: {enabled: true, allowModels: ["gpt-5.2"], impliedBy: exec}
  subagents: {tools: {deny: [memory_get]}}
  sandbox: {tools: {alsoAllow: [browser]}}
  profiles: {reader: [read, "group:web"]}
  pluginOnlyAllowlist: enforce
  fs: {workspaceOnly: false}
agents:
  main:
    profile: full
    tools:
      allow: ["group:fs", "exec"]
      deny: ["browser"]
      byProvider: {OpenAI: {profile: coding, deny: [exec]}}
    sandbox:
      enabled: true
      mode: non-main
      backend: docker
      alsoAllow: ["web_search"]
      docker: {anything: [1, {goes: here}]}
    subagents: {maxSpawnDepth: 2}
sandboxing:
  mode: non-main
  backend: docker
  scope: session
  workspaceAccess: rw
  docker: {image: "ubuntu:22.04", memoryMb: 512, cpus: 1.0, network: none}
approvals: {}
`)
	assert.Empty(t, document.Ignored)
	agents := document.Data["agents"].(map[string]any)
	tools := agents["main"].(map[string]any)["tools"].(map[string]any)
	assert.Equal(t, "full", tools["profile"])
	assert.Contains(t, tools["byProvider"], "openai")
	docker := document.Data["sandboxing"].(map[string]any)["docker"].(map[string]any)
	assert.Equal(t, json.Number("1"), docker["cpus"], "1.0 and 1 are the same")
}

// openclaw has what people write into an openclaw.json: comments, keys without quotes, single
// quotes, trailing commas, and many sections that Gavel ignores.
const openclaw = `// ~/.openclaw/openclaw.json
{
  "$schema": "gavel:config",
  meta: { lastTouchedVersion: '2026.1.1' },
  gateway: { port: 18789, auth: { token: 'secret' } },
  models: { providers: { openai: { apiKey: "secret" } } },
  agents: {
    defaults: {
      workspace: "~/.openclaw/workspace",
      model: { primary: 'openai/gpt-5.2' },
      subagents: { maxConcurrent: 8, maxSpawnDepth: 2 },
    },
    list: [
      {
        id: 'main',
        default: true,
        identity: { name: 'Clawd', emoji: "\uD83E\uDD9E" }, /* a crab */
      },
    ],
  },
  tools: { profile: 'coding', deny: ['browser',], }, // trailing commas
  channels: {
    telegram: { botToken: 'secret', groups: { '*': { requireMention: true }, "-100123": { tools: { deny: ['exec'] } } } },
    modelByChannel: { slack: { C1: 'openai/gpt-5.2' } },
  },
  myOwnSection: [1, 2, 3],
}
`

func TestAnOpenClawFileIsReadAsItIs(t *testing.T) {
	t.Parallel()
	document := mustRead(t, "openclaw.json", openclaw)
	assert.JSONEq(t, `{
		"tools": {"profile": "coding", "deny": ["browser"]},
		"agents": {"defaults": {"subagents": {"maxSpawnDepth": 2}}, "main": {"default": true}},
		"channels": {"modelbychannel": {}, "telegram": {"groups": {"*": {}, "-100123": {"tools": {"deny": ["exec"]}}}}}
	}`, asJSON(t, document))
	assert.Equal(t, []string{
		"$schema", "agents.defaults.model", "agents.defaults.subagents.maxConcurrent", "agents.defaults.workspace",
		"agents.main.identity", "channels.modelbychannel.slack", "channels.telegram.botToken",
		"channels.telegram.groups.*.requireMention", "gateway", "meta", "models", "myOwnSection",
	}, document.Ignored)
}

func TestLocationsSurviveCanonicalization(t *testing.T) {
	t.Parallel()
	document := mustRead(t, "config.yaml", `tools:
  byProvider:
    OpenAI/gpt-5.2:
      allow:
        - read
agents:
  list:
    - id: Main
      profile: coding
      tools:
        deny: [exec, write]
        exec:
          ask: always
      exec:
        allowlist:
          - pattern: /bin/ls
`)
	for path, want := range map[string]string{
		"tools":                           "1:1",
		"tools.byProvider.openai/gpt-5.2": "3:5",
		"tools.byProvider.openai/gpt-5.2.allow[0]": "5:11",
		"agents.main":                                   "8:7",
		"agents.main.tools.profile":                     "9:7",
		"agents.main.tools.deny":                        "11:9",
		"agents.main.tools.deny[1]":                     "11:22",
		"agents.main.exec.ask":                          "13:11",
		"agents.main.exec.allowlist[0]":                 "16:13",
		"agents.main.exec.allowlist[0].pattern":         "16:13",
		"":                                              "none",
		"agents.list":                                   "none",
		"agents.main.profile":                           "none",
		"agents.main.tools.exec":                        "none",
		"agents.main.tools.deny[2]":                     "none",
		"agents.main.tools.deny[01]":                    "none",
		"agents.main.tools.deny[-1]":                    "none",
		"agents.main.tools.deny.0":                      "none",
		"agents.main.toolsdeny":                         "none",
		"agents[0]":                                     "none",
		"tools.byProvider.openai/gpt-5.2.allow[0].more": "none",
	} {
		line, column, ok := document.Locate(path)
		got := "none"
		if ok {
			got = fmt.Sprintf("%d:%d", line, column)
		}
		assert.Equal(t, want, got, path)
	}
	_, _, ok := (*Document)(nil).Locate("tools")
	assert.False(t, ok, "a nil document has no locations")
}

func TestColumnsCountCharacters(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"c.yaml": `{"tools": {"profiles": {"äöü": ["read"], "b": ["exec"]}}}`,
		"c.json": "\ufeff" + `{"tools": {"profiles": {"äöü": ["read"], "b": ["exec"]}}}`,
	} {
		line, column, ok := mustRead(t, file, text).Locate("tools.profiles.b[0]")
		require.True(t, ok, file)
		assert.Equal(t, []int{1, 48}, []int{line, column}, file)
	}
}

func TestAnInvalidSchemaIsRefused(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"invalid JSON":        `{`,
		"another $id":         `{"$id": "gavel:facts"}`,
		"an invalid keyword":  `{"$id": "gavel:config", "type": "strnig"}`,
		"a reference outside": `{"$id": "gavel:config", "$ref": "file:///etc/passwd"}`,
		"a dangling $ref":     `{"$id": "gavel:config", "$ref": "#/definitions/none"}`,
	} {
		_, err := NewReader([]byte(schema))
		require.Error(t, err, name)
		assert.ErrorContains(t, err, "schema of the configuration", name)
	}
}
