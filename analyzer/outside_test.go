package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A path that leads out of the workspace is a fact, with the file that it is.
func TestPathsOutsideTheWorkspace(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"cat a.txt":            "",
		"cat ./b/../a.txt":     "",
		"cat /srv/app/a.txt":   "",
		"cat ../other/a.txt":   "/srv/other/a.txt",
		"cat ~/notes.txt":      "/home/u/notes.txt",
		"cat /opt/x/a.txt":     "/opt/x/a.txt",
		"cat /opt/x/*":         "/opt/x",
		"cat /dev/null":        "",
		"grep /users/ a.txt":   "",
		"echo https://a.b/c":   "",
		"grep -f /opt/x a.txt": "/opt/x",
	} {
		exec := observe(t, everything("bash"), command)
		require.True(t, exec.Parsed, command)
		found := ""
		for _, hazard := range exec.Segments[0].Hazards {
			if hazard.Kind == "elsewhere" {
				found += hazard.Real
			}
		}
		assert.Equal(t, want, found, command)
	}
}

// Patterns of file names are facts where it is known what they cannot match.
func TestPatternsOfFileNames(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]int{
		"cat *.md":                           {1},
		"cat src/*.go a":                     {1},
		"cat *":                              {1},
		"cat ?":                              {},
		"cat .e*":                            {},
		"cat cred*":                          {},
		"cat id_r?a":                         {},
		"cat *.key":                          {},
		"cat */x":                            {},
		"cat -*":                             {},
		"cat *$x":                            {},
		"for f in *.md; do cat \"$f\"; done": {1},
		"for f in *.md; do cat $f; done":     {},
		"for f in .e*; do cat \"$f\"; done":  {},
		"f=.env; cat \"$f\"":                 {},
	} {
		exec := observe(t, everything("bash"), command)
		require.True(t, exec.Parsed, command)
		assert.Equal(t, want, exec.Segments[len(exec.Segments)-1].Patterns, command)
	}
}
