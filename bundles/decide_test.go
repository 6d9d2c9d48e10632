package bundles_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/bundle"
	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles/config"
	"gavel/rego"
)

// twins are configurations and calls for which a snapshot and stock OPA must agree.
func twins() (configs map[string]string, calls map[string]string) {
	configs = map[string]string{
		"the shipped default": string(rego.DefaultConfig),
		"agents with lists": `
tools: {profile: full, deny: [tts], alsoAllow: [browser, "mcp__*"], byProvider: {openai: {deny: ["web_*"]}}}
agents:
  defaults: {}
  coder: {profile: coding, tools: {allow: [exec, read, "group:web", lobster], deny: [cron]}, exec: {allowlist: [/usr/bin/*, "~/bin/*"]}}
`,
		"a sandbox": `
sandboxing: {mode: all, workspaceAccess: ro}
tools: {exec: {security: full, ask: "off"}}
agents: {coder: {}, relay: {profile: messaging}}
`,
		"everything is asked about": `
tools: {exec: {security: full, ask: always}}
agents: {defaults: {subagents: {maxSpawnDepth: 2}}}
`,
		"an unconfigured agent": `
agents: {other: {}}
`,
	}
	calls = map[string]string{
		"a plain tool":        toolCall("coder", "read"),
		"a tool of no list":   toolCall("coder", "browser"),
		"an unheard-of tool":  toolCall("coder", "mcp__x__y"),
		"an owner's tool":     `{"agent":{"id":"coder"},"tool":{"name":"cron"},"sender":{"owner":true}}`,
		"a plugin's tool":     `{"agent":{"id":"coder"},"tool":{"name":"lobster"},"environment":{"plugins":{"lobster":["lobster","workflow_tool"]}}}`,
		"a subagent":          `{"agent":{"id":"relay","depth":1,"parents":[{"id":"coder"}]},"tool":{"name":"sessions_send"}}`,
		"a sandboxed agent":   `{"agent":{"id":"coder","sandboxed":true},"tool":{"name":"write"}}`,
		"a model's provider":  `{"agent":{"id":"coder"},"model":{"provider":"OpenAI","id":"gpt-5.2"},"tool":{"name":"web_fetch"}}`,
		"a listed program":    execCall("coder", "wc -l src | head -5"),
		"an unlisted program": execCall("coder", "rg -n TODO src && rm -rf /"),
		"a program at home":   execCall("coder", "mine x"),
		"a wrapped program":   execCall("coder", "env wc -l src"),
		"another one":         execCall("coder", "env A=1 rm -rf /"),
		"an opaque program":   execCall("coder", "env -S wc"),
		"a redirect":          execCall("coder", "wc -l src > out"),
		"a missing program":   execCall("coder", "nosuch"),
		"a loose request":     `{"agent":{"id":"coder"},"tool":{"name":"exec","params":{"command":"wc","security":"full","ask":"off"}}}`,
		"an unknown word":     `{"agent":{"id":"coder"},"tool":{"name":"exec","params":{"command":"wc","security":"loose"}}}`,
		"elevated":            `{"agent":{"id":"coder","sandboxed":true},"tool":{"name":"exec","params":{"command":"wc","elevated":true}}}`,
	}
	return configs, calls
}

// stock evaluates facts with OPA alone: the shipped bundle, a configuration, and no
// frozen part, no index and no words filled in by Go.
func stock(t *testing.T, configuration string) func(gavel.Facts) (effect string, reasons []gavel.Reason) {
	t.Helper()
	loader, err := bundle.NewFSLoader(rego.Policy)
	require.NoError(t, err)
	shipped, err := bundle.NewCustomReader(loader).WithProcessAnnotations(true).Read()
	require.NoError(t, err)
	reader, err := config.NewReader(rego.ConfigSchema)
	require.NoError(t, err)
	document, wrong := reader.Read("config.yaml", []byte(configuration))
	require.Empty(t, wrong)
	data := shipped.Data
	data["config"] = document.Data
	options := []func(*oparego.Rego){oparego.Query("data.gavel.decision.result"), oparego.Store(inmem.NewFromObject(data))}
	for _, file := range shipped.Modules {
		if !isTest(file.Path) {
			options = append(options, oparego.ParsedModule(file.Parsed))
		}
	}
	prepared, err := oparego.New(options...).PrepareForEval(context.Background())
	require.NoError(t, err)
	return func(facts gavel.Facts) (string, []gavel.Reason) {
		text, err := json.Marshal(facts)
		require.NoError(t, err)
		var input any
		require.NoError(t, json.Unmarshal(text, &input))
		results, err := prepared.Eval(context.Background(), oparego.EvalInput(input))
		require.NoError(t, err)
		text, err = json.Marshal(results[0].Expressions[0].Value)
		require.NoError(t, err)
		var result struct {
			Effect  string         `json:"effect"`
			Reasons []gavel.Reason `json:"reasons"`
		}
		require.NoError(t, json.Unmarshal(text, &result))
		return result.Effect, result.Reasons
	}
}

func isTest(name string) bool { return len(name) > 10 && name[len(name)-10:] == "_test.rego" }

func TestASnapshotAndStockOPAGiveTheSameDecisions(t *testing.T) {
	configs, calls := twins()
	for about, configuration := range configs {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			s := load(t, policyDir(t, "config.yaml", configuration))
			byOPA := stock(t, configuration)
			for name, call := range calls {
				facts := factsOf(t, call)
				got := s.Decide(context.Background(), facts, false)
				effect, reasons := byOPA(facts)
				assert.Equal(t, effect, got.Effect.String(), name)
				for i := range got.Reasons {
					got.Reasons[i].Source.File, got.Reasons[i].Source.Line = "", 0
				}
				assert.ElementsMatch(t, reasons, got.Reasons, name)
			}
		})
	}
}

func TestASecondCallOfTheSameContextIsDecidedAlike(t *testing.T) {
	configs, calls := twins()
	s := load(t, policyDir(t, "config.yaml", configs["agents with lists"]))
	for name, call := range calls {
		facts := factsOf(t, call)
		first := s.Decide(context.Background(), facts, false)
		assert.Equal(t, first, s.Decide(context.Background(), facts, false), name)
	}
}

func TestReasonsNameTheLineThatDecided(t *testing.T) {
	dir := policyDir(t, "config.yaml", "tools:\n  profile: full\n  deny:\n    - write\nagents:\n  main: {}\n")
	d := decide(t, load(t, dir), toolCall("main", "write"))
	require.Equal(t, gavel.Deny, d.Effect)
	assert.Equal(t, gavel.Source{Path: "tools.deny", File: "config.yaml", Line: 3, From: "global"}, d.Reasons[0].Source)
	assert.Equal(t, "tools", d.Reasons[0].Layer)
}

func TestAnAllowedCommandComesWithExactlyWhatToExecute(t *testing.T) {
	d := decide(t, load(t, ""), execCall("coder", "wc -l 'a b' | head -5"))
	require.Equal(t, gavel.Allow, d.Effect, d.Reasons)
	assert.Equal(t, &gavel.Exec{Host: "gateway",
		Segments: []gavel.ExecSegment{
			{Argv: []string{"/usr/bin/wc", "-l", "a b"}, By: "allowlist"},
			{Argv: []string{"/usr/bin/head", "-5"}, By: "allowlist"},
		},
		Command: "'/usr/bin/wc' '-l' 'a b' | '/usr/bin/head' '-5'"}, d.Exec)
}

func TestReasonsFollowTheOrderOfTheCommandWithTheToolsOwnLast(t *testing.T) {
	allowed := decide(t, load(t, ""), execCall("coder", "tail -1 a | wc"))
	require.Equal(t, gavel.Allow, allowed.Effect, allowed.Reasons)
	assert.Equal(t, "tools.allowed", allowed.Reasons[len(allowed.Reasons)-1].Code)

	asked := decide(t, load(t, ""), execCall("coder", "rm a && env b"))
	require.Len(t, asked.Reasons, 2)
	assert.Contains(t, asked.Reasons[0].Message, "rm")
	assert.Contains(t, asked.Reasons[1].Message, "b:")
}

func TestADenyHasNothingToExecute(t *testing.T) {
	assert.Nil(t, decide(t, load(t, ""), execCall("coder", "wc > x")).Exec)
}

func TestAnExplanationHasEveryLayerInOrder(t *testing.T) {
	d := load(t, "").Decide(context.Background(), factsOf(t, execCall("coder", "rm x")), true)
	documented := []string{"agent", "guard", "tools", "resources", "exec", "approvals", "elevated", "custom"}
	var names []string // a layer may be added; these stay, in this order
	byName := map[string]gavel.Layer{}
	for _, layer := range d.Layers {
		byName[layer.Layer] = layer
		if slices.Contains(documented, layer.Layer) {
			names = append(names, layer.Layer)
		}
	}
	assert.Equal(t, documented, names)
	assert.True(t, byName["tools"].Permit)
	assert.False(t, byName["exec"].Permit)
	assert.Equal(t, "exec.allowlist_miss", byName["exec"].Reasons[0].Code)
	assert.Equal(t, &gavel.Span{Start: 0, End: 4}, byName["exec"].Reasons[0].Span)
}

func TestAnExpiredContextDeniesWithItsOwnCode(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	d := load(t, "").Decide(ctx, factsOf(t, toolCall("coder", "read")), false)
	assert.Equal(t, gavel.Deny, d.Effect)
	assert.Equal(t, []string{gavel.CodeEvaluationTimeout}, codes(d))
}

func TestToolsSaysWhichStepRemovedATool(t *testing.T) {
	dir := policyDir(t, "config.yaml", `
tools: {profile: coding}
agents:
  main: {tools: {deny: [write]}}
`)
	report := load(t, dir).Tools(context.Background(), factsOf(t, `{"agent":{"id":"main"}}`))
	require.Empty(t, report.Reasons)
	byName := map[string]gavel.ToolVerdict{}
	for _, verdict := range report.Tools {
		byName[verdict.Name] = verdict
	}
	assert.True(t, byName["read"].Visible)
	assert.False(t, byName["write"].Visible)
	assert.Equal(t, "agents.main.tools.allow", byName["write"].Step)
	assert.Equal(t, "agents.main.tools.deny", byName["write"].Reason.Source.Path)
	assert.Equal(t, 4, byName["write"].Reason.Source.Line)
	assert.Equal(t, "tools.profile (coding)", byName["browser"].Step)
	assert.Equal(t, "owner only", byName["cron"].Step)
}

func TestToolsOfAnUnknownAgentAreNotVisible(t *testing.T) {
	dir := policyDir(t, "config.yaml", "agents: {main: {}}\n")
	report := load(t, dir).Tools(context.Background(), factsOf(t, `{"agent":{"id":"ghost"}}`))
	require.Len(t, report.Reasons, 1)
	assert.Equal(t, "agent.unknown", report.Reasons[0].Code)
	for _, verdict := range report.Tools {
		assert.False(t, verdict.Visible, verdict.Name)
	}
}

func TestAPluginOnlyAllowListIsReportedWithAllThreeFields(t *testing.T) {
	dir := policyDir(t, "config.yaml", "tools: {allow: [lobster]}\nagents: {main: {}}\n")
	report := load(t, dir).Tools(context.Background(),
		factsOf(t, `{"agent":{"id":"main"},"environment":{"plugins":{"lobster":["lobster","workflow_tool"]}}}`))
	require.Len(t, report.Allowlists, 1)
	assert.Equal(t, gavel.AllowlistResolution{Step: "tools.allow",
		Source: gavel.Source{Path: "tools.allow", File: "config.yaml", Line: 1},
		Policy: []string{}, UnknownAllowlist: []string{}, StrippedAllowlist: true}, report.Allowlists[0])
}
