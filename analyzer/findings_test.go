package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// formsOf returns the forms of the values that a command gives a variable.
func formsOf(exec *gavel.ExecFacts, name string) (forms []string, exported bool) {
	for _, assignment := range exec.Assigned {
		if assignment.Name == name {
			forms, exported = append(forms, assignment.Form), assignment.Exported
		}
	}
	return forms, exported
}

func TestValuesOfVariablesAreFacts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		command, variable string
		forms             []string
		exported          bool
	}{
		"finding 01: SRANDOM is given a subscript":       {"SRANDOM='a[$(P)]'; b", "SRANDOM", []string{"evaluates"}, false},
		"finding 02: the same through export":            {"export SRANDOM='a[$(P)]'; b", "SRANDOM", []string{"evaluates"}, true},
		"finding 03: PGRP is given a subscript":          {"PGRP='a[$(P)]'; b", "PGRP", []string{"evaluates"}, false},
		"finding 04: ZLE_RPROMPT_INDENT":                 {"ZLE_RPROMPT_INDENT='path[$(P)]'; b", "ZLE_RPROMPT_INDENT", []string{"evaluates"}, false},
		"backticks are evaluated":                        {"x='`P`'; b", "x", []string{"evaluates"}, false},
		"a subscript around what is made":                {`x="a[$y]"; b`, "x", []string{"evaluates"}, false},
		"a bracket that is not a subscript":              {"x='[a-z]'; b", "x", []string{"other"}, false},
		"a word is plain":                                {"A=bar b", "A", []string{"plain"}, true},
		"nothing is plain":                               {"A= b", "A", []string{"plain"}, true},
		"an address is plain":                            {"A=https://a.b/c?d=e b", "A", []string{"plain"}, true},
		"a file is not plain":                            {"GREP=./evil b", "GREP", []string{"other"}, true},
		"an address of a file is not plain":              {"A=file:///etc/x b", "A", []string{"other"}, true},
		"an option is not plain":                         {"A=-x b", "A", []string{"other"}, true},
		"several words are not plain":                    {"A='b c' b", "A", []string{"other"}, true},
		"a number that is made is plain":                 {"A=$# b", "A", []string{"plain"}, true},
		"any other value that is made is dynamic":        {"A=$x b", "A", []string{"dynamic"}, true},
		"a variable of the shell is not exported":        {"a=1; b", "a", []string{"plain"}, false},
		"until the text exports it":                      {"a=./x; export a; b", "a", []string{"none", "other"}, true},
		"or exports everything":                          {"set -a; a=./x; b", "a", []string{"other"}, true},
		"or a shell does that is started so":             {"bash -a -c 'a=./x; b'", "a", []string{"other"}, true},
		"what env sets is exported":                      {"env A=./x b", "A", []string{"other"}, true},
		"what env takes away is none":                    {"env -u A b", "A", []string{"none"}, true},
		"what env sets to a word that is made":           {`env A="$x" b`, "A", []string{"dynamic"}, true},
		"every word of a loop counts":                    {"for f in a ./b; do c; done", "f", []string{"other", "plain"}, false},
		"what read reads is dynamic":                     {"read x; b", "x", []string{"dynamic"}, false},
		"elements of an array count":                     {"a=(x ./y); b", "a", []string{"none", "other", "plain"}, false},
		"what a trap sets counts":                        {"trap 'a=./x' EXIT; b", "a", []string{"other"}, false},
		"a variable that is declared to be exported":     {"declare -x a=./x; b", "a", []string{"other"}, true},
		"a variable that is only declared is not a file": {"declare a=1; b", "a", []string{"plain"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exec := analyze(t, everything("bash"), tc.command)
			forms, exported := formsOf(exec, tc.variable)
			assert.Nil(t, exec.Refusal)
			assert.Equal(t, tc.forms, forms)
			assert.Equal(t, tc.exported, exported)
		})
	}
}

func TestWordsThatAShellEvaluatesAreRefused(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"finding 05: the time of read":  "read -t 'path[$(P)]' x; b",
		"the time of read, in one word": "read -t'path[$(P)]' x; b",
		"the prompt of read":            "read -p 'x[$(P)]' y; b",
		"a name that read reads":        "read 'a[$(P)]'; b",
		"a name that is taken away":     "unset 'a[$(P)]'; b",
		"a name that wait sets":         "wait -p 'a[$(P)]'; b",
		"a name that printf sets":       "printf -v 'a[$(P)]' x",
		"a name that test looks up":     "test -v 'a[$(P)]'",
		"the same in brackets":          "[ -v 'a[$(P)]' ]",
		"the same behind builtin":       "builtin test -v 'a[$(P)]'",
		"a parameter":                   "set -- 'a[$(P)]'; b",
		"a number":                      "shift 'a[$(P)]'; b",
		"an exit status":                "exit 'a[$(P)]'",
		"a function that mapfile calls": "mapfile -C 'a[$(P)]' x",
		"the name of getopts":           "getopts a 'a[$(P)]'",
	} {
		exec := analyze(t, everything("bash"), command)
		if assert.NotNil(t, exec.Refusal, "%s: %s", name, command) {
			assert.Equal(t, "evaluated", exec.Refusal.Kind, "%s: %s", name, command)
		}
	}
	for _, command := range []string{"read -p 'go on? [y/N] ' x", "read -t 0.5 x", "read -rn1 x", "set -- a b", "command -v 'a[1]'"} {
		assert.Nil(t, analyze(t, everything("bash"), command).Refusal, command)
	}
}

func TestFunctionsMustBeDeclaredBeforeTheirCalls(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"finding 08: eval is called before it is declared":   "eval 'P'; eval() { b; }",
		"finding 09: a declaration in a condition":           "if b; then f() { c; }; fi; f",
		"finding 09: a builtin declared in a condition":      "if b; then eval() { c; }; fi; eval 'P'",
		"finding 12: source is called before it is declared": "source ./evil.sh; source() { b; }",
		"a declaration behind &&":                            "b && f() { c; }; f",
		"a declaration in a subshell":                        "(f() { c; }); f",
		"a declaration in a group":                           "{ f() { c; }; }; f",
		"a declaration in the background":                    "f() { c; } & f",
		"a declaration in a loop":                            "for i in 1; do f() { c; }; done; f",
		"a declaration in a function":                        "g() { f() { c; }; }; g; f",
		"a declaration in a pipeline":                        "b | f() { c; }; f",
		"a builtin of zsh":                                   "print() { b; }; print x",
		"a builtin of zsh that a module has":                 "zselect() { b; }; zselect x",
		"an alias of mksh":                                   "integer() { b; }; integer x",
		"a function that zsh calls by itself":                "chpwd() { b; }; cd x",
		"a function that is declared twice":                  "f() { b; }; f() { c; }; f",
		"a function that is taken away":                      "f() { b; }; unset -f f; f",
		"a function that is taken away as a variable":        "f() { b; }; unset f; f",
		"a function that calls itself":                       "f() { f; }; f",
	} {
		exec := analyze(t, claims("bash", "b", "c"), command)
		assert.NotNil(t, exec.Refusal, "%s: %s", name, command)
	}
	early := analyze(t, claims("bash", "b"), "f; f() { b; }")
	if assert.Len(t, early.Segments, 2) {
		assert.False(t, early.Segments[0].Executable.Found, "what stands before the declaration is not a call of it")
	}
	called := analyze(t, claims("bash", "b"), "f() { b; }; f")
	assert.Equal(t, "f() { '/usr/bin/b'; }; 'f'", called.Rendered)
}

func TestCommandsInAPatternArePrintedAsTheyWereJudged(t *testing.T) {
	t.Parallel()
	exec := analyze(t, claims("bash", "test", "b"), "[[ a =~ $(test -n x) ]]; b")
	assert.Nil(t, exec.Refusal)
	assert.Equal(t, "[[ 'a' =~ $( '/usr/bin/test' '-n' 'x' ) ]]; '/usr/bin/b'", exec.Rendered)
	plain := analyze(t, claims("bash", "b"), `[[ $x =~ ^a.*b ]] && b`)
	assert.Equal(t, `[[ $x =~ ^a.*b ]] && '/usr/bin/b'`, plain.Rendered, "a pattern in quotes would be plain text")
}

func TestArithmeticIsReadWhereItsVariablesAreNumbers(t *testing.T) {
	t.Parallel()
	for command, understood := range map[string]bool{
		"i=$((i+1))": true,
		"i=0; while [[ $i -lt 3 ]]; do a; i=$((i+1)); done": true,
		"((i++))":                           true,
		"for x in 1 2; do i=$((x*2)); done": true,
		"x=$(a); i=$((x))":                  false,
		"read x; i=$((x))":                  false,
		"y=$(a); x=y; i=$((x))":             false,
		"x=$(a); [[ $x -eq 1 ]]":            false,
		"trap 'x=$(a)' EXIT; i=$((x))":      false,
		"env x=y bash -c 'i=$((x)); a'":     false,
		"i=$((b[1]))":                       false,
		"i=$((PATH))":                       false,
		"i=$((f(1)))":                       false,
		"[[ $x -eq y ]]":                    false,
		"i=$((a) | (a))":                    false,
	} {
		exec := analyze(t, everything("bash"), command)
		assert.Equal(t, understood, exec.Refusal == nil, "%s: %+v", command, exec.Refusal)
	}
}

func TestConstructsThatRunNothingAreUnderstood(t *testing.T) {
	t.Parallel()
	for command, rendered := range map[string]string{
		"x=1":            "x='1'",
		"a=(x y)":        "a=( x y )",
		"export FOO=1":   "export FOO='1'",
		"[[ -f x ]]":     "[[ -f 'x' ]]",
		"[[ a == b ]]":   "[[ 'a' == 'b' ]]",
		"(( 1 ))":        "(( 1 ))",
		"command -v git": "'command' '-v' 'git'",
		"type git":       "'command' '-V' 'git'",
		"set -- a":       "'set' '--' 'a'",
		"type -a git":    "'type' '-a' 'git'",
		"a &":            "'/usr/bin/a' &",
	} {
		exec := analyze(t, claims("bash", "a"), command)
		assert.Nil(t, exec.Refusal, command)
		assert.Equal(t, rendered, exec.Rendered, command)
	}
}
