package analyzer_test

import (
	"crypto/sha1" //nolint:gosec // the format of git's index has it
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// tracks writes an index of git with these names to a project.
func tracks(t *testing.T, root string, names ...string) {
	t.Helper()
	text := append([]byte("DIRC\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, uint32(len(names)))...) //nolint:gosec // few
	for _, name := range names {
		entry := strings.Repeat("\x01", 60) + string(binary.BigEndian.AppendUint16(nil, uint16(len(name)))) + name //nolint:gosec // short
		text = append(text, entry+strings.Repeat("\x00", 8-len(entry)%8)...)
	}
	sum := sha1.Sum(text) //nolint:gosec // the format has it
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/.git/index"), append(text, sum[:]...), 0o600))
	for _, name := range []string{"objects", "refs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "ws/.git", name), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/.git/HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
}

// knownIn reports whether each word of a command that comes from another command stands for files that
// were examined. It is not parsed if no word does.
func knownIn(t *testing.T, root, command string) (known, parsed bool) {
	t.Helper()
	known = true
	for _, s := range segmentsIn(t, root, command) {
		xargs := len(s.Wrappers) > 0 && s.Wrappers[0].Executable.Name == "xargs"
		for _, at := range s.Dynamic {
			if xargs || at < len(s.Argv) && strings.Contains(s.Argv[at], "$(") {
				parsed = true
				known = known && slices.Contains(s.Patterns, at)
			}
		}
	}
	return known && parsed, parsed
}

// alsoPrograms are further programs of a project.
func alsoPrograms(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), nil, 0o755)) //nolint:gosec // programs
	}
}

// stands is a file of a project.
func stands(t *testing.T, root, name string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws", name), nil, 0o600))
}

func TestFiltersThatKeepLinesPassOnWhatFindFinds(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string]bool{
		`find src -name '*.go' | grep -v test | xargs cat`:               true,
		`find src -name '*.go' | grep -vE 'a|b' | head -5 | xargs cat`:   true,
		`find src -name '*.go' | grep -e a -e b | sort -u | xargs cat`:   true,
		`find src -name '*.go' | tail -n +2 | sort -r | xargs -n 20 cat`: true,
		`find src -name '*.go' | head -n 5 | xargs -P4 cat`:              true,
		`wc -l $(find src -name '*.go')`:                                 true,
		`wc -l $(find src -name '*.go' | grep -v b | sort)`:              true,
		`find src -name '*.go' | grep -o 'src/x' | xargs cat`:            false, // a part of a line is another name
		`find src -name '*.go' | grep --only-matching x | xargs cat`:     false,
		`find src -name '*.go' | grep -n a | xargs cat`:                  false,
		`find src -name '*.go' | grep -c a | xargs cat`:                  false,
		`find src -name '*.go' | grep -A1 a | xargs cat`:                 false,
		`find src -name '*.go' | grep --color=always a | xargs cat`:      false,
		`find src -name '*.go' | grep a list | xargs cat`:                false, // of another file
		`find src -name '*.go' | grep -r a | xargs cat`:                  false,
		`find src -name '*.go' | grep a -v | xargs cat`:                  false, // some read that as a file
		`find src -name '*.go' | grep -f list | xargs cat`:               false,
		`find src -name '*.go' | head -c 9 | xargs cat`:                  false, // a name that is cut is another one
		`find src -name '*.go' | head -20c | xargs cat`:                  false,
		`find src -name '*.go' | tail -c5 | xargs cat`:                   false,
		`find src -name '*.go' | head list | xargs cat`:                  false,
		`find src -name '*.go' | sort -z | xargs cat`:                    false,
		`find src -name '*.go' | sort list | xargs cat`:                  false,
		`find src -name '*.go' | sort -o list | xargs cat`:               false,
		`find src -name '*.go' -print0 | grep -v a | xargs -0 cat`:       false,
		`find src -name '*.go' | sed s/a/x/ | xargs cat`:                 false,
		`find src -name '*.go' | cat - list | xargs cat`:                 false,
		`find src -name '*.go' | ./grep a | xargs cat`:                   false,
		`find src -name '*.go' | grep $P | xargs cat`:                    false,
		`find src -name '*.go' | grep a < list | xargs cat`:              false,
		`find src -name '*.go' | (grep a; echo /etc/shadow) | xargs cat`: false,
		`echo /etc/shadow | grep s | xargs cat`:                          false,
		`(find src -name '*.go'; echo /etc/shadow) | sort | xargs cat`:   false,
		`wc -l "$(find src -name '*.go')"`:                               false, // one word
		`wc -l x$(find src -name '*.go')`:                                false,
		`wc -l $(find src -name '*.go')/../../x`:                         false,
		`wc -l $(find src -name '*.go' -print0)`:                         false, // shells join these
		`wc -l $(find src -name '*.go'; echo /etc/shadow)`:               false,
		`wc -l $(find src -name '*.go' && echo /etc/shadow)`:             false,
		`wc -l $(find src -name '*.go' < list)`:                          false,
		`wc -l $(cd src; find . -name '*.go')`:                           false,
		`wc -l $(find src -name '*.go') $(echo /etc/shadow)`:             false,
		`wc -l $(find lib)`: false, // a link to a directory is among them
		`cp /etc/shadow src/b.go; wc -l $(find src -name '*.go')`: false,
		`./find src -name '*.go' | xargs cat`:                     false, // any program may have that name
		`./git ls-files | xargs cat`:                              false,
	} {
		known, _ := knownIn(t, root, command)
		assert.Equal(t, want, known, command)
	}
}

func TestTheFilesThatGitTracksAreExamined(t *testing.T) {
	t.Parallel()
	root := project(t)
	tracks(t, root, "README", "clean/c.go", "gone.go", "src/a.go")
	for command, want := range map[string]bool{
		`git ls-files | xargs wc -l`:                          true,
		`git ls-files -z | xargs -0 wc -l`:                    true,
		`git ls-files '*.go' | grep -v test | xargs grep foo`: true,
		`git --no-pager ls-files -m src | xargs cat`:          true,
		`cd src && git ls-files | xargs cat`:                  true,
		`wc -l $(git ls-files)`:                               true,
		`wc -l $(git ls-files '*.go' | head -5)`:              true,
		`git ls-files -o | xargs cat`:                         false, // those that it does not track
		`git ls-files -s | xargs cat`:                         false,
		`git ls-files --format='/etc/%(path)' | xargs cat`:    false,
		`git ls-files --full-name | xargs cat`:                false,
		`git ls-files --with-tree=HEAD | xargs cat`:           false,
		`git ls-files :/ | xargs cat`:                         false, // names begin with ..
		`git ls-files ../x | xargs cat`:                       false,
		`git ls-files -z | xargs cat`:                         false,
		`git ls-files | xargs -0 cat`:                         false,
		`git -C src ls-files | xargs cat`:                     false,
		`git -c core.worktree=/etc ls-files | xargs cat`:      false,
		`git --git-dir=x ls-files | xargs cat`:                false,
		`git ls-tree -r --name-only HEAD | xargs cat`:         false,
		`git diff --name-only | xargs cat`:                    true,
		`git diff --name-only HEAD~3 | xargs cat`:             false,
		`git diff --name-only -z | xargs cat`:                 false,
		`wc -l $(git ls-files -z)`:                            false,
		`wc -l $(git -C src ls-files)`:                        false,
		`git add -f .env; git ls-files | xargs cat`:           false,
		`git rm --cached x && wc -l $(git ls-files)`:          false,
	} {
		known, _ := knownIn(t, root, command)
		assert.Equal(t, want, known, command)
	}
}

func isKnown(t *testing.T, root, command string) bool {
	t.Helper()
	known, _ := knownIn(t, root, command)
	return known
}

// moves puts a file or a directory elsewhere, and a link in its place.
func moves(t *testing.T, root, from, to string) {
	t.Helper()
	from, to = filepath.Join(root, from), filepath.Join(root, to)
	require.NoError(t, os.Rename(from, to))
	require.NoError(t, os.Symlink(to, from))
}

func TestWhichFilesGitTracksIsUnknown(t *testing.T) {
	t.Parallel()
	const command = `git ls-files | xargs cat`
	for about, change := range map[string]func(root string){
		"there is no index": func(root string) { require.NoError(t, os.Remove(filepath.Join(root, "ws/.git/index"))) },
		"the index is damaged": func(root string) {
			require.NoError(t, os.WriteFile(filepath.Join(root, "ws/.git/index"), []byte("DIRC"), 0o600))
		},
		"a name is an option":         func(root string) { tracks(t, root, "--files0-from=x"); stands(t, root, "--files0-from=x") },
		"a name has a blank":          func(root string) { tracks(t, root, "a b"); stands(t, root, "a b") },
		"a name has a quote":          func(root string) { tracks(t, root, "a'b"); stands(t, root, "a'b") },
		"a name has a new line":       func(root string) { tracks(t, root, "a\nb"); stands(t, root, "a\nb") },
		"a directory is a link":       func(root string) { tracks(t, root, "lib/out/note") },
		"a link leads to a directory": func(root string) { tracks(t, root, "lib/out") },
		"the repository is elsewhere": func(root string) { moves(t, root, "ws/.git", "out/git") },
		"the index is a link":         func(root string) { moves(t, root, "ws/.git/index", "ws/.git/other") },
		// With these git takes a repository further up, or the settings of another one.
		"a part of the repository is missing": func(root string) { require.NoError(t, os.Remove(filepath.Join(root, "ws/.git/refs"))) },
		"it names no branch":                  func(root string) { stands(t, root, ".git/HEAD") },
		"the settings are elsewhere":          func(root string) { stands(t, root, ".git/commondir") },
		"the files are elsewhere": func(root string) {
			require.NoError(t, os.WriteFile(filepath.Join(root, "ws/.git/config"), []byte("[core]\n\tworkTree = /\n"), 0o600))
		},
		"a name leads out of the project": func(root string) { tracks(t, root, "../out/note") },
	} {
		root := project(t)
		tracks(t, root, "README")
		require.True(t, isKnown(t, root, command))
		change(root)
		assert.False(t, isKnown(t, root, command), about)
	}
}

func TestSecretsAmongTheFilesThatGitTracksAreHazards(t *testing.T) {
	t.Parallel()
	root := project(t)
	tracks(t, root, "README", "src/a.go")
	assert.Empty(t, hazardsIn(t, root, `git ls-files | xargs cat`))
	tracks(t, root, ".env", "README", "src/x")
	for _, command := range []string{`git ls-files | xargs cat`, `cat $(git ls-files)`} {
		found := hazardsIn(t, root, command)
		assert.Contains(t, found, "below ws/.env", command)
		assert.Contains(t, found, "secret /etc/shadow", "%s: what a link leads to", command)
	}
}

// Without names a program may do something else.
func TestACommandThatMayGetNoNamesMayReadTheDirectory(t *testing.T) {
	t.Parallel()
	root := project(t)
	tracks(t, root, "README")
	for command, want := range map[string]string{
		`git ls-files | grep none | xargs grep -rn KEY`: "below ws/.env",
		`grep -rn KEY $(git ls-files '*.none')`:         "below ws/.env",
		`rg KEY $(find src -name '*.none')`:             "below ws/conf/server.key",
	} {
		assert.Contains(t, hazardsIn(t, root, command), want, command)
	}
}

// No name that is known begins with a dash, so that it is not an option.
func TestKnownNamesAreNotOptions(t *testing.T) {
	t.Parallel()
	root := project(t)
	tracks(t, root, "README", "src/a.go")
	for command, want := range map[string]bool{
		`find src -name '*.go' | xargs gofmt -l`: true,
		`git ls-files | xargs gofmt -l`:          true,
		`gofmt -l $(git ls-files)`:               true,
		`gofmt -l $(cat list)`:                   false,
		`cat list | xargs gofmt -l`:              false,
	} {
		assert.Equal(t, want, !slices.Contains(hazardsIn(t, root, command), "-w") && !slices.Contains(hazardsIn(t, root, command), "dynamic"), "%s: %v", command, hazardsIn(t, root, command))
	}
}

// What find finds and git tracks is in a binding, as what a pattern fits is.
func TestTheFilesThatAnotherCommandSuppliesAreNamed(t *testing.T) {
	t.Parallel()
	root := project(t)
	tracks(t, root, "README", "src/a.go")
	for command, want := range map[string]gavel.Fitting{
		`find src -name '*.go' -exec cat {} +`:     {Pattern: "find src -name *.go", Names: []string{"src/a.go"}},
		`find src -name '*.go' | sort | xargs cat`: {Pattern: "find src -name *.go", Names: []string{"src/a.go"}},
		`cat $(git ls-files)`:                      {Pattern: "git ls-files", Names: []string{"README", "src/a.go"}},
	} {
		list := segmentsIn(t, root, command)
		at := slices.IndexFunc(list, func(s gavel.Segment) bool { return len(s.Fits) > 0 })
		require.GreaterOrEqual(t, at, 0, command)
		one := list[at].Fits[0]
		assert.True(t, one.Known, command)
		assert.Equal(t, want.Pattern, one.Pattern, command)
		assert.Equal(t, want.Names, one.Names, command)
		assert.Len(t, one.SHA256, 64, command)
	}
	before := segmentsIn(t, root, `find src -name '*.go' -exec cat {} +`)
	stands(t, root, "src/new.go")
	after := segmentsIn(t, root, `find src -name '*.go' -exec cat {} +`)
	assert.NotEqual(t, before[len(before)-1].Fits, after[len(after)-1].Fits)
	for _, command := range []string{`find -L src -exec cat {} +`, `find . -exec cat {} +`, `find $D -exec cat {} +`, `find src -regex x -o -exec cat {} + -exec wc {} +`} {
		list := segmentsIn(t, root, command)
		require.NotEmpty(t, list[len(list)-1].Fits, command)
		assert.False(t, list[len(list)-1].Fits[0].Known, "%s: an answer covers one execution only", command)
	}
}
