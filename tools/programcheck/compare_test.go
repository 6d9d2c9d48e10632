package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/programs"
)

const helpText = `Usage: x [OPTION]...
  -a, --all                 do not ignore
  -b, --block-size=SIZE     with SIZE
      --color[=WHEN]        colour
  -q
      --new                 new
      --format string       of cobra
      --watch=false:
-c cmd : of python
	-C dir
[-S|--save|--no-save] [--omit <dev|optional> [--omit <dev|optional> ...]]
  text -z is not an option of a line
The flags -y,
-x, and others
`

const manualText = `NAME
       x - a program

OPTIONS
       -a, --all
              Do not ignore. A line of this paragraph may begin with an option:
              --hidden. The line before it says that it is text.

       --[no-]pager
              With a pager or without.

       -o file, --output file
              Write to a file.

       --abbrev[=N], --no-abbrev
              Shorten names.
`

func TestOptionsInHelpText(t *testing.T) {
	t.Parallel()
	docs := documentedOptions{}
	parseHelp(docs, helpText)
	none, required := []programs.Value{programs.ValueNone}, []programs.Value{programs.ValueRequired}
	assert.Equal(t, documentedOptions{
		"-a": {none, "help"}, "--all": {none, "help"}, "-b": {required, "help"}, "--block-size": {required, "help"},
		"--color": {[]programs.Value{programs.ValueOptional}, "help"}, "-q": {none, "help"}, "--new": {none, "help"},
		"--format": {required, "help"}, "--watch": {none, "help"}, "-c": {required, "help"}, "-C": {required, "help"},
		"-S": {none, "help"}, "--save": {none, "help"}, "--no-save": {none, "help"}, "--omit": {[]programs.Value{programs.ValueRequired, programs.ValueRequired}, "help"},
	}, docs)
}

func TestOptionsInManualPage(t *testing.T) {
	t.Parallel()
	docs := documentedOptions{}
	parseManual(docs, manualText)
	none, required, optional := []programs.Value{programs.ValueNone}, []programs.Value{programs.ValueRequired}, []programs.Value{programs.ValueOptional}
	assert.Equal(t, documentedOptions{
		"-a": {none, "manual page"}, "--all": {none, "manual page"}, "--pager": {none, "manual page"}, "--no-pager": {none, "manual page"},
		"-o": {required, "manual page"}, "--output": {required, "manual page"}, "--abbrev": {optional, "manual page"}, "--no-abbrev": {nil, "manual page"},
	}, docs)
}

// differencesOf compares every command of an entry with the same documentation.
func differencesOf(t *testing.T, entry string, docs documentedOptions) (all []string) {
	t.Helper()
	e, err := programs.Parse([]byte(entry))
	require.NoError(t, err)
	for _, command := range commandsOf(e, &e.Grammar) {
		all = append(all, command.compare(docs)...)
	}
	return all
}

func TestDifferencesFromAnEntry(t *testing.T) {
	t.Parallel()
	docs := documentedOptions{}
	parseHelp(docs, "  -a, --all\n  -b, --block-size=SIZE\n      --color[=WHEN]\n  -q\n      --new\n")
	assert.Equal(t, []string{
		"--block-size takes required according to its help, but none in the entry",
		"-b takes required according to its help, but none in the entry",
		"-q is in its help, but not in the entry",
	}, differencesOf(t, `
name: x
described: true
unlisted: {--new: of no use}
options:
  - {names: [-a, --all], value: none}
  - {names: [-b, --block-size], value: none}
  - {names: [--color], value: optional}
`, docs))
}

func TestDifferencesFromSubcommands(t *testing.T) {
	t.Parallel()
	docs := documentedOptions{}
	parseHelp(docs, "  -a, --all\n  -n, --namespace string   where\n")
	assert.Equal(t, []string{
		"-a is in its help, but not in the entry",
		"get -a is in its help, but not in the entry",
		"set -a is in its help, but not in the entry",
		"list -a is in its help, but not in the entry",
		"set deep -n takes required according to its help, but none in the entry",
	}, differencesOf(t, `
name: x
described: true
options_hold_in_subcommands: true
unlisted: {--all: explained for the sub-commands too}
options:
  - {names: [-n, --namespace], value: required}
harmless_subcommands: [list]
subcommands:
  get: {}
  like-get: {like: get}
  closed: {lists_every_option: true, unlisted: {"*": nobody looked}}
  removes: {always: writes}
  set:
    subcommands:
      deep: {options: [{names: [-n], value: none}, {names: [-a, --all], value: none}]}
`, docs))
}

func TestTheHelpOfAProgramSaysNothingAboutAPluginThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "x")
	script := "#!/bin/sh\nif [ \"$1\" = here ]; then echo '  --own'; else echo '  --all'; fi\n"
	require.NoError(t, os.WriteFile(program, []byte(script), 0o755)) //nolint:gosec // a program
	general := output(t.Context(), program, "--help")
	for sub, want := range map[string]string{"here": "--own", "plugin": "", "": "--all"} {
		docs := readDocumentation(t.Context(), "no-such-program", program, strings.Fields(sub), true, general)
		assert.ElementsMatch(t, strings.Fields(want), slices.Collect(maps.Keys(docs)), sub)
	}
}
