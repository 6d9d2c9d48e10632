package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// everything is where these commands run: the letters are programs.
func everything(shell string) *gavel.Environment {
	environment := claims(shell, "a", "b", "c", "d", "e", "f", "bash", "sh", "zsh", "env", "nice")
	environment.Home = "/home/u"
	return environment
}

func TestCompoundCommandsAreSplitIntoSegments(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]struct {
		segments   [][]string
		constructs []string
		rendered   string
	}{
		"if a; then b; elif c; then d; else e; fi": {[][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}, []string{"if statement"},
			"if '/usr/bin/a'; then '/usr/bin/b'; elif '/usr/bin/c'; then '/usr/bin/d'; else '/usr/bin/e'; fi"},
		"while a; do b; done":  {[][]string{{"a"}, {"b"}}, []string{"while loop"}, "while '/usr/bin/a'; do '/usr/bin/b'; done"},
		"until a\ndo\nb\ndone": {[][]string{{"a"}, {"b"}}, []string{"until loop"}, "until '/usr/bin/a'; do '/usr/bin/b'; done"},
		"for i in 1 'x y' $z; do a $i; done": {[][]string{{"a", "$i"}}, []string{"for loop"},
			"for i in '1' 'x y' $z; do '/usr/bin/a' $i; done"},
		"case $x in (a|b*) c ;; *) d;; esac": {[][]string{{"c"}, {"d"}}, []string{"case statement"},
			"case $x in ('a'|b*) '/usr/bin/c' ;; (*) '/usr/bin/d' ;; esac"},
		"(a; b) & c":      {[][]string{{"a"}, {"b"}, {"c"}}, []string{"subshell ( )"}, "( '/usr/bin/a'; '/usr/bin/b' ) & '/usr/bin/c'"},
		"{ a; b & } && c": {[][]string{{"a"}, {"b"}, {"c"}}, []string{"group { }"}, "{ '/usr/bin/a'; '/usr/bin/b' & } && '/usr/bin/c'"},
		"! a | b":         {[][]string{{"a"}, {"b"}}, []string{"negation !"}, "! '/usr/bin/a' | '/usr/bin/b'"},
		"time a":          {[][]string{{"a"}}, []string{"time"}, "time '/usr/bin/a'"},
		"[[ -f a && ( $b == c* || ! x < y ) ]] && d": {[][]string{{"d"}}, []string{"test [[ ]]"},
			"[[ -f 'a' && ( $b == c* || ! 'x' < 'y' ) ]] && '/usr/bin/d'"},
		"[[ a =~ ^b.*$x ]] || c": {[][]string{{"c"}}, []string{"test [[ ]]"}, "[[ 'a' =~ ^b.*$x ]] || '/usr/bin/c'"},
		"((1 + 2)) && a":         {[][]string{{"a"}}, []string{"arithmetic command (( ))"}, "((1 + 2)) && '/usr/bin/a'"},
		"go() { a \"$@\"; }; go x": {[][]string{{"a", `"$@"`}}, []string{"function declaration", "group { }"},
			"go() { '/usr/bin/a' \"$@\"; }; 'go' 'x'"},
		"a &": {[][]string{{"a"}}, []string{}, "'/usr/bin/a' &"},
		"a `b` \"$(c | d)\"": {[][]string{{"a", "`b`", `"$(c | d)"`}, {"b"}, {"c"}, {"d"}},
			[]string{"command substitution ` `", "command substitution $(c | d)"},
			"'/usr/bin/a' $( '/usr/bin/b' ) \"$( '/usr/bin/c' | '/usr/bin/d' )\""},
		"a <(b) >(c)": {[][]string{{"a", "<(b)", ">(c)"}, {"b"}, {"c"}}, []string{"process substitution <( )", "process substitution >( )"},
			"'/usr/bin/a' <( '/usr/bin/b' ) >( '/usr/bin/c' )"},
		"A=$(a) B+=x b":                   {[][]string{{"a"}, {"b"}}, []string{"command substitution $(a)"}, "A=$( '/usr/bin/a' ) B+='x' '/usr/bin/b'"},
		"A=(x *.c \"$y\"); a \"${A[@]}\"": {[][]string{{"a", `"${A[@]}"`}}, []string{}, "A=( x *.c \"$y\" ); '/usr/bin/a' \"${A[@]}\""},
		"export A=1 B; local C=$d":        {[][]string{}, []string{}, "export A='1' B; local C=$d"},
		"trap 'a b; c' EXIT INT": {[][]string{{"a", "b"}, {"c"}}, []string{},
			`'trap' ''\''/usr/bin/a'\'' '\''b'\''; '\''/usr/bin/c'\''' 'EXIT' 'INT'`},
		"bash -c 'if a; then b; fi'": {[][]string{{"a"}, {"b"}}, []string{"if statement"},
			`'/usr/bin/bash' '-c' 'if '\''/usr/bin/a'\''; then '\''/usr/bin/b'\''; fi'`},
		"set -eu -o pipefail; read -r x y; unset x; shift 2; exit $?": {
			[][]string{{"set", "-eu", "-o", "pipefail"}, {"read", "-r", "x", "y"}, {"unset", "x"}, {"shift", "2"}, {"exit", "$?"}}, []string{},
			"'set' '-eu' '-o' 'pipefail'; 'read' '-r' 'x' 'y'; 'unset' 'x'; 'shift' '2'; 'exit' $?"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			exec := analyze(t, everything("bash"), command)
			require.Nil(t, exec.Refusal)
			assert.Equal(t, want.segments, argvs(exec))
			constructs := []string{}
			for _, construct := range exec.Constructs {
				constructs = append(constructs, construct.Construct)
			}
			assert.Equal(t, want.constructs, constructs)
			assert.Equal(t, want.rendered, exec.Rendered)
			assertRenderedRuns(t, t, exec)
		})
	}
}

func TestWordsProducedAtRunTime(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]int{
		"a $x":                    {1},
		"a '$x' \"\\$x\" \\$x":    {},
		"a \"x$y\" z":             {1},
		"a ${x:-y} ${x%.go}":      {1, 2},
		"a *.go [ab] ? '*' \\*":   {1, 2, 3},
		"a {b,c} {1..3} {x} b{}":  {3},
		"a ~ ~/b x=~ b~ '~'":      {1, 2, 3},
		"a $((1+2)) $? $$ \"$@\"": {1, 2, 3, 4},
		"a [ ] x]":                {},
		"a $'b\\n'":               {},
		"env A=\"$x\" a $y":       {1},
	} {
		exec := analyze(t, everything("bash"), command)
		if assert.Nil(t, exec.Refusal, command) {
			assert.Equal(t, want, exec.Segments[0].Dynamic, command)
		}
	}
}

// TestNumbersOfProcesses: of a word in which nothing but $$ is made the rest is known.
// Where it could be an option, or may become several words, it is not such a word.
func TestNumbersOfProcesses(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]int{
		"a /tmp/x.$$ \"$$\" '$$' b$$c$$":     {1, 2, 4},
		"a $$'x y' \"p $$ q\" x\\ $$":        {1, 2, 3},
		"a -$$ --x=$$ \"-\"$$ \\-$$":         {},
		"a ${$} x.$? x.$# x.$! $$$x $$`b`":   {},
		"a x.$$* [$$] {$$,b} ~/$$ x$((1))$$": {},
		"a $x $$ $$":                         {2, 3},
		"sh -c 'a x.$$'":                     {1},
		"nice a x.$$":                        {1},
		"go() { a x.$$ \"$@\"; }; go y":      {1},
		"a \"$$\"\"$@\" \"$$$(b)\"":          {},
	} {
		exec := analyze(t, everything("bash"), command)
		if assert.Nil(t, exec.Refusal, command) {
			assert.Equal(t, want, exec.Segments[0].Numbered, command)
			assertRenderedRuns(t, t, exec)
		}
	}
	exec := analyze(t, everything("zsh"), "a \"$$[1]\"")
	assert.NotNil(t, exec.Refusal, "a subscript of zsh's")
}

// TestNumbersInPaths: a path is closed or secret where it is so for some number, and in
// the working directory only where it is so for every number.
func TestNumbersInPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/tmp/x.$$":                     "",
		"x.$$":                          "",
		"/tmp/id_ed25519.$$":            "",
		".tmp.$$":                       "",
		"/etc/x.$$":                     "closed",
		"/tmp/$$/../../etc/passwd":      "closed",
		"x/$$/../../../../../etc/group": "closed",
		"/proc/$$/status":               "closed",
		"/home/u$$/x":                   "closed",
		"/dev/fd/$$":                    "closed",
		"/tmp/$$/.ssh/x":                "secret",
		"id_ed$$":                       "secret",
		"/tmp/a.p$$":                    "secret",
		".s$$cfg":                       "secret",
		".env.$$":                       "secret",
		"x=/etc/y.$$":                   "closed",
		"/tmp/id_ed$$/x":                "secret",
		strings.Repeat("a", 255) + "$$": "secret",
	} {
		environment := everything("bash")
		environment.Home = "/home/u1"
		found := ""
		for _, hazard := range observe(t, environment, "touch "+path).Segments[0].Hazards {
			if hazard.Kind != "elsewhere" {
				found += hazard.Option
			}
		}
		assert.Equal(t, want, found, path)
	}
}

func TestRedirectionsAreFacts(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]gavel.Redirect{
		"a > x":              {Operator: ">", Writes: true, Target: "x", Path: "/srv/app/x", Real: "/srv/app/x"},
		"a 2>> '/x y'":       {Operator: ">>", Descriptor: "2", Writes: true, Target: "/x y", Path: "/x y", Real: "/x y"},
		"a < x/./y":          {Operator: "<", Reads: true, Target: "x/./y", Path: "/srv/app/x/y", Real: "/srv/app/x/y"},
		"a <> x":             {Operator: "<>", Reads: true, Writes: true, Target: "x", Path: "/srv/app/x", Real: "/srv/app/x"},
		"a >| x":             {Operator: ">|", Writes: true, Target: "x", Path: "/srv/app/x", Real: "/srv/app/x"},
		"a &>> x":            {Operator: "&>>", Writes: true, Target: "x", Path: "/srv/app/x", Real: "/srv/app/x"},
		"a 2>&1":             {Operator: ">&", Descriptor: "2", Target: "1"},
		"a <&-":              {Operator: "<&", Target: "-"},
		"a > $x":             {Operator: ">", Writes: true, Target: "$x", Dynamic: true},
		"a > ../x":           {Operator: ">", Writes: true, Target: "../x", Path: "/srv/x"}, // a claimed machine has links that nobody knows
		"a > /dev/tcp/h/1":   {Operator: ">", Writes: true, Target: "/dev/tcp/h/1", Path: "/dev/tcp/h/1"},
		"a > /dev/fd/3":      {Operator: ">", Writes: true, Target: "/dev/fd/3", Path: "/dev/fd/3"},
		"a > x/":             {Operator: ">", Writes: true, Target: "x/", Path: "/srv/app/x"},
		"a <<E\nx\nE":        {Operator: "<<", Target: "x\n"},
		"a <<'E'\n$x\nE":     {Operator: "<<", Target: "$x\n"},
		"a <<E\n$x\nE":       {Operator: "<<", Target: "$x\n", Dynamic: true},
		"a <<-E\n\tx\n\tE\n": {Operator: "<<-", Target: "x\n"},
		"a <<< 'x y'":        {Operator: "<<<", Target: "x y"},
	} {
		exec := analyze(t, everything("bash"), command)
		if assert.Nil(t, exec.Refusal, command) && assert.Len(t, exec.Redirects, 1, command) {
			got := exec.Redirects[0]
			got.Start, got.End, got.AfterCode = 0, 0, nil
			assert.Equal(t, want, got, command)
		}
	}
}

// TestDirectoriesAreFollowed: behind && a cd had its effect, and elsewhere it may
// have failed.
func TestDirectoriesAreFollowed(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"cd x && a > f":                    "/srv/app/x/f",
		"cd /x && cd y && a > f":           "/x/y/f",
		"cd x || exit 1; a > f":            "/srv/app/x/f",
		"(cd x && a); a > f":               "/srv/app/f",
		"a $(cd x && b) > f":               "/srv/app/f",
		"cd x; a > f":                      "",
		"cd x || a > f":                    "",
		"a || cd x; b > f":                 "",
		"cd x & a > f":                     "",
		"cd x | a > f":                     "",
		"cd \"$x\" && a > f":               "",
		"cd && a > f":                      "",
		"cd - && a > f":                    "",
		"cd .. && a > f":                   "",
		"eval 'cd x'; a > f":               "",
		"for i in 1; do cd x; done; a > f": "",
		"go() { cd x; }; go; a > f":        "",
		"while b; do a > f; cd x; done":    "",
		"pushd x && a > f":                 "",
	} {
		exec := analyze(t, everything("bash"), command)
		if assert.Nil(t, exec.Refusal, command) {
			assert.Equal(t, want, exec.Redirects[0].Real, command)
		}
	}
}

// TestEveryBuiltinHasARule: a command of the shell is understood with the words of
// its table, and with no others.
func TestEveryBuiltinHasARule(t *testing.T) {
	t.Parallel()
	for command, opaque := range map[string]string{
		":":                "",
		": $x *":           "",
		"cd -P x":          "",
		"cd -X x":          "cd -X",
		"exec":             "",
		"read -a x":        "read -a",
		"read 'x.1'":       "read with x.1",
		"read $x":          "read with a word produced at run time",
		"unset -n x":       "unset -n",
		"set -k":           "set -k",
		"set -o posix":     "set -o with the value posix",
		"set -- $x":        "",
		"set --":           "",
		"set":              "set without words",
		"set $x":           "set with a word produced at run time",
		"shift x":          "shift with x",
		"exit $x":          "exit with a word produced at run time",
		"wait -p x":        "wait -p",
		"wait %1":          "",
		"trap":             "",
		"trap - EXIT":      "",
		"trap \"$x\" EXIT": "trap with a word produced at run time",
	} {
		exec := analyze(t, everything("bash"), command)
		if assert.Nil(t, exec.Refusal, command) && assert.Len(t, exec.Segments, 1, command) {
			assert.Equal(t, opaque, exec.Segments[0].Opaque, command)
			assert.Equal(t, opaque == "", exec.Segments[0].Builtin != "", command)
		}
	}
}

func TestVariablesThatATextSetsAreNamed(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"A=1 b":                            {"A"},
		"a_b=$(c); for i in 1; do d; done": {"a_b", "i"},
		"export X=1 Y; read -p Z u v":      {"X", "Y", "Z", "u", "v"},
		"bash -c 'Q=1; a'":                 {"Q"},
		"trap 'W=1; a' EXIT":               {"W"},
		"unset U; a":                       {"U"},
	} {
		exec := analyze(t, everything("bash"), command)
		if assert.Nil(t, exec.Refusal, command) {
			assert.Equal(t, want, exec.Variables, command)
		}
	}
}
