package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// known reports whether all files are known whose names find gives to a command.
func known(t *testing.T, root, command string) bool {
	t.Helper()
	list := segmentsIn(t, root, command)
	last := list[len(list)-1]
	for _, s := range list {
		if len(s.Wrappers) > 0 && s.Wrappers[0].Executable.Name == "find" {
			last = s
		}
	}
	for _, at := range last.Dynamic {
		found := false
		for _, i := range last.Patterns {
			found = found || i == at
		}
		if !found {
			return false
		}
	}
	return true
}

func TestTheFilesThatFindSuppliesToACommandAreExamined(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string][]string{
		`find src -name '*.go' -exec grep -n x {} +`:               {},
		`find ./src -type f -exec cat {} \;`:                       {},
		`find clean -exec wc -l {} +`:                              {},
		`find . -name '*.go' -type f -exec cat {} +`:               {"below ws/lib/deep/b.go"},
		`find . -type f -exec cat {} +`:                            {"below ws/.env", "below ws/conf/server.key", "below ws/lib/deep/b.go"},
		`find . -type f ! -name .env -exec cat {} +`:               nil, // Gavel cannot tell which files are left
		`find . -name '*' -type f -exec cat {} +`:                  {"below ws/.env", "below ws/conf/server.key", "below ws/lib/deep/b.go"},
		`find conf -name 's*' -type f -exec cat {} +`:              {"below ws/conf/server.key"},
		`find . -type f -name conf -o -name '*.go' -exec cat {} +`: nil,
		`find src -name x -exec cat {} +`:                          {"closed"},
		`find src -name x -type f -exec cat {} +`:                  {},
		`find . -name conf -exec grep -r x {} +`:                   {"below ws/conf/server.key", "unseen"},
	} {
		if want == nil {
			assert.False(t, known(t, root, command), command)
			continue
		}
		assert.True(t, known(t, root, command), command)
		found := []string{}
		for _, h := range hazardsIn(t, root, command) {
			if h != "inline command" { // of find, for strict inline evaluation
				found = append(found, h)
			}
		}
		if len(want) == 1 && want[0] == "closed" {
			assert.NotEmpty(t, found, command)
			continue
		}
		assert.ElementsMatch(t, want, found, command)
	}
}

func TestWordsThatFindPassesToACommandAreUnknown(t *testing.T) {
	t.Parallel()
	root := project(t)
	for about, command := range map[string]string{
		"links are followed":                      `find -L src -name '*.go' -exec cat {} +`,
		"so are those that are named":             `find -H src -name '*.go' -exec cat {} +`,
		"a later option follows them":             `find src -follow -name '*.go' -exec cat {} +`,
		"a link to a directory":                   `find lib -name out -exec cat {} +`,
		"the place to begin is a link":            `find lib/out -exec cat {} +`,
		"the name is part of a word":              `find src -name '*.go' -exec cat ./{} \;`,
		"another command of find changes files":   `find src -name '*.go' -exec cat {} \; -exec cp /etc/shadow {} \;`,
		"what ran before changes files":           `cp /etc/shadow src/b.go; find src -name '*.go' -exec cat {} +`,
		"a directory that is unknown":             `cd $DIR && find . -name '*.go' -exec cat {} +`,
		"the names are relative to another place": `find src -name '*.go' -execdir cat {} +`,
		"find removes files":                      `find src -name '*.go' -delete -exec cat {} +`,
	} {
		assert.False(t, known(t, root, command), "%s: %s", about, command)
	}
	for _, command := range []string{
		`find $D -type f -exec cat {} +`, `D=/etc; find $D -type f -exec cat {} +`, `find $(echo /etc) -type f -exec cat {} +`, `find src/* -type f -exec cat {} +`,
		`find ~ -maxdepth 1 -type f -exec cat {} +`, `find ~/x -type f -exec cat {} +`, `find src "" -type f -exec cat {} +`, `find src -name "$N" -exec cat {} +`,
		`for d in src /etc; do find $d -type f -exec cat {} +; done`,
	} {
		assert.False(t, known(t, root, command), command)
	}
	many := filepath.Join(root, "ws/many")
	require.NoError(t, os.Mkdir(many, 0o755))
	assert.True(t, known(t, root, `find many -exec cat {} +`), "an empty directory")
}

func TestTheFilesThatXargsPassesOnFromFindAreExamined(t *testing.T) {
	t.Parallel()
	root := project(t)
	require.NoError(t, os.Mkdir(filepath.Join(root, "ws/odd"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/odd/a b"), nil, 0o600))
	for command, want := range map[string]bool{
		`find src -name '*.go' | xargs grep -n x`:                     true,
		`find src -name '*.go' -type f | xargs -r wc -l`:              true,
		`find src -name '*.go' -print0 | xargs -0 grep -n x`:          true,
		`cd src && find . -name '*.go' | xargs cat | sort`:            true,
		`find src -name '*.go' -print0 | xargs grep -n x`:             false, // not the same ends of names
		`find src -name '*.go' | xargs -0 grep -n x`:                  false,
		`find src -name '*.go' | xargs -I{} grep -n x {}`:             true,
		`find src -name '*.go' | xargs -I F -P2 grep -n x F`:          true,
		`find src -name '*.go' | xargs -IF grep -n x F/../../x`:       false,
		`find src -name '*.go' | xargs -n1 -I{} grep -n x {}`:         false, // the later one holds
		`find src -name '*.go' | xargs -I{} -L2 grep -n x {}`:         false,
		`find src -name '*.go' | xargs -a list cat`:                   false,
		`find src -name '*.go' | xargs -d x cat`:                      false,
		`find src -name '*.go' | sort | xargs cat`:                    true,
		`find src -name '*.go' -printf /etc/shadow | xargs cat`:       false,
		`find src -name '*.go' -ls | xargs cat`:                       false,
		`find src -name '*.go' -fprint x | xargs cat`:                 false,
		`find src -name '*.go' -exec echo /etc/shadow \; | xargs cat`: false,
		`find -L src -name '*.go' | xargs cat`:                        false,
		`find src -name | xargs cat`:                                  false,
		`find odd -type f | xargs cat`:                                false, // a name with a blank is two words
		`find odd -type f -print0 | xargs -0 cat`:                     true,
		`find $D -name '*.go' | xargs cat`:                            false,
		`find ~/x -name '*.go' | xargs cat`:                           false,
		`find src -name "$N" | xargs cat`:                             false,
		`find src -name '*.go' | xargs cat < list`:                    false,
		`find src -name '*.go' > list | xargs cat`:                    false,
		`(find src -name '*.go'; echo /etc/shadow) | xargs cat`:       false,
		`find src -name '*.go' |& xargs cat`:                          false,
		`echo /etc/shadow | xargs cat`:                                false,
		`find src -name '*.go' | xargs nice cat`:                      false,
		`cp /etc/shadow src/b.go; find src -name '*.go' | xargs cat`:  false,
	} {
		if known, parsed := ofXargs(t, root, command); parsed {
			assert.Equal(t, want, known, command)
		}
	}
}

// ofXargs reports whether the files are known that xargs adds to its command.
func ofXargs(t *testing.T, root, command string) (known, parsed bool) {
	t.Helper()
	for _, s := range segmentsIn(t, root, command) {
		if len(s.Wrappers) == 0 || s.Wrappers[0].Executable.Name != "xargs" {
			continue
		}
		parsed = true
		for _, at := range s.Dynamic {
			for _, i := range s.Patterns {
				known = known || i == at
			}
		}
	}
	return known, parsed
}

// Without a file xargs of GNU runs its command once, with nothing added.
func TestXargsMayRunItsCommandWithoutAName(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string]string{
		`find src -name '*.none' | xargs grep -rn KEY`: "below ws/.env",
		`find src -name '*.none' | xargs rg KEY`:       "below ws/conf/server.key",
	} {
		assert.Contains(t, hazardsIn(t, root, command), want, command)
	}
}
