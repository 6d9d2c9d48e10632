package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// classOf analyses a command of programs in /usr/bin, and returns the class of its
// first segment.
func classOf(t *testing.T, command string, executables map[string]string) *gavel.Class {
	t.Helper()
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t)})
	require.NoError(t, err)
	facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Executables: executables}}, nil)
	require.NotNil(t, facts.Exec)
	require.True(t, facts.Exec.Parsed, "%+v", facts.Exec.Refusal)
	return facts.Exec.Segments[0].Class
}

func TestFiltersHaveAClass(t *testing.T) {
	t.Parallel()
	usr := map[string]string{"jq": "/usr/bin/jq", "ls": "/usr/bin/ls", "head": "/usr/bin/head"}
	class := classOf(t, "head -n 5 x", usr)
	require.NotNil(t, class)
	assert.Equal(t, gavel.Class{Program: "head", Complete: true, Stdin: []int{},
		Options:  []gavel.ClassOption{{Name: "-n", Value: "5", Form: "plain", Index: 1}},
		Operands: []gavel.ClassOperand{{Text: "x", Form: "plain", Index: 3}}}, *class)
	assert.Nil(t, classOf(t, "ls -l", usr), "it is not a filter")
	assert.Nil(t, classOf(t, "tail -n 1", usr), "it was not found")
}

func TestAFilterIsLookedUpByItsFileName(t *testing.T) {
	t.Parallel()
	assert.Nil(t, classOf(t, "head -n 5", map[string]string{"head": "/bin/busybox"}))
	class := classOf(t, "top5 -n 5", map[string]string{"top5": "/usr/bin/head"})
	require.NotNil(t, class)
	assert.Equal(t, "head", class.Program)
}

func TestProgramsOfJQ(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, program, want string }{
		{"a field", `.field`, ""},
		{"a field that is called env", `.env.FOO | .["a"]`, `"a"`},
		{"a function", `map(select(.a > 1))`, "map select"},
		{"the environment", `env`, "env"},
		{"the environment in a pipeline", `.foo|env.BAR`, "env"},
		{"the environment as a variable", `$ENV.PATH`, "$ENV"},
		{"the environment as a short key", `{$ENV}`, "$ENV"},
		{"the environment in a key", `{(env.A): 1}`, "env"},
		{"the environment in a string", `"a\(env)"`, `"" "a" env`},
		{"the environment in a format", `@base64 "\(env)"`, `"" env`},
		{"the environment in an index", `.a[env.B]`, "env"},
		{"the environment in a slice", `.[env.A:env.B]`, "env"},
		{"the environment in a definition", `def f: env; f`, "env f"},
		{"the environment in a reduction", `reduce env as $x (0; . + 1)`, "env"},
		{"the environment in a loop", `foreach .[] as $x (0; env; .)`, "env"},
		{"the environment in a condition", `if .a then env else . end`, "env"},
		{"the environment in a handler", `try error("x") catch env`, `"x" env error`},
		{"the environment in a pattern", `. as {(env.A): $x} | $x`, "$x env"},
		{"the environment behind an alternative", `. as [$a] ?// $a | env`, "env"},
		{"the environment in a label", `label $f | env`, "env"},
		{"the environment behind a minus", `.a | -env`, "env"},
		{"text that names it", `getpath(["env"])`, `"env" getpath`},
		{"the place", `$__loc__`, "$__loc__"},
		{"the name of a file", `input_filename`, "input_filename"},
		{"a module", `import "a" as $x; $x`, "$x import"},
		{"an included module", `include "a"; .`, "include"},
		{"what a module says of itself", `"a" | modulemeta`, `"a" modulemeta`},
		{"a header", `module {"a": "env"}; .`, `"env"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			quoted := "'" + strings.ReplaceAll(c.program, "'", `'"'"'`) + "'"
			class := classOf(t, "jq "+quoted, map[string]string{"jq": "/usr/bin/jq"})
			require.NotNil(t, class.Filter)
			assert.True(t, class.Filter.Parsed)
			assert.Equal(t, c.want, strings.Join(class.Filter.Names, " "))
		})
	}
}

func TestProgramsOfJQThatAreNotRead(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]string{
		"no program": `.a |`,
		"a comment, which versions end at different places": `. # \`,
		"a string that holds its sign":                      `"#"`,
		"letters beyond ASCII":                              `"é"`,
		"a program that is very long":                       strings.Repeat(". | ", 2000) + ".",
		"brackets without end":                              strings.Repeat("[", 50),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			class := classOf(t, "jq '"+program+"'", map[string]string{"jq": "/usr/bin/jq"})
			assert.Equal(t, &gavel.Filter{Names: []string{}}, class.Filter)
		})
	}
}

func TestDeepProgramsOfJQAreReadToTheEnd(t *testing.T) {
	t.Parallel()
	program := strings.Repeat("[", 50) + "env" + strings.Repeat("]", 50)
	class := classOf(t, "jq '"+program+"'", map[string]string{"jq": "/usr/bin/jq"})
	assert.Equal(t, []string{"env"}, class.Filter.Names)
}
