package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// firstProblem reads a configuration that must have a problem, and returns the first.
func firstProblem(tb testing.TB, file, text string) gavel.Problem {
	tb.Helper()
	_, problems := newReader(tb).Read(file, []byte(text))
	require.NotEmpty(tb, problems, text)
	for _, problem := range problems {
		assert.NotEmpty(tb, problem.Fix, "every problem says what to do: %s", problem)
	}
	return problems[0]
}

// checkProblems compares the first problem of configurations.
func checkProblems(t *testing.T, cases []struct{ name, text, want string }) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, "config.yaml:"+c.want, firstProblem(t, "config.yaml", c.text).String())
		})
	}
}

func TestProblemsOfAgents(t *testing.T) {
	t.Parallel()
	checkProblems(t, []struct{ name, text, want string }{
		{"agents.entries that are a list", "agents: {entries: [{id: main}]}",
			`1:19: agents.entries: must be a map of agents, not a list`},
		{"an agent in two ways", "agents: {main: {}, entries: {Main: {}}}",
			`1:30: agents.entries.Main: the agent main is already configured on line 1`},
		{"an invalid id in agents.entries", "agents: {entries: {'a b': {}}}",
			`1:20: agents.entries.a b: "a b" is not an agent id`},
		{"an agent whose id is reserved", "agents: {list: [{id: entries}]}",
			`1:22: agents.list[0].id: entries is a reserved word, not an agent id`},
		{"an agent that is called entries", "agents: {entries: {tools: {allow: [read]}}}",
			`1:28: agents.tools.allow: unknown key "allow" (did you mean "agents.tools.tools.allow"?)`},
		{"elevatedDefault belongs to the defaults", "agents: {main: {elevatedDefault: full}}",
			`1:17: agents.main.elevatedDefault: unknown key "elevatedDefault"`},
		{"providers belong under tools.byProvider", "providers: [{tools: {deny: [exec]}}]",
			`1:1: providers: providers is not a key here: the setting is tools.byProvider`},
		{"an agent without an id", "agents: {list: [{tools: {}}]}", `1:17: agents.list[0]: the agent has no id`},
		{"an agent with a blank id", "agents: {list: [{id: ' '}]}", `1:22: agents.list[0].id: the agent's id is blank`},
		{"an id that is a number", "agents: {list: [{id: 7}]}", `1:22: agents.list[0].id: must be a string, not the number 7`},
		{"an invalid id", "agents: {'a b': {}}", `1:10: agents.a b: "a b" is not an agent id`},
		{"an id that is too long", "agents: {" + strings.Repeat("a", 65) + ": {}}",
			"1:10: agents." + strings.Repeat("a", 65) + ": " + `"` + strings.Repeat("a", 60) + `…" is not an agent id`},
		{"a reserved id in the list", "agents: {list: [{id: Defaults}]}", `1:22: agents.list[0].id: defaults is a reserved word, not an agent id`},
		{"an agent twice in the list", "agents:\n  list:\n    - id: main\n    - id: MAIN",
			`4:11: agents.list[1].id: the agent main is already configured on line 3`},
		{"an agent in the list and under its id", "agents:\n  list: [{id: main}]\n  Main: {}",
			`3:3: agents.Main: the agent main is already configured on line 2`},
		{"an id that contradicts its key", "agents: {main: {id: other}}", `1:21: agents.main.id: the id is "other", but the agent is listed under "main" (did you mean "main"?)`},
		{"a misspelt defaults is not an agent", "agents: {default: {}}", `1:10: agents.default: "default" is too similar to defaults to be an agent id here (did you mean "defaults"?)`},
		{"a list of agents that is a map", "agents: {list: {main: {}}}", `1:16: agents.list: must be a list of agents, not a map`},
		{"a listed agent that is not a map", "agents: {list: [main]}", `1:17: agents.list[0]: must be a map with an id, not a string`},
		{"two profiles that differ", "agents: {main: {profile: full, tools: {profile: coding}}}",
			`1:17: agents.main.tools.profile: profile has another value on line 1`},
		{"two exec settings that differ", "agents: {main: {exec: {ask: off}, tools: {exec: {ask: always}}}}",
			`1:50: agents.main.exec.ask: ask has another value on line 1`},
	})
}

func TestProblemsOfKeysAndValues(t *testing.T) {
	t.Parallel()
	checkProblems(t, []struct{ name, text, want string }{
		{"an unknown key names the nearest", "tools:\n  dney: [exec]",
			`2:3: tools.dney: unknown key "dney" (did you mean "deny"?)`},
		{"an unknown key with nothing similar", "tools:\n  zzz: 1", `2:3: tools.zzz: unknown key "zzz"`},
		{"an unknown value names the nearest and all valid ones", "tools: {exec: {ask: allways}}",
			`1:21: tools.exec.ask: "allways" is not a valid value: want off, on-miss or always (did you mean "always"?)`},
		{"a value in another case is not guessed", "tools: {exec: {security: Full}}",
			`1:26: tools.exec.security: "Full" is not a valid value: want deny, allowlist or full (did you mean "full"?)`},
		{"a blank entry", `tools: {allow: ["read", " "]}`, `1:25: tools.allow[1]: is blank`},
		{"an entry of other white space is blank too", "tools: {allow: [\"\\u00a0\\u3000\"]}", `1:17: tools.allow[0]: is blank`},
		{"a blank profile", `tools: {profile: ""}`, `1:18: tools.profile: is blank`},
		{"a string where a list belongs", "tools:\n  deny: read",
			`2:9: tools.deny: must be a list of tool patterns, not a string`},
		{"a list where a map belongs", "tools: [read]", `1:8: tools: must be a map of tool settings, not a list`},
		{"an entry that is not a string", "tools: {deny: [1]}", `1:16: tools.deny[0]: must be a tool pattern, not the number 1`},
		{"a section with nothing in it", "sandboxing: {}\ntools:",
			`2:1: tools: is empty; it must be a map of tool settings`},
		{"a list with nothing in it", "tools:\n  deny:\n", `2:3: tools.deny: is empty; it must be a list of tool patterns`},
		{"a number out of range", "tools: {exec: {timeoutSec: -1}}", `1:28: tools.exec.timeoutSec: is -1, and must be at least 0`},
		{"a depth that is not whole", "agents: {main: {subagents: {maxSpawnDepth: 1.5}}}",
			`1:44: agents.main.subagents.maxSpawnDepth: must be a whole number, not the number 1.5`},
		{"an allowlist entry without a pattern", "tools: {exec: {allowlist: [{id: x}]}}",
			`1:28: tools.exec.allowlist[0]: pattern is missing`},
		{"a blank name of a profile", `tools: {profiles: {" ": [read]}}`, `1:20: tools.profiles. : the name is blank`},
		{"a number that is too large", "tools:\n  verifier: {remember: 3601}",
			`2:24: tools.verifier.remember: is 3601, and must be at most 3600`},
		{"a list that must not be empty", "tools: {verifier: {scope: {include: []}}}", `1:37: tools.verifier.scope.include: is empty`},
		{"forwarding to an unknown channel", "approvals: {exec: {targets: [{channel: pager, to: x}]}}",
			`1:40: approvals.exec.targets[0].channel: "pager" is not a valid value: want slack, discord, telegram or webhook`},
		{"a top-level key that belongs below tools", "timezone: Europe/Berlin",
			`1:1: timezone: unknown key "timezone" (did you mean "tools.timeZone"?)`},
		{"a key that belongs into the section below", "tools:\n  rules: []",
			`2:3: tools.rules: unknown key "rules" (did you mean "tools.exec.rules"?)`},
		{"a key that several sections below have", "tools: {maxBytes: 1}", `1:9: tools.maxBytes: unknown key "maxBytes"`},
		{"a pattern of files without a beginning", "tools: {read: {allow: ['src/**']}}",
			`1:24: tools.read.allow[0]: "src/**" is not a valid value (did you mean "./src/**"?)`},
		{"a pattern of files anywhere", "tools: {read: {deny: ['**/.env']}}",
			`1:23: tools.read.deny[0]: "**/.env" is not a valid value (did you mean "/**/.env"?)`},
		{"a pattern with a variable", "tools: {read: {deny: ['$HOME/x']}}",
			`1:23: tools.read.deny[0]: "$HOME/x" is not a valid value (did you mean "~/x"?)`},
		{"a directory for its files", "tools: {read: {deny: ['/etc/']}}",
			`1:23: tools.read.deny[0]: "/etc/" is not a valid value (did you mean "/etc/**"?)`},
		{"a path of another platform", `tools: {read: {deny: ['C:\x\**']}}`,
			`1:23: tools.read.deny[0]: "C:\\x\\**" is not a valid value`},
		{"a blank session filter", "approvals: {exec: {sessionFilter: ['']}}",
			`1:36: approvals.exec.sessionFilter[0]: is blank`},
		{"a boolean that is a string", "tools: {fs: {workspaceOnly: maybe}}",
			`1:29: tools.fs.workspaceOnly: must be true or false, not a string`},
		{"arguments of an entry are any or a list", "tools: {exec: {allowlist: [{pattern: /bin/x, args: all}]}}",
			`1:52: tools.exec.allowlist[0].args: "all" is not a valid value`},
		{"a name of an option with its value", "tools:\n  exec:\n    rules: [{program: kubectl, options: {-n=prod: any}, effect: ask}]\nagents:\n  main: {}",
			`3:42: tools.exec.rules[0].options.-n=prod: "-n=prod" is not a valid name`},
		{"a top-level key that is similar to a section", "agent: {}", `1:1: agent: unknown key "agent" (did you mean "agents"?)`},
		{"sandbox is similar to sandboxing", "sandbox: {}", `1:1: sandbox: unknown key "sandbox" (did you mean "sandboxing"?)`},
		{"tool is similar to tools", "tool: {}", `1:1: tool: unknown key "tool" (did you mean "tools"?)`},
		{"approval is similar to approvals", "approval: {}", `1:1: approval: unknown key "approval" (did you mean "approvals"?)`},
		{"a blank provider", "tools: {byProvider: {' ': {}}}", `1:22: tools.byProvider: a provider without a name`},
	})
}

func TestProblemsOfSettings(t *testing.T) {
	t.Parallel()
	checkProblems(t, []struct{ name, text, want string }{
		{"an origin without a scheme", "tools: {browser: {allowedOrigins: [github.com]}}",
			`1:36: tools.browser.allowedOrigins[0]: "github.com" is not a valid value`},
		{"a domain with a scheme", "tools: {web_fetch: {allowedDomains: ['https://github.com']}}",
			`1:38: tools.web_fetch.allowedDomains[0]: "https://github.com" is not a valid value`},
		{"a sender without a channel", "tools: {elevated: {allowFrom: ['123']}}",
			`1:32: tools.elevated.allowFrom[0]: "123" is not a valid value`},
		{"a timeout that is too short", "approvals: {exec: {timeout: 5}}",
			`1:29: approvals.exec.timeout: is 5, and must be at least 1000 milliseconds`},
		{"a timeout with a unit", "approvals: {exec: {timeout: 5m}}",
			`1:29: approvals.exec.timeout: must be a number of milliseconds, not a string`},
		{"a fallback that permits everything", "tools: {exec: {askFallback: full}}",
			`1:29: tools.exec.askFallback: full is a value of OpenClaw that Gavel does not offer: it would run a command because nobody answered`},
		{"a mode that does not exist", "tools: {exec: {mode: alow}}",
			`1:22: tools.exec.mode: "alow" is not a valid value: want deny, allowlist, ask, auto or full`},
		{"a relative entry of PATH", "tools: {exec: {pathPrepend: [/x, bin]}}",
			`1:34: tools.exec.pathPrepend[1]: "bin" is not a valid value`},
		{"an empty entry of PATH", "agents: {defaults: {exec: {pathPrepend: ['']}}}",
			`1:42: agents.defaults.exec.pathPrepend[0]: is blank`},
		{"an entry of PATH with a colon", "agents: {main: {exec: {pathPrepend: ['/x:.']}}}",
			`1:38: agents.main.exec.pathPrepend[0]: "/x:." is not a valid value`},
		{"a provider twice", "tools: {byProvider: {openai: {}, OpenAI: {}}}",
			`1:34: tools.byProvider.openai: the provider "openai" occurs twice; the first is on line 1`},
		{"a misspelt tools in a group", "channels: {telegram: {groups: {g: {tool: {deny: [exec]}}}}}",
			`1:36: channels.telegram.groups.g.tool: unknown key "tool" (did you mean "tools"?)`},
		{"a misspelt toolsBySender in a group", "channels: {telegram: {groups: {g: {toolsBySenders: {}}}}}",
			`1:36: channels.telegram.groups.g.toolsBySenders: unknown key "toolsBySenders" (did you mean "toolsBySender"?)`},
		{"a sender twice", "channels: {x: {groups: {g: {toolsBySender: {'id:A': {}, 'id:a': {}}}}}}",
			`1:57: channels.x.groups.g.toolsBySender.id:a: the sender "id:a" occurs twice; the first is on line 1`},
		{"a tool policy where nothing reads it", "channels: {discord: {guilds: {x: {channels: [{tools: {deny: [exec]}}]}}}}",
			`1:47: channels.discord.guilds.x.channels[0].tools: a tool policy in this location is not read`},
		{"a sender's tool policy where nothing reads it", "channels: {telegram: {groups: {g: {topics: {t: {toolsBySender: {}}}}}}}",
			`1:49: channels.telegram.groups.g.topics.t.toolsBySender: a tool policy in this location is not read`},
	})
}

func TestAllProblemsAreReturnedInTheOrderOfTheText(t *testing.T) {
	t.Parallel()
	_, problems := newReader(t).Read("c.yaml", []byte(`agents:
  list:
    - {id: main, tools: {deny: exec}}
  main: {}
tools:
  deny: [""]
  exec: {ask: allways, host: local}
  zzz: 1
  deny: []
agent: {}
`))
	var lines []int
	for _, problem := range problems {
		lines = append(lines, problem.Line)
	}
	assert.Equal(t, []int{3, 4, 6, 7, 7, 8, 9, 10}, lines)
}

func TestTheFixForAStringInPlaceOfAListIsAList(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `write ["read"]`, firstProblem(t, "c.yaml", "tools: {deny: read}").Fix)
}

func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	document := mustRead(t, "c.yaml", "channels: {telegram: {botToken: hunter2}}\nmodels: {key: hunter2}")
	assert.NotContains(t, fmt.Sprint(document.Data, document.Ignored), "hunter2")
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	_, problems := newReader(t).Read("c.yaml", []byte("tools: {deny: ["+strings.Repeat("'',", 5000)+"]}"))
	require.Len(t, problems, maxProblems+1)
	assert.Equal(t, "and 4000 more problems", problems[maxProblems].Message)
}
