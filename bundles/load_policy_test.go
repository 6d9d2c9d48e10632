package bundles_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

const plainConfig = "tools: {profile: full}\nagents: {main: {}}\n"

// checkUnusable checks that policies are refused, and that one of the problems contains a text.
func checkUnusable(t *testing.T, cases map[string]struct {
	files []string
	want  string // part of one of the problems
}) {
	t.Helper()
	for about, c := range cases {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			var all []string
			for _, p := range problemsOf(t, policyDir(t, c.files...)) {
				all = append(all, p.String())
			}
			assert.Contains(t, strings.Join(all, "\n"), c.want)
		})
	}
}

func TestAnUnusableConfigurationSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	checkUnusable(t, map[string]struct {
		files []string
		want  string // part of one of the problems
	}{
		"an unknown profile": {[]string{"config.yaml", "tools:\n  profile: codng\nagents: {main: {}}\n"},
			`config.yaml:2:3: tools.profile: unknown profile "codng" (did you mean "coding"?)`},
		"an unknown group": {[]string{"config.yaml", "tools:\n  deny:\n    - group:filesystem\n    - group:rutime\nagents: {main: {}}\n"},
			`config.yaml:4:7: tools.deny[1]: unknown group "group:rutime" (did you mean "group:runtime"?)`},
		"a misspelt tool in a global list": {[]string{"config.yaml", "tools: {deny: [wirte]}\nagents: {main: {}}\n"},
			`config.yaml:1:16: tools.deny[0]: unknown tool "wirte" (did you mean "write"?)`},
		"a misspelt tool in a list of an agent": {[]string{"config.yaml", "agents:\n  main:\n    tools: {allow: [raed]}\n"},
			`config.yaml:3:21: agents.main.tools.allow[0]: unknown tool "raed" (did you mean "read"?)`},
		"an unknown key": {[]string{"config.yaml", "tools: {dney: [write]}\n"}, `tools.dney`},
		"no configuration at all": {[]string{"custom/x.rego", "package custom.x\n"},
			"the policy has no configuration"},
		"two configurations": {[]string{"config.yaml", plainConfig, "openclaw.json", "{}"},
			"more than one configuration"},
		"a rule that denies an empty map of options": {[]string{"config.yaml",
			"tools:\n  exec:\n    rules: [{program: git, options: {}, effect: deny}]\nagents: {main: {}}\n"},
			`config.yaml:3:37: tools.exec.rules[0].options: is empty`},
		"an unknown time zone": {[]string{"config.yaml", "tools: {timeZone: Europe/Berlni}\nagents: {main: {}}\n"},
			`config.yaml:1:9: tools.timeZone: unknown time zone "Europe/Berlni"`},
		"the time zone of the machine": {[]string{"config.yaml", "tools: {timeZone: Local}\nagents: {main: {}}\n"},
			`tools.timeZone: unknown time zone "Local"`},
		"JSON data with a duplicate key": {[]string{"data.json",
			"{\"config\": {\"tools\": {\"deny\": [\"read\"]}, \"agents\": {\"main\": {}}, \"tools\": {}}}"}, "data.json: "},
		"YAML data with a duplicate key": {[]string{"data.yaml",
			"config:\n  tools: {deny: [read]}\n  agents: {main: {}}\n  tools: {}\n"}, "data.yaml: "},
		"data under a reserved key": {[]string{"config.yaml", plainConfig, "gavel/data.yaml", "x: 1\n"},
			`"gavel", which is reserved for Gavel`},
	})
}

func TestRegoThatDoesNotCompileSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	checkUnusable(t, map[string]struct {
		files []string
		want  string // part of one of the problems
	}{
		"Rego that nothing reads": {[]string{"config.yaml", plainConfig, "x.rego", "package mine\n\nallow := true\n"},
			"x.rego:1:1: nothing reads package mine"},
		"Rego that does not parse": {[]string{"config.yaml", plainConfig, "custom/x.rego", "package custom.x\n\ndeny contains {\n"},
			"custom/x.rego:4"},
		"Rego that does not compile": {[]string{"config.yaml", plainConfig, "custom/x.rego", "package custom.x\n\ndeny contains x if y\n"},
			"custom/x.rego:3"},
		"a rule that reaches for the network": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom.x\n\ndeny contains \"no\" if http.send({\"method\": \"get\", \"url\": \"http://x\"}).status_code == 200\n"},
			"undefined function http.send"},
		"a rule that reads the clock": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom.x\n\ndeny contains \"late\" if time.now_ns() > 0\n"}, "undefined function time.now_ns"},
		"a rule that reads the environment": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom.x\n\ndeny contains \"x\" if opa.runtime().env.HOME\n"}, "undefined function opa.runtime"},
		"a misspelt fact in an annotated package": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"# METADATA\n# schemas:\n#   - input: schema.facts\npackage custom.x\n\ndeny contains \"x\" if input.tool.nmae == \"read\"\n"}, "nmae"},
		"a misspelt fact in a package without annotation": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom.x\n\ndeny contains \"x\" if input.tool.nmae == \"read\"\n"}, `(did you mean "name"?)`},
		"a misspelt fact in a sub-package that another package annotates": {[]string{"config.yaml", plainConfig,
			"custom/a.rego", "# METADATA\n# scope: subpackages\n# title: Ours\npackage custom\n\nx := 1\n",
			"custom/b.rego", "package custom.a.b.c\n\ndeny contains \"x\" if input.agent.idd == \"x\"\n"}, `(did you mean "id"?)`},
		"a comparison that never holds": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom.x\n\ndeny contains \"x\" if input.agent.id == 3\n"}, "can never be equal: one is string, the other number"},
		"rules that are recursive": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom.x\n\ndeny contains \"x\" if y\n\ny if z\n\nz if y\n"}, "recursive"},
		"tests that are recursive": {[]string{"config.yaml", plainConfig, "custom/x_test.rego",
			"package custom.x_test\n\ntest_a if test_b\n\ntest_b if test_a\n"}, "custom/x_test.rego:3:1: rego_recursion_error"},
		"a test that fails": {[]string{"config.yaml", plainConfig, "custom/x_test.rego",
			"package custom.x_test\n\ntest_no if false\n"}, "test data.custom.x_test.test_no fails"},
		"a file whose name is in the wrong case": {[]string{"config.yaml", plainConfig, "custom/X.REGO", "package custom.x\n"},
			"its name has the wrong case"},
		"a package outside the roots of the manifest": {[]string{"config.yaml", plainConfig, ".manifest", `{"roots": ["custom/a"]}`,
			"custom/a.rego", "package custom.a\n\nx := 1\n", "custom/b.rego", "package custom.b\n\nx := 1\n"},
			`do not permit "package custom.b"`},
		"a replaced gavel root without a result": {[]string{"config.yaml", plainConfig, "gavel/x.rego", "package gavel.x\n\ny := 1\n"},
			"no rule data.gavel.decision.result"},
	})
}

func TestRegoThatNothingReadsSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	checkUnusable(t, map[string]struct {
		files []string
		want  string // part of one of the problems
	}{
		"a misspelt objection": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom.x\n\ndenny contains \"x\" if input.agent.id == \"x\"\n"}, `no rule reads custom.x.denny (did you mean "deny"?)`},
		"a misspelt mask": {[]string{"config.yaml", plainConfig, "mask.rego",
			"package system.log\n\nmsk contains \"/input/tool/params\"\n"}, `no rule reads system.log.msk (did you mean "mask"?)`},
		"a rule that only OPA's decision log reads": {[]string{"config.yaml", plainConfig, "mask.rego",
			"package system.log\n\ndrop if input.result\n"}, "no rule reads system.log.drop"},
		"a mask with a path that no decision has": {[]string{"config.yaml", plainConfig, "mask.rego",
			"package system.log\n\nmask contains {\"op\": \"remove\", \"path\": \"/inptu/tool\"}\n"}, `mask.rego:3:1: the location "/inptu/tool" is not part of a decision`},
		"an objection in a package that is nested too deeply": {[]string{"config.yaml", plainConfig, "custom/a.rego",
			"package custom.a.b.c.d\n\ndeny contains \"x\"\n"}, "nested too deeply"},
		"an objection inside a nested rule name": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom\n\nblock.deny contains \"no\"\n"}, "custom/x.rego:3:1: nothing evaluates the rule block.deny"},
		"an objection that is a function": {[]string{"config.yaml", plainConfig, "custom/x.rego",
			"package custom.x\n\ndeny(x) := \"no\" if x\n"}, "custom/x.rego:3:1: deny is a function, and nothing calls it"},
		"an objection in a test file": {[]string{"config.yaml", plainConfig, "custom/block_test.rego",
			"package custom.block\n\ndeny contains \"no\"\n"}, "custom/block_test.rego:3:1: the rule is in a test file"},
	})
}

func TestProblemsAreReportedForEveryModule(t *testing.T) {
	t.Parallel()
	problems := problemsOf(t, policyDir(t, "config.yaml", plainConfig, "custom/a.rego", "package custom.a\n\nx if {\n",
		"custom/b.rego", "package custom.b\n\nx := 1\n", "custom/c.rego", "package custom.c\n\nx := [\n"))
	var named []string
	for _, p := range problems {
		named = append(named, p.File)
	}
	assert.Equal(t, []string{"custom/a.rego", "custom/c.rego"}, slices.Compact(named))
}

func TestTheManifestCanChooseTheVersionOfRego(t *testing.T) {
	t.Parallel()
	files := []string{"config.yaml", plainConfig, "custom/a.rego", "package custom.a\n\ndeny[\"no\"] { input.tool.name == \"read\" }\n"}
	assert.NotEmpty(t, problemsOf(t, policyDir(t, files...)))
	snapshot, err := bundles.Load(t.Context(), shipped(policyDir(t, append(files, ".manifest", `{"rego_version": 0}`)...)))
	require.NoError(t, err)
	assert.Equal(t, gavel.Deny, snapshot.Decide(t.Context(), factsOf(t, toolCall("main", "read")), false).Effect)
}

func TestAMissingPolicyIsAnErrorWithAFix(t *testing.T) {
	problems := problemsOf(t, filepath.Join(t.TempDir(), "nowhere"))
	assert.Equal(t, "there is no such file or directory", problems[0].Message)
	assert.Contains(t, problems[0].Fix, "gavel init")
}

func testFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(name, "_test.rego") {
			names = append(names, name)
		}
		return err
	}))
	return names
}

func TestLinkedDirectoriesArePartOfThePolicy(t *testing.T) {
	dir := policyDir(t, "..data/config.yaml", plainConfig, "..data/custom/x.rego", "package custom.x\n\ndeny contains \"x\"\n")
	for _, name := range []string{"config.yaml", "custom"} {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
	}
	assert.Equal(t, gavel.Deny, decide(t, load(t, dir), toolCall("main", "read")).Effect)

	require.NoError(t, os.Symlink("..", filepath.Join(dir, "..data", "custom", "up")))
	assert.Contains(t, problemsOf(t, dir)[0].Message, "has a link to one of its parents")
}

func TestAPolicyThatIsTooLargeIsRefused(t *testing.T) {
	for about, c := range map[string]struct {
		files int
		size  int64
		want  string
	}{
		"one file":     {1, 16<<20 + 1, "is larger than 16 MiB"},
		"all together": {5, 14 << 20, "more than 10000 files or 64 MiB"},
	} {
		dir := policyDir(t, "config.yaml", plainConfig)
		for i := range c.files {
			name := filepath.Join(dir, strings.Repeat("x", i+1)+".rego")
			writeFile(t, name, "")
			require.NoError(t, os.Truncate(name, c.size))
		}
		assert.Contains(t, problemsOf(t, dir)[0].Message, c.want, about)
	}
}

func TestTheRevisionDependsOnTheContentOnly(t *testing.T) {
	first := load(t, policyDir(t, "config.yaml", plainConfig))
	assert.Equal(t, first.Revision(), load(t, policyDir(t, "config.yaml", plainConfig)).Revision())
	assert.NotEqual(t, first.Revision(), load(t, policyDir(t, "config.yaml", plainConfig+"# more\n")).Revision())
	assert.Len(t, first.Revision(), 64)
}

func TestMaskRulesAreReadAsOPAReadsThem(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", plainConfig, "mask.rego", `package system.log

mask contains "/input/tool/params/secret"

mask contains {"op": "upsert", "path": "/input/agent/id", "value": "x"} if input.input.agent.id == "main"
`))
	rules, err := s.Mask(context.Background(), map[string]any{"input": map[string]any{"agent": map[string]any{"id": "main"}}})
	require.NoError(t, err)
	assert.ElementsMatch(t, []gavel.MaskRule{{Op: "remove", Path: "/input/tool/params/secret"},
		{Op: "upsert", Path: "/input/agent/id", Value: "x"}}, rules)
	none, err := load(t, "").Mask(context.Background(), map[string]any{})
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestAPolicysTestsAreReportedWithCoverage(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig,
		"custom/x.rego", "package custom.x\n\ndeny contains \"a\" if input.tool.name == \"a\"\n\ndeny contains \"b\" if {\n\tinput.tool.name == \"b\"\n\tinput.agent.id == \"c\"\n}\n",
		"custom/x_test.rego", "package custom.x_test\n\nimport data.custom.x\n\ntest_a if \"a\" in x.deny with input as {\"tool\": {\"name\": \"a\"}}\n\ntest_wrong if \"b\" in x.deny with input as {\"tool\": {\"name\": \"a\"}}\n")
	report, err := bundles.Test(context.Background(), shipped(dir))
	require.NoError(t, err)
	require.Len(t, report.Tests, 2)
	assert.True(t, report.Tests[0].Pass)
	assert.Equal(t, "custom.x_test.test_a", report.Tests[0].Name)
	assert.False(t, report.Tests[1].Pass)
	assert.Equal(t, 7, report.Tests[1].Line)
	assert.Greater(t, report.Coverage, 0.0)
	assert.Less(t, report.Coverage, 100.0)
}

func TestASnapshotSaysWhetherItHasMaskRules(t *testing.T) {
	t.Parallel()
	assert.False(t, load(t, "").Masks())
	assert.True(t, load(t, policyDir(t, "config.yaml", "agents: {main: {}}\n",
		"mask.rego", "package system.log\n\nmask contains \"/input/tool/params\"\n")).Masks())
}

func TestARuleThatReadsTheTimeIsEvaluatedAtEachTime(t *testing.T) {
	t.Parallel()
	s := load(t, policyDir(t, "config.yaml", plainConfig, "custom/x.rego",
		"package custom.x\n\ndeny contains \"early\" if input.time.clock < \"09:00\"\n"))
	facts := factsOf(t, toolCall("main", "read"))
	for _, c := range []struct {
		at   string
		want gavel.Effect
	}{{"2026-11-22T08:59:59Z", gavel.Deny}, {"2026-11-22T09:00:00Z", gavel.Allow}, {"2026-11-23T08:00:00Z", gavel.Deny},
		{"2026-11-23T08:00:00-02:00", gavel.Allow}, {"", gavel.Deny}} {
		facts.Time.At = c.at
		assert.Equal(t, c.want, s.Decide(t.Context(), facts, false).Effect, c.at)
		assert.Equal(t, c.want, s.Decide(t.Context(), facts, true).Effect, c.at)
	}
}

func TestATimeThatNoRuleReadsIsNotPartOfTheCacheKey(t *testing.T) {
	t.Parallel()
	store, err := bundles.Open(t.Context(), shipped(policyDir(t, "config.yaml", plainConfig)))
	require.NoError(t, err)
	facts := factsOf(t, toolCall("main", "read"))
	for _, at := range []string{"2026-11-22T09:00:00Z", "2026-11-22T09:00:01Z", "2026-11-22T09:00:02Z"} {
		facts.Time.At = at
		store.Current().Decide(t.Context(), facts, false)
	}
	assert.Equal(t, uint64(2), store.Status().Remembered)
}
