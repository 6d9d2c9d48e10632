package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ran runs the tests of a bundle of one module and returns the exit code and the output.
func ran(t *testing.T, rules string, args ...string) (int, string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x_test.rego"), []byte("package x_test\n\n"+rules), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "long_test.rego"), []byte("package x_test\n\ntest_long if 1 == 2\n"), 0o600))
	if args == nil {
		args = []string{"-ignore", "long_*.rego"}
	}
	var out bytes.Buffer
	code := command(t.Context(), append(args, dir), &out, &out)
	return code, out.String()
}

func TestTestsPassAndFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules string
		code  int
		want  []string
	}{
		"a test that is true":              {"test_a if 1 == 1\n", 0, []string{"ok", "1 test, 1 case, 0 failed"}},
		"a test that is not true":          {"test_a if 1 == 2\n", 1, []string{"FAIL  data.x_test.test_a", "x_test.rego:3", "the test is not true"}},
		"a test that is false":             {"test_a := false\n", 1, []string{"the test is not true"}},
		"cases that are true":              {"test_a[name] if {\n\tsome name, n in {\"one\": 1, \"two\": 2}\n\tn > 0\n}\n", 0, []string{"1 test, 2 cases, 0 failed"}},
		"a case that is not true":          {"test_a[name] if {\n\tsome name, n in {\"one\": 1, \"two\": 2}\n\tn == 1\n}\n", 1, []string{"the case two is not true", "1 failed"}},
		"no case that is true":             {"test_a[name] if {\n\tsome name, n in {\"one\": 1}\n\tn == 2\n}\n", 1, []string{"the case one is not true"}},
		"a case whose name has two parts":  {"test_a[one][two] if {\n\tsome one, two in {\"x\": \"y\", \"z\": \"w\"}\n\ttwo == \"y\"\n}\n", 1, []string{"the case z/w is not true"}},
		"a test without cases":             {"test_a[name] if {\n\tsome name, _ in object.union({}, json.unmarshal(`{}`))\n\tname\n}\n", 1, []string{"the test has no cases"}},
		"a todo":                           {"todo_test_a if 1 == 1\n", 1, []string{"the test is a todo"}},
		"a second test of the same name":   {"test_a if 1 == 1\n\ntest_a if 1 == 2\n", 1, []string{"test_a#01", "2 tests"}},
		"two rules that contradict":        {"a := 1\n\na := 2\n\ntest_a if a == 1\n", 1, []string{"conflict"}},
		"what a test prints when it fails": {"test_a if {\n\tprint(\"here\")\n\t1 == 2\n}\n", 1, []string{"here"}},
		"Rego that does not compile":       {"test_a if b\n", 2, []string{"compile the bundle", "unsafe"}},
		"a bundle without tests":           {"a if 1 == 1\n", 2, []string{"no test in"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, args := range [][]string{nil, {"-topdown", "-ignore", "long_*.rego"}} {
				code, out := ran(t, c.rules, args...)
				assert.Equal(t, c.code, code, out)
				for _, want := range c.want {
					assert.Contains(t, out, want)
				}
			}
		})
	}
}

// OPA's planner and topdown differ in members that a rule's head describes as sets of variables.
func TestATestOnWhichTheEvaluatorsDisagreeFails(t *testing.T) {
	t.Parallel()
	const rules = "p contains {x} if some x in [1]\n\ntest_a if not p[{1}]\n"
	code, out := ran(t, rules)
	assert.Equal(t, 1, code, out)
	assert.Contains(t, out, "it passes with topdown, but not in the compiled plan: the test is not true")
	code, out = ran(t, rules, "-topdown", "-ignore", "long_*.rego")
	assert.Equal(t, 0, code, "topdown alone: %s", out)
}

func TestTestsAreChosen(t *testing.T) {
	t.Parallel()
	const two = "test_a if 1 == 1\n\ntest_b if 1 == 2\n"
	code, out := ran(t, two, "-run", "test_a$", "-v")
	assert.Equal(t, 0, code, out)
	assert.Contains(t, out, "data.x_test.test_a, 1 case")
	code, out = ran(t, two, "-run", "test_long")
	assert.Equal(t, 1, code, "a file that is not ignored is run: %s", out)
	code, _ = ran(t, two, "-run", "test_none")
	assert.Equal(t, 2, code, "a run of no test is an error")
	code, _ = ran(t, two, "-run", "(")
	assert.Equal(t, 2, code)
	code, _ = ran(t, two, "-ignore", "[")
	assert.Equal(t, 2, code, "a pattern that cannot be read leaves nothing to run")
}

func TestATestThatTakesTooLongFails(t *testing.T) {
	t.Parallel()
	code, out := ran(t, "test_a if {\n\tcount([1 | some i in numbers.range(1, 100000); some j in numbers.range(1, 100000); i == j]) > 0\n}\n",
		"-run", "test_a", "-timeout", "1ms")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "eval_cancel_error")
}
