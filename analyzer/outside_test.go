package analyzer_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
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
		"cat $'a\n/../../x'":   "/srv/x",
		"cat http://../../x":   "/srv/x",
		"cat http:/../../x":    "/srv/x",
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

// While the directory is unknown every relative path may lead out, and while the workspace is
// unknown every path.
func TestPathsInUnknownPlacesAreOutside(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"cd b && cat a":         false,
		"cd b; cat a":           true,
		"cd b; cat ../a":        true,
		"cd b || true; cat ./a": true,
		"cd b; cat /srv/app/a":  false,
		"cd b; cat /dev/null":   false,
		"cd b; cat /opt/a":      true,
		"cd b; echo a":          false,
		"cd b; cat":             false,
	} {
		assert.Equal(t, want, leadsOut(observe(t, everything("bash"), command)), command)
	}
	nowhere := everything("bash")
	nowhere.Cwd = "/"
	for _, command := range []string{"cat a", "cat /srv/app/a", "cat ../a", "cat ~/a"} {
		assert.True(t, leadsOut(observe(t, nowhere, command)), command)
	}
	homeless := everything("bash")
	homeless.Home = ""
	for _, s := range observe(t, homeless, "cat ~/a").Segments {
		for _, h := range s.Hazards {
			assert.NotEqual(t, "/home/u/a", h.Real, "an unknown home directory has no path")
		}
	}
}

// leadsOut reports whether the last segment names a path outside the workspace.
func leadsOut(exec *gavel.ExecFacts) bool {
	last := exec.Segments[len(exec.Segments)-1]
	return slices.ContainsFunc(last.Hazards, func(h gavel.Hazard) bool { return h.Kind == "elsewhere" })
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

// A sub-command is not a file, wherever the program runs. In an unknown directory, that hazard stands for
// the directory.
func TestASubCommandIsNotAFileInAnotherDirectory(t *testing.T) {
	t.Parallel()
	root := project(t)
	alsoPrograms(t, root, "npm")
	for command, want := range map[string]bool{
		`cd ../out && git status`:            false,
		`cd ../out && git log --oneline`:     false,
		`cd ../out && npm test`:              false,
		`cd ../out && git diff note`:         true,
		`cd ../out && git -C x status`:       true,
		`cd ../out && git --what status`:     true, // it may be the value of that option
		`cd src; git status`:                 true,
		`if :; then cd ../out; fi; npm test`: true,
	} {
		list := segmentsIn(t, root, command)
		last, outside := list[len(list)-1], false
		for _, h := range last.Hazards {
			outside = outside || h.Kind == "elsewhere" || h.Option == "closed"
		}
		assert.Equal(t, want, outside, command)
	}
}

// A path with ".." leads where the kernel leads it: from a directory that is a link, out of the target's
// directory. In an unknown directory it may lead anywhere.
func TestPathsWithDotDotAreLookedUp(t *testing.T) {
	t.Parallel()
	root := project(t)
	alsoPrograms(t, root, "mkdir")
	require.NoError(t, os.Symlink("/etc/ssl", filepath.Join(root, "ws/link")))
	for command, closed := range map[string]bool{
		"cd src && ls ..":                               false,
		"cat src/../README":                             false,
		"cat lib/out/../out/note":                       false,
		"ls link/..":                                    true,
		"cd link && ls ..":                              true,
		"cat link/../x":                                 true,
		"cat ../../../../../../../../../etc/x":          true,
		"cd src; ls ..":                                 true,
		"cd new; ls ..":                                 true,
		"mkdir -p new && cd new && ls ..":               false,
		"mkdir -p new/a && cd new/a && ls ../.":         false,
		"mkdir -p new && cd new && ls ../link/..":       true,
		"mkdir -p new && cd new && ls ./../link/../ssl": true,
		"mkdir -p new && cat new/../README":             true, // new may be a link
		"cat /opt/new/../README":                        true,
		"cat ~/new/../README":                           true,
		"mkdir -p link/new && cd link/new && ls ..":     true,
	} {
		list := segmentsIn(t, root, command)
		found := slices.ContainsFunc(list[len(list)-1].Hazards, func(h gavel.Hazard) bool { return h.Option == "closed" })
		assert.Equal(t, closed, found, command)
	}
}

// A path that leads out of the workspace both as it is written and as the kernel follows it has both facts: a list
// that permits the one says nothing about the other.
func TestAPathOutsideHasTheFactsOfBothFilesThatItMayMean(t *testing.T) {
	t.Parallel()
	root := project(t)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "ws/deep/er"), 0o755))
	require.NoError(t, os.Symlink("deep/er", filepath.Join(root, "ws/short")))
	list := segmentsIn(t, root, "cat short/../../../note")
	var outside []string
	for _, h := range list[0].Hazards {
		if h.Option == "outside" {
			outside = append(outside, h.Real)
		}
	}
	assert.Equal(t, []string{filepath.Join(filepath.Dir(root), "note"), filepath.Join(root, "note")}, outside)
}
