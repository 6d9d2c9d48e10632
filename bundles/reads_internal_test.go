package bundles

import (
	"reflect"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/rego"
)

// What the policy's own Rego reads decides what it must be given. What is not plainly
// something else may be everything.
func TestWhatOwnRegoMayRead(t *testing.T) {
	t.Parallel()
	none, words, all := reads{}, reads{withheld: true}, reads{withheld: true, params: true, time: true}
	params, clock := reads{withheld: true, params: true}, reads{time: true}
	for name, c := range map[string]struct {
		rego string
		want reads
	}{
		"nothing":                   {`deny contains "no" if 1 == 2`, none},
		"the tool's name":           {`deny contains "no" if input.tool.name == "x"`, none},
		"the agent, of several":     {`deny contains "no" if { some p in input.agent.parents; p.id == "x" }`, none},
		"a member of the sender":    {`deny contains "no" if input.sender[_] == "x"`, none},
		"the configuration":         {`deny contains "no" if data.config.tools`, none},
		"what the request asks for": {`deny contains "no" if input.exec.request.elevated`, none},
		"a rule of its own":         {"deny contains \"no\" if data.custom.rules.evening\n\nevening if input.environment.cwd == \"/\"", none},
		"a name in brackets":        {`deny contains "no" if input["tool"]["name"] == "x"`, none},

		"the command":               {`deny contains "no" if input.exec.command == "x"`, words},
		"segments":                  {`deny contains "no" if { some s in input.exec.segments; "x" in s.argv }`, words},
		"exec":                      {`deny contains "no" if input.exec`, words},
		"the files of the tool":     {`deny contains "no" if input.resources`, words},
		"the session's key":         {`deny contains "no" if input.session.key == "x"`, words},
		"the session":               {`deny contains "no" if input.session`, words},
		"what is not a fact":        {`deny contains "no" if input["no such fact"]`, words},
		"the frozen part":           {`deny contains "no" if input.frozen`, words},
		"in a comprehension":        {`deny contains "no" if count([x | x := input.exec.command]) > 0`, words},
		"in every":                  {`deny contains "no" if every x in [1] { input.exec.command == x }`, words},
		"in a with":                 {`deny contains "no" if data.custom.rules.other with input.agent as input.exec.command` + "\n\nother := 1", words},
		"in a function":             {"deny contains \"no\" if read(1)\n\nread(_) if input.exec.command == \"x\"", words},
		"in an argument":            {`deny contains "no" if startswith(input.exec.command, "x")`, words},
		"in an else":                {"deny contains \"no\" if x == 2\n\nx := 1 if 1 == 2\n\nelse := 2 if input.exec.command", words},
		"in a default's rule":       {"deny contains \"no\" if x == 2\n\ndefault x := 1\n\nx := 2 if input.exec.command", words},
		"in a key of an object":     {`deny contains "no" if {input.exec.command: 1}[_] == 1`, words},
		"in a bracket of another":   {`deny contains "no" if input.agent[input.exec.command]`, words},
		"in a bracket of data":      {`deny contains "no" if data.config[input.exec.command]`, words},
		"in a set":                  {`deny contains "no" if "x" in {input.exec.command}`, words},
		"in a reason":               {`deny contains input.exec.command if true`, words},
		"in a text of a template":   {`deny contains $"{input.exec.command}" if true`, words},
		"in the head of a rule":     {"deny contains \"no\" if p.x\n\np[input.exec.command] := 1", words},
		"behind not":                {`deny contains "no" if not input.exec.command`, words},
		"by another name":           {"import input.exec as e\n\ndeny contains \"no\" if e.command == \"x\"", words},
		"in a function of a module": {"deny contains \"no\" if data.custom.rules.lib.f(1)\n", none},

		"the parameters":          {`deny contains "no" if input.tool.params.path`, params},
		"the tool":                {`deny contains "no" if input.tool`, params},
		"a member of the tool":    {`deny contains "no" if { some k; input.tool[k] == "x" }`, params},
		"the time":                {`deny contains "no" if input.time.clock < "09:00"`, clock},
		"the input":               {`deny contains "no" if input == 1`, all},
		"the input, by a name":    {`deny contains "no" if { x := input; x.exec.command }`, all},
		"a member of the input":   {`deny contains "no" if { some k; input[k] == "x" }`, all},
		"the input, handed on":    {`deny contains "no" if object.get(input, ["exec", "command"], "") == "x"`, all},
		"the input, walked":       {`deny contains "no" if { walk(input, [_, "x"]) }`, all},
		"the built-in policy":     {`deny contains "no" if data.gavel.catalog.tools.exec == "x"`, all},
		"masks of the log":        {`deny contains "no" if data.system.log.mask`, all},
		"a member of data":        {`deny contains "no" if { some k; data[k].x == "x" }`, all},
		"an import of the policy": {"import data.gavel.catalog\n\ndeny contains \"no\" if catalog.tools.exec == \"x\"", all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modules := map[string]*ast.Module{"/lib.rego": ast.MustParseModule("package custom.rules.lib\n\nf(x) if x == 1\n"),
				"/rules.rego": ast.MustParseModule("package custom.rules\n\n" + c.rego + "\n")}
			compiler, err := compileModules(Config{FactsSchema: rego.FactsSchema}, modules)
			require.NoError(t, err)
			assert.Equal(t, c.want, readsOf(compiler.Modules))
		})
	}
}

// The built-in policy does not count; what is in a folder that is named as its
// modules are does.
func TestOnlyOwnRegoCounts(t *testing.T) {
	t.Parallel()
	f := openFolder(t, map[string]string{"config.yaml": "agents: {main: {}}\n"})
	assert.Equal(t, reads{}, f.store.current.Load().reads)
	f.write("built-in/rules.rego", "package custom.rules\n\ndeny contains \"no\" if input.exec.command == \"x\"\n")
	assert.Equal(t, reads{withheld: true}, f.reload().reads)
	f.write("built-in/rules.rego", "package system.log\n\nmask contains \"/input/exec\" if input.facts.exec\n")
	assert.Equal(t, reads{}, f.reload().reads, "masks have another input")
}

func TestPlainFactsAreTheSameWithoutWords(t *testing.T) {
	t.Parallel()
	facts := &gavel.Facts{}
	filled(reflect.ValueOf(facts).Elem())
	known := &remembered{fields: contextFields(facts, &question{shapes: newShapes()}), frozen: ast.NullTerm(), shared: ast.NullTerm(), shapes: newShapes()}
	lean, whole := leanInput(facts, known), factsInput(facts, known, ast.ObjectTerm())
	for _, path := range plainFacts() {
		ref := ast.EmptyRef()
		for _, name := range path {
			ref = append(ref, ast.StringTerm(name))
		}
		got, err := lean.Find(ref)
		require.NoError(t, err, strings.Join(path, "."))
		want, err := whole.Find(ref)
		require.NoError(t, err, strings.Join(path, "."))
		assert.Zero(t, got.Compare(want), strings.Join(path, "."))
	}
}
