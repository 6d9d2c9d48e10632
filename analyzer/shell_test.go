package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommandsAreSplitIntoSegments(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		command  string
		want     [][]string
		rendered string
	}{
		"a pipeline has a segment for each command": {
			"rg -n TODO src/ | head -5",
			[][]string{{"rg", "-n", "TODO", "src/"}, {"head", "-5"}},
			"'/usr/bin/rg' '-n' 'TODO' 'src/' | '/usr/bin/head' '-5'"},
		"every operator splits and is kept": {
			"a && b || c; d & e |& f\ng",
			[][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}, {"g"}},
			"'/usr/bin/a' && '/usr/bin/b' || '/usr/bin/c'; '/usr/bin/d' & '/usr/bin/e' |& '/usr/bin/f'; '/usr/bin/g'"},
		"a last background job stays one": {"a; b &", [][]string{{"a"}, {"b"}}, "'/usr/bin/a'; '/usr/bin/b' &"},
		"a list in the background stays one": {"a && b & c", [][]string{{"a"}, {"b"}, {"c"}},
			"'/usr/bin/a' && '/usr/bin/b' & '/usr/bin/c'"},
		"an operator in quotes is text": {`a '; b' "&& c" \|`, [][]string{{"a", "; b", "&& c", "|"}},
			`'/usr/bin/a' '; b' '&& c' '|'`},
		"an empty word stays":          {`a '' ""`, [][]string{{"a", "", ""}}, `'/usr/bin/a' '' ''`},
		"quotes inside a word join it": {`a x'y z'"w"\ v`, [][]string{{"a", "xy zw v"}}, `'/usr/bin/a' 'xy zw v'`},
		"double quotes keep a backslash that quotes nothing": {`a "\n\$\"\\\` + "`" + `\'"`,
			[][]string{{"a", `\n$"\` + "`" + `\'`}}, `'/usr/bin/a' '\n$"\` + "`" + `\'\'''`},
		"a dollar before a closing quote is text":  {`a "foo$" "$ x"`, [][]string{{"a", "foo$", "$ x"}}, `'/usr/bin/a' 'foo$' '$ x'`},
		"a program's name may be quoted":           {`'a' \b "c"`, [][]string{{"a", "b", "c"}}, `'/usr/bin/a' 'b' 'c'`},
		"a comment ends at its line":               {"a # b; c\nd #e", [][]string{{"a"}, {"d"}}, "'/usr/bin/a'; '/usr/bin/d'"},
		"a hash inside a word is text":             {"a b#c d\\#", [][]string{{"a", "b#c", "d#"}}, "'/usr/bin/a' 'b#c' 'd#'"},
		"a line goes on after a blank":             {"a b \\\n  c", [][]string{{"a", "b", "c"}}, "'/usr/bin/a' 'b' 'c'"},
		"a lone pair of braces is text":            {"a {} x{1}", [][]string{{"a", "{}", "x{1}"}}, "'/usr/bin/a' '{}' 'x{1}'"},
		"a tilde inside a word is text":            {"a HEAD~1 '~' \\~", [][]string{{"a", "HEAD~1", "~", "~"}}, "'/usr/bin/a' 'HEAD~1' '~' '~'"},
		"an equals sign after the name is text":    {"a b=c --d=e", [][]string{{"a", "b=c", "--d=e"}}, "'/usr/bin/a' 'b=c' '--d=e'"},
		"a reserved word is text as an argument":   {"a if time ! {", [][]string{{"a", "if", "time", "!", "{"}}, "'/usr/bin/a' 'if' 'time' '!' '{'"},
		"letters of other scripts are text":        {"a naïve 文 '→'", [][]string{{"a", "naïve", "文", "→"}}, "'/usr/bin/a' 'naïve' '文' '→'"},
		"an unknown program leaves nothing to run": {"a; nope", [][]string{{"a"}, {"nope"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exec := analyze(t, claims("bash", strings.Split("a b c d e f g rg head", " ")...), tc.command)
			require.Nil(t, exec.Refusal)
			assert.Equal(t, tc.want, argvs(exec))
			assert.Equal(t, tc.rendered, exec.Rendered)
			for _, segment := range exec.Segments {
				assert.Less(t, segment.Start, segment.End)
			}
		})
	}
}

func TestSegmentsHavePositions(t *testing.T) {
	t.Parallel()
	command := "a  'b c' ;  d |e # f"
	exec := analyze(t, claims("bash"), command)
	got := []string{}
	for _, segment := range exec.Segments {
		got = append(got, command[segment.Start:segment.End])
	}
	assert.Equal(t, []string{"a  'b c'", "d", "e"}, got)
}

// checkRefusals compares the constructs for which commands are refused, and the text that each is at.
func checkRefusals(t *testing.T, cases map[string]struct{ kind, construct, at string }) {
	t.Helper()
	for command, want := range cases {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			exec := analyze(t, claims("bash", "a", "b", "c"), command)
			require.NotNil(t, exec.Refusal, "%q", argvs(exec))
			assert.Empty(t, exec.Segments)
			assert.Empty(t, exec.Rendered)
			assert.Equal(t, want.kind, exec.Refusal.Kind)
			if want.construct != "" {
				assert.Equal(t, want.construct, exec.Refusal.Construct)
			}
			if want.at != "" {
				assert.Equal(t, want.at, command[exec.Refusal.Start:exec.Refusal.End])
			}
		})
	}
}

func TestRedirectionsAndHereDocumentsAreRefusedByName(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]struct{ kind, construct, at string }{
		"a >& f":              {"redirect", "duplicating redirection >& of something other than a descriptor", ">& f"},
		"a >&$x":              {"redirect", "duplicating redirection >& of something other than a descriptor", ">&$x"},
		"a {fd}> f":           {"redirect", "redirection of a named descriptor", "{fd}> f"},
		"a <<\"E E\"\nx\nE E": {"heredoc", "here-document with an unusual delimiter", "<<\"E E\""},
		"a <<E\n$(b)\nE":      {"heredoc", "here-document that expands more than parameters", ""},
		"a <<E\n`b`\nE":       {"heredoc", "here-document that expands more than parameters", ""},
		"a <<E\n\\$x\nE":      {"heredoc", "here-document that expands more than parameters", ""},
		"a <<E\nx":            {"syntax", "", ""},
		"a <<E\nEx\nE":        {"heredoc", "here-document with an ambiguous delimiter", ""},
	})
}

func TestExpansionsAreRefusedByName(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]struct{ kind, construct, at string }{
		"a $((x))":           {"expansion", "arithmetic expansion $(( ))", "$((x))"},
		"a $(($x))":          {"expansion", "arithmetic expansion $(( ))", "$(($x))"},
		"a $[1]":             {"expansion", "arithmetic expansion $(( ))", "$[1]"},
		"a @(x|y)":           {"expansion", "pathname expansion @( )", "@(x|y)"},
		"a ${x:=y}":          {"expansion", "parameter expansion ${x:=y}", "${x:=y}"},
		"a ${!x}":            {"expansion", "parameter expansion ${!x}", "${!x}"},
		"a ${x@P}":           {"expansion", "parameter expansion ${x@P}", "${x@P}"},
		"a ${x[y]}":          {"expansion", "parameter expansion ${x[y]}", "${x[y]}"},
		"a ${x:y}":           {"expansion", "parameter expansion ${x:y}", "${x:y}"},
		"a ${x:-$(b)}":       {"expansion", "parameter expansion ${x:-$(b)}", "${x:-$(b)}"},
		"a \"${x:-'$(b)'}\"": {"expansion", "parameter expansion ${x:-'$(b)'}", "${x:-'$(b)'}"},
		"a $'\\x41'":         {"expansion", "quoting $' '", "$'\\x41'"},
		"a $\"b\"":           {"expansion", "quoting $\" \"", "$\"b\""},
		"a b$":               {"expansion", "expansion $", "$"},
		"a `b \\`c\\``":      {"substitution", "command substitution ` `", ""},
		"a x<(b)":            {"substitution", "process substitution <( )", "<(b)"},
		"$x a":               {"expansion", "parameter expansion $x", "$x"},
		"a; \"$x\" b":        {"expansion", "parameter expansion $x", "$x"},
		"$(a) b":             {"substitution", "command substitution $(a)", "$(a)"},
		"* a":                {"expansion", "pathname expansion *", "*"},
		"{a,b}":              {"expansion", "brace expansion { }", "{"},
		"~/a":                {"expansion", "tilde expansion ~", "~"},
	})
}

func TestCompoundCommandsAndAssignmentsAreRefusedByName(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]struct{ kind, construct, at string }{
		"select x in y; do a; done":         {"construct", "select loop of an unsupported kind", ""},
		"for ((;;)); do a; done":            {"construct", "for loop of an unsupported kind", ""},
		"((a))":                             {"construct", "arithmetic with names", "((a))"},
		"[[ -v a ]]":                        {"construct", "test -v", "-v a"},
		"[[ $x -eq 1 ]]":                    {"construct", "test -eq of words that are not numbers", "$x -eq 1"},
		"time -p a":                         {"construct", "time with options, or without a command", "time -p a"},
		"f() a":                             {"construct", "function without braces", "f() a"},
		"a-b() { c; }":                      {"construct", "function declaration a-b", "a-b() { c; }"},
		"a() { b; }; a":                     {"construct", "function with the name of a command, a", ""},
		"g() { g; }":                        {"construct", "function that calls itself, g", "g"},
		"command_not_found_handle() { a; }": {"construct", "function declaration command_not_found_handle", ""},
		"else":                              {"compound", "reserved word else", ""},
		"A[1]=2":                            {"assignment", "assignment A[1]=2", "A[1]=2"},
		"A=([1]=2)":                         {"assignment", "array with subscripts or comments", ""},
		"A=('$(b)')":                        {"assignment", "array ('$(b)')", "('$(b)')"},
		"declare -i A=1":                    {"assignment", "declaration declare -i", "-i"},
		"declare -n A=B":                    {"assignment", "declaration declare -n", "-n"},
		"export \"$A\"":                     {"assignment", "", ""},
		"let x=1":                           {"assignment", "declaration let", "let x=1"},
		"coproc a":                          {"construct", "coprocess coproc", "coproc a"},
		"''":                                {"construct", "empty command name", "''"},
		"a; \"\" b":                         {"construct", "empty command name", "\"\""},
	})
}

func TestTextThatIsNotACommandIsRefusedByName(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]struct{ kind, construct, at string }{
		"((a) | b)":        {"syntax", "", ""},
		"A[1]=2 a":         {"syntax", "", ""},
		"a 'b":             {"syntax", "", "'b"},
		"a;; b":            {"syntax", "", ""},
		"a && ":            {"syntax", "", ""},
		"# only a comment": {"parameters", "empty command", "# only a comment"},
		"   ":              {"parameters", "missing or empty command", "   "},
		"a\\":              {"guard", "backslash at the end of the text", "\\"},
		"-c":               {"guard", "text that a shell takes for its own option", "-"},
		"+x; a":            {"guard", "text that a shell takes for its own option", "+"},
	})
}

func TestRefusalsHaveLineAndColumn(t *testing.T) {
	t.Parallel()
	refusal := analyze(t, claims("bash"), "a\nb 'é' $\"f\"").Refusal
	require.NotNil(t, refusal)
	assert.Equal(t, 9, refusal.Start)
	assert.Equal(t, 2, refusal.Line)
	assert.Equal(t, 8, refusal.Column, "columns count bytes from 1")
}

func TestGuard(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"a carriage return":        "a \r# ; b",
		"a NUL":                    "a \x00b",
		"an escape":                "a '\x1b[2K'",
		"a vertical tab":           "a\vb",
		"a delete":                 "a \x7f",
		"a C1 control":             "a \u0085b",
		"bytes that are not UTF-8": "a \xff",
		"a word that begins with a hash after quotes":  "a ''#b; c",
		"half a character at the end":                  "a \xc3",
		"a no-break space":                             "a\u00a0# b",
		"a no-break space behind a comment's quote":    "a # '\n\u00a0'",
		"a no-break space behind a here-document":      "a <<E\n'\nE\n'\u00a0'",
		"a line separator":                             "a \u2028 b",
		"a right-to-left override":                     "a '\u202e'",
		"a zero-width space":                           "a\u200bb",
		"a byte order mark":                            "\ufeffa",
		"a tag character":                              "a '\U000e0041'",
		"a Hangul filler":                              "a '\u3164'",
		"a braille blank":                              "a '\u2800'",
		"a Greek question mark outside quotes":         "a \u037e b",
		"a full-width semicolon outside quotes":        "a \uff1b b",
		"a continuation at the start":                  "\\\na",
		"a continuation at the end of a word":          "a b\\\nc",
		"a continuation in a comment":                  "a # b \\\nc",
		"a continuation behind a quote of a comment":   "a # '\nb\\\nc'",
		"a continuation behind a quote in quotes":      "a \"'\" b\\\nc",
		"a continuation in double quotes":              "a \"b \\\nc\"",
		"a continuation after an escaped blank":        "a \\ \\\nb",
		"a continuation after an escaped backslash":    "a \\\\\nb",
		"a continuation after an operator":             "a &\\\n& b",
		"a continuation between a dollar and its name": "a \"$\\\n(b)\"",
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			refusal := analyze(t, claims("bash"), command).Refusal
			require.NotNil(t, refusal)
			assert.Equal(t, "guard", refusal.Kind, "%+v", refusal)
		})
	}
}

func TestPlainTextInQuotesIsNotRefusedByTheGuard(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"a 'b\\\nc'":          "b\\\nc",
		"a 'b \\\nc'":         "b \\\nc",
		"a '\u00a0'":          "\u00a0",
		"a \"b\u00a0c\"":      "b\u00a0c",
		"a '\u2764\ufe0f it'": "\u2764\ufe0f it",
	} {
		exec := analyze(t, claims("bash", "a"), command)
		if assert.Nil(t, exec.Refusal, "%q", command) {
			assert.Equal(t, [][]string{{"a", want}}, argvs(exec), "%q", command)
			again := analyze(t, claims("bash", "/usr/bin/a"), exec.Rendered)
			assert.Equal(t, [][]string{{"/usr/bin/a", want}}, argvs(again), "%q", command)
		}
	}
}

func TestShells(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ shell, command, kind, construct string }{
		"the default is bash":                 {"", "a |& b", "", ""},
		"a shell is known by its base name":   {" /opt/x/BASH ", "a |& b", "", ""},
		"POSIX shells have no |&":             {"sh", "a |& b", "syntax", ""},
		"dash is a POSIX shell":               {"/bin/dash", "a && b", "", ""},
		"in mksh |& starts a coprocess":       {"mksh", "a |& b", "construct", "coprocess |&"},
		"what sh may call time is refused":    {"sh", "time a", "compound", "reserved word time"},
		"what sh may call a test is refused":  {"sh", "[[ a || b ]]", "compound", "reserved word [["},
		"what sh may declare is refused":      {"sh", "export A", "assignment", "reserved word export"},
		"what sh may append to is refused":    {"sh", "A+=1", "assignment", "assignment A+=1"},
		"what sh may quote with $ is refused": {"sh", "a $'b'", "expansion", ""},
		"what sh may calculate is refused":    {"sh", "(('a'))", "guard", ""},
		"what sh may redirect is refused":     {"sh", "a &> b", "syntax", ""},
		"zsh is read":                         {"/bin/zsh", "a", "", ""},
		"in zsh = finds programs":             {"zsh", "a =b", "expansion", ""},
		"in zsh ^ is a pattern":               {"zsh", "a x^b", "expansion", ""},
		"in zsh < > is a pattern":             {"zsh", "a <1-2>b", "guard", ""},
		"in zsh a redirection runs a program": {"zsh", "> b", "construct", ""},
		"in zsh a parameter has subscripts":   {"zsh", "a $x[b]", "expansion", ""},
		"in zsh a parameter has modifiers":    {"zsh", "a $x:h", "expansion", ""},
		"in zsh a pattern has qualifiers":     {"zsh", "a *(e:b:)", "guard", ""},
		"fish is refused by name":             {"fish", "a", "dialect", "fish"},
		"PowerShell is refused by name":       {"pwsh", "a", "dialect", "pwsh"},
		"a look-alike of sh is refused":       {"ſh", "a", "dialect", "ſh"},
		"a shell without a name is refused":   {"/", "a", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exec := analyze(t, claims(tc.shell, "a", "b"), tc.command)
			if tc.kind == "" {
				require.Nil(t, exec.Refusal)
				return
			}
			require.NotNil(t, exec.Refusal)
			assert.Equal(t, tc.kind, exec.Refusal.Kind)
			if tc.construct != "" {
				assert.Equal(t, tc.construct, exec.Refusal.Construct)
			}
		})
	}
}
