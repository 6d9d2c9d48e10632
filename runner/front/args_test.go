package front_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/runner/front"
)

// The page of the tool exec: the shell is SHELL, and for fish it is bash or sh.
func TestTheShellOfTheEnvironmentIsUsedIfGavelCanParseIt(t *testing.T) {
	t.Parallel()
	for stated, want := range map[string]string{
		"": "bash", "/usr/bin/bash": "bash", "/bin/sh": "sh", "/usr/bin/dash": "dash", "/home/u/bin/bash": "bash",
		"/usr/bin/fish": "bash", "/usr/local/bin/gavel-shell": "bash", "/usr/bin/python3": "bash", "/usr/bin/no-such/zshx": "bash", "/": "bash",
	} {
		getenv := func(name string) string { return map[string]string{"SHELL": stated}[name] }
		assert.Equal(t, want, front.DefaultShell(getenv), stated)
		o, err := front.ParseRun([]string{"-c", "ls"}, getenv)
		assert.NoError(t, err)
		assert.Equal(t, want, o.Shell, stated)
		o, err = front.ParseRun([]string{"--shell", "dash", "-c", "ls"}, getenv)
		assert.NoError(t, err)
		assert.Equal(t, "dash", o.Shell, "what is named counts")
		o, err = front.ParseShell([]string{"-c", "ls"}, getenv)
		assert.NoError(t, err)
		assert.Equal(t, want, o.Shell, stated)
	}
}

func TestAWrongFlagIsNamedWithTheNearestOne(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"there is no flag --polcy; did you mean --policy?":                              {"--polcy", "x", "--", "ls"},
		"there is no flag --verbose; gavel run --help":                                  {"--verbose", "--", "ls"},
		"give either -c TEXT or the words":                                              {"-c", "ls", "--", "ls"},
		"--timeout -1s is not a time limit":                                             {"--timeout", "-1s", "--", "ls"},
		"--policy and --server exclude one another":                                     {"--policy", "p", "--server", "s", "--", "ls"},
		"--verification-key and --server exclude one another":                           {"--verification-key", "k", "--server", "s", "--", "ls"},
		"the text of -c is empty":                                                       {"-c", " "},
		`"git push" is one word, and so the name of a program; write -c in place of --`: {"--", "git push"},
		"remove the quotes: gavel run -- cat src/a b":                                   {"cat  src/a b"},
	} {
		_, err := front.ParseRun(args, func(string) string { return "" })
		assert.ErrorContains(t, err, want)
	}
	o, err := front.ParseRun([]string{"--policy", "p", "--", "ls", "--polcy"}, func(string) string { return "" })
	assert.NoError(t, err)
	assert.Equal(t, []string{"ls", "--polcy"}, o.Argv, "words of the command are not flags")
	_, err = front.ParseRun([]string{"--", "/opt/my tool"}, func(string) string { return "" })
	assert.NoError(t, err, "the path of a program may contain a blank")
}
