package filter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/filter"
)

// shown writes a class in one line: options with their values, operands in
// brackets, those behind -- in double ones, dashes, and where the reading ended.
func shown(c gavel.Class) string {
	var parts []string
	for _, o := range c.Options {
		part := o.Name
		if o.Form != filter.FormNone {
			part += "=" + o.Value
		}
		parts = append(parts, part)
	}
	for _, o := range c.Operands {
		part := "[" + o.Text + "]"
		if o.Ended {
			part = "[" + part + "]"
		}
		parts = append(parts, part)
	}
	for range c.Stdin {
		parts = append(parts, "-")
	}
	if c.Unread != nil {
		parts = append(parts, fmt.Sprintf("unread %s at %d", c.Unread.Option, c.Unread.Index))
	}
	return strings.Join(parts, " ")
}

// options is a grammar's list of options.
func options(takes map[string]argv.Takes) map[string]argv.Option {
	all := map[string]argv.Option{}
	for name, what := range takes {
		all[name] = argv.Option{Name: name, Takes: what}
	}
	return all
}

func TestArgumentsAreReadAsGetoptDoes(t *testing.T) {
	t.Parallel()
	v := argv.Grammar{Exact: argv.Exact{On: true, NumberFirst: true, NeedsValue: true}, Options: options(map[string]argv.Takes{
		"-q": argv.None, "-v": argv.None, "-n": argv.Value, "--lines": argv.Value,
		"--quiet": argv.None, "--group": argv.Optional, "-g": argv.Optional})}
	for _, c := range []struct{ name, argv, want string }{
		{"nothing", "", ""},
		{"a flag", "-q", "-q"},
		{"flags in a cluster", "-qv", "-q -v"},
		{"a value in the next word", "-n 5", "-n=5"},
		{"a value in the same word", "-n5", "-n=5"},
		{"a value at the end of a cluster", "-qn5", "-q -n=5"},
		{"what follows an option with a value is the value, whatever it looks like", "-nq", "-n=q"},
		{"a value that begins with a dash", "-n -q", "-n=-q"},
		{"a value that is two dashes", "-n -- -q", "-n=-- -q"},
		{"a value that is missing", "-q -n", "-q unread -n at 2"},
		{"a long value in the next word", "--lines 5", "--lines=5"},
		{"a long value behind =", "--lines=5", "--lines=5"},
		{"a long value that holds =", "--lines=a=b", "--lines=a=b"},
		{"an abbreviation", "--line=5", "unread --line at 1"},
		{"an unambiguous abbreviation of a flag", "--qui", "unread --qui at 1"},
		{"a flag with a value", "--quiet=x", "unread --quiet at 1"},
		{"an option that is not listed", "-q -x", "-q unread -x at 2"},
		{"one that hides in a cluster", "-qxn5", "-q unread -x at 1"},
		{"nothing behind what was not read", "-x f", "unread -x at 1"},
		{"an attached value", "--group=x", "--group=x"},
		{"the same in the next word is an operand to getopt", "--group x", "unread --group at 1"},
		{"the same of a letter", "-g x", "unread -g at 1"},
		{"the same attached", "-gx", "-g=x"},
		{"an operand", "f", "[f]"},
		{"an option behind an operand", "f -q", "-q [f]"},
		{"a dash", "-", "-"},
		{"a dash behind --", "-- -", "-"},
		{"operands behind --", "-q -- -v f", "-q [[-v]] [[f]]"},
		{"-- behind --", "-- --", "[[--]]"},
		{"a number first", "-20", "-NUM=20"},
		{"a number later", "-q -20", "-q unread -2 at 2"},
		{"a number with a letter", "-20c", "unread -2 at 1"},
		{"letters beyond ASCII", "-é", "unread -\xc3 at 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			class := filter.Read("f", append([]string{"f"}, strings.Fields(c.argv)...), &v)
			assert.Equal(t, c.want, shown(class))
			assert.Equal(t, class.Unread == nil, class.Complete)
		})
	}
}

func TestJQReadsValuesAsSeparateWords(t *testing.T) {
	t.Parallel()
	v := argv.Grammar{Exact: argv.Exact{On: true, ValuesAreWords: true, NeedsValue: true}, Options: options(map[string]argv.Takes{
		"-r": argv.None, "--arg": argv.Pair, "--indent": argv.Value, "-i": argv.Value, "-p": argv.Pair})}
	for _, c := range []struct{ name, argv, want string }{
		{"two values", "--arg a b .", "--arg=a --arg=b [.]"},
		{"a value that looks like an option", "--arg a -r .", "--arg=a --arg=-r [.]"},
		{"one value of two", "--arg a", "unread --arg at 1"},
		{"two values with =", "--arg=a b", "unread --arg at 1"},
		{"one value", "--indent 2", "--indent=2"},
		{"one value with =", "--indent=2", "unread --indent at 1"},
		{"a letter with its value attached", "-i2", "unread -i at 1"},
		{"a letter with its value behind it", "-ri 2", "-r -i=2"},
		{"a letter with two values", "-p a b", "-p=a -p=b"},
		{"the same attached", "-pa b", "unread -p at 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, shown(filter.Read("jq", append([]string{"jq"}, strings.Fields(c.argv)...), &v)))
		})
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "empty", " ": "plain", "a": "plain", "a/b": "plain", "-5": "plain", ".env": "plain", "C:": "plain", "1:/x": "plain",
		"/": "sign", "[": "sign", "]": "sign", "//": "path", "/etc": "path", " /etc": "path", "./x": "path", "../x": "path", "~": "path", "~x": "path", `C:\x`: "path", "c:/x": "path",
		"*": "glob", "a?": "glob", "[a": "glob", "b]": "glob", "/a*": "path",
	} {
		assert.Equal(t, want, filter.Form(text), "%q", text)
	}
}
