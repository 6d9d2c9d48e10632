package main

import (
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
  text -z is not an option of a line
`

func TestOptionsOfAHelpText(t *testing.T) {
	t.Parallel()
	said := options(helpText)
	assert.Equal(t, map[string]spoken{
		"-a": {programs.ValueNone, "help"}, "--all": {programs.ValueNone, "help"},
		"-b": {programs.ValueRequired, "help"}, "--block-size": {programs.ValueRequired, "help"},
		"--color": {programs.ValueOptional, "help"}, "-q": {programs.ValueNone, "help"}, "--new": {programs.ValueNone, "help"},
	}, said)
}

func TestDifferencesOfAnEntry(t *testing.T) {
	t.Parallel()
	e, err := programs.Parse([]byte(`
name: x
described: true
unlisted: {--new: of no use, --gone: it was there}
options:
  - {names: [-a, --all], value: none}
  - {names: [-b, --block-size], value: none}
  - {names: [--color], value: optional}
`))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"--block-size takes required by its help, and none in the entry",
		"-b takes required by its help, and none in the entry",
		"-q is in its help, and not in the entry",
		"--gone is explained in the entry, and not there",
	}, compare(e, &e.Grammar, options(helpText)))
}
