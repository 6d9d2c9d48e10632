package analyzer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inLoops reports whether each word with the variable f stands for files that were examined, in the
// commands that are given one. It is not given if no command is.
func inLoops(t *testing.T, root, command string) (known, given bool) {
	t.Helper()
	known = true
	facts := execIn(t, root, command)
	for _, s := range facts.Segments {
		for _, at := range s.Dynamic {
			if at < len(s.Argv) && (s.Argv[at] == "$f" || strings.HasSuffix(s.Argv[at], `$f"`)) && s.Executable.Name != "echo" {
				given = true
				known = known && slices.Contains(s.Patterns, at)
			}
		}
	}
	return known && facts.Parsed, given
}

// checkLoopNames compares for which commands the files that a loop names are known and examined.
func checkLoopNames(t *testing.T, cases map[string]bool) {
	t.Helper()
	root := project(t)
	alsoPrograms(t, root, "timeout", "printf", "[")
	tracks(t, root, "README", "src/a.go", "clean/c.go")
	for name, text := range map[string]string{"list": "README\nsrc/a.go\n", "out.txt": "src/../../out/note\n", "root.txt": "/etc/shadow\n", "two.txt": "src/a.go README\n", "dash.txt": "-w\n", "empty.txt": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "ws", name), []byte(text), 0o600))
	}
	for command, want := range cases {
		known, given := inLoops(t, root, command)
		assert.Equal(t, want, known && given, command)
	}
}

func TestNamesThatALoopIteratesOverAreExamined(t *testing.T) {
	t.Parallel()
	checkLoopNames(t, map[string]bool{
		`for f in $(git ls-files 'src/*.go'); do cat "$f"; done`:                      true,
		`for f in $(git ls-files src); do echo "== $f"; wc -l $f; done`:               true,
		`for f in $(git ls-files src clean); do head -3 "./$f" | tail -1; done`:       true,
		`for f in $(find src -name '*.go'); do timeout 5 grep -n x "$f"; done`:        true,
		`for f in $(find src -name '*.go' | sort); do diff "$f" "$f"; done`:           true,
		`git ls-files | grep go | while read -r f; do wc -l "$f"; done`:               true,
		`git ls-files src | while IFS= read -r f; do [ -f "$f" ] && cat "$f"; done`:   true,
		`git ls-files src | while read f; do cat "$f"; done 2>/dev/null`:              true,
		`find src -name '*.go' -print0 | while IFS= read -rd '' f; do cat "$f"; done`: true,
		`find src -name '*.go' | while read -r f; do cat "$f" | wc -l; done`:          true,
		`while IFS= read -r f; do cat "$f"; done < list`:                              true,
		`while read -r f; do cat "$f"; done < empty.txt`:                              true,
		`while read -r f; do cat "$f"; done < <(git ls-files src)`:                    true,
		`cd src && for f in $(git ls-files); do cat "$f"; done`:                       true,
		`for f in $(git diff --name-only); do echo "== $f"; head -3 "$f"; done`:       true,
		`git diff --name-only --diff-filter=AM | while read -r f; do cat "$f"; done`:  true,
	})
}

func TestALoopOverTheNamesOfOtherFilesIsUnknown(t *testing.T) {
	t.Parallel()
	checkLoopNames(t, map[string]bool{
		`for f in $(git diff); do cat "$f"; done`:                                   false,
		`for f in $(git diff --name-only HEAD); do cat "$f"; done`:                  false,
		`for f in $(git diff --name-only --cached); do cat "$f"; done`:              false,
		`for f in $(git diff --name-only src); do cat "$f"; done`:                   false,
		`for f in $(git diff --name-only -- src); do cat "$f"; done`:                false,
		`for f in $(git diff --name-status); do cat "$f"; done`:                     false,
		`for f in $(git diff --name-only --no-index a b); do cat "$f"; done`:        false,
		`for f in $(git diff --name-only --line-prefix=/); do cat "$f"; done`:       false,
		`for f in $(git diff --name-only --stat); do cat "$f"; done`:                false,
		`for f in $(git diff --name-only -p); do cat "$f"; done`:                    false,
		`for f in $(git diff --name-only --submodule=log); do cat "$f"; done`:       false,
		`for f in $(git -C src diff --name-only); do cat "$f"; done`:                false,
		`for f in $(git -c diff.relative=true diff --name-only); do cat "$f"; done`: false,
		`for f in $(git diff --name-only $x); do cat "$f"; done`:                    false,
		`cd src && for f in $(git diff --name-only); do cat "$f"; done`:             false,
		`git add -A && for f in $(git diff --name-only); do cat "$f"; done`:         false,
	})
}

func TestALoopVariableThatMayHaveAnotherValueIsUnknown(t *testing.T) {
	t.Parallel()
	checkLoopNames(t, map[string]bool{
		`for f in $(git ls-files src); do f=/etc/shadow; cat "$f"; done`:                     false,
		`for f in $(git ls-files src); do f=$f.bak; cat "$f"; done`:                          false,
		`for f in $(git ls-files src); do export f; cat "$f"; done`:                          false,
		`for f in $(git ls-files src); do read -r f < list; cat "$f"; done`:                  false,
		`for f in $(git ls-files src); do printf -v f /etc/shadow; cat "$f"; done`:           false,
		`for f in $(git ls-files src); do for f in $(git ls-files); do cat "$f"; done; done`: false,
		`for f in $(git ls-files src); do :; done; cat "$f"`:                                 false,
		`cat "$f"; for f in $(git ls-files src); do :; done`:                                 false,
		`g() { f=/etc/shadow; }; for f in $(git ls-files src); do g; cat "$f"; done`:         false,
		`g() { cat "$f"; }; for f in $(git ls-files src); do g; done`:                        false,
		`trap 'f=/etc/shadow' USR1; for f in $(git ls-files src); do cat "$f"; done`:         false,
		`for f in $(git ls-files src) /etc/shadow; do cat "$f"; done`:                        false,
		`for f in $(git ls-files src)/../../x; do cat "$f"; done`:                            false,
		`for f in "$(git ls-files src)"; do cat "$f"; done`:                                  false,
		`for f in $(git ls-files src; echo /etc/shadow); do cat "$f"; done`:                  false,
		`for f in $(git ls-files src) $(echo /etc/shadow); do cat "$f"; done`:                false,
		`for f in $(find $PWD -name '*.go'); do cat "$f"; done`:                              false,
		`for f in $(find / -maxdepth 1 -name '*.go'); do cat "./$f"; done`:                   false, // another file
		`for f in $(git ls-files src); do cat "../$f"; done`:                                 false,
		`for f in $(git ls-files src); do cat "x$f"; done`:                                   false,
		`for f in $(git ls-files src); do sh -c 'cat "$f"'; done`:                            false,
		`IFS=c; for f in $(git ls-files src); do cat "$f"; done`:                             false,
		`for f in $(git ls-files src); do cd clean; cat "$f"; done`:                          false,
		`for f in $(cd src; git ls-files); do cat "$f"; done`:                                false,
		`for f in $(git ls-files -z src); do cat "$f"; done`:                                 false,
		`for f in $(git ls-files src); do cp /etc/shadow src/a.go; cat "$f"; done`:           false,
		`for f in $(git ls-files src); do cat "$f"; touch x; done`:                           false,
		`for f in $(git ls-files src); do cat "$f" > list; done`:                             false,
	})
}

func TestALoopOverOtherThanWholeLinesIsUnknown(t *testing.T) {
	t.Parallel()
	checkLoopNames(t, map[string]bool{
		`git ls-files src | while read -r f; do head -c 2; cat "$f"; done`:       false,
		`git ls-files src | while read -r f; do cat; cat "$f"; done`:             false,
		`git ls-files src | while read -r f; do cat - "$f"; done`:                false,
		`git ls-files src | while read -r f; do cat "$f" /dev/stdin; done`:       false,
		`git ls-files src | while read -r f; do cat $X "$f"; done`:               false,
		`git ls-files src | while read -r f; do grep "$f"; done`:                 false,
		`git ls-files src | while read -r f; do read -rn2 x; cat "$f"; done`:     false,
		`git ls-files src | while read -r f; do sh run; cat "$f"; done`:          false,
		`git ls-files src | while read -r f g; do cat "$f"; done`:                false,
		`git ls-files src | while read -rn 3 f; do cat "$f"; done`:               false,
		`git ls-files src | while read -r -d / f; do cat "$f"; done`:             false,
		`git ls-files src | while IFS=s read -r f; do cat "$f"; done`:            false,
		`git ls-files src | while read -r f || [ -n "$f" ]; do cat "$f"; done`:   false,
		`git ls-files src | while read -u 3 -r f; do cat "$f"; done`:             false,
		`git ls-files src | while ! read -r f; do cat "$f"; done`:                false,
		`git ls-files src | until read -r f; do cat "$f"; done`:                  false,
		`git ls-files src | while read -r f < list; do cat "$f"; done`:           false,
		`git ls-files src | while read -r f; do cat "$f"; done <<< /etc/shadow`:  false,
		`git ls-files src | while read -r f; do cat "$f"; done < root.txt`:       false,
		`git ls-files src |& while read -r f; do cat "$f"; done`:                 false,
		`git ls-files src | (while read -r f; do cat "$f"; done)`:                false,
		`(git ls-files; echo /etc/shadow) | while read -r f; do cat "$f"; done`:  false,
		`echo /etc/shadow | while read -r f; do cat "$f"; done`:                  false,
		`find src -print0 | while read -r f; do cat "$f"; done`:                  false,
		`find src -name '*.go' | while read -rd '' f; do cat "$f"; done`:         false,
		`while read -r f; do cat "$f"; done < out.txt`:                           false,
		`while read -r f; do cat "$f"; done < root.txt`:                          false,
		`while read -r f; do cat "$f"; done < two.txt`:                           false,
		`while read -r f; do cat "$f"; done < dash.txt`:                          false,
		`while read -r f; do cat "$f"; done < none.txt`:                          false,
		`while read -r f; do cat "$f"; done < "$L"`:                              false,
		`while read -r f; do cat "$f"; done 3< list`:                             false,
		`while read -r f; do cat "$f"; done < list < root.txt`:                   false,
		`cp root.txt list; while read -r f; do cat "$f"; done < list`:            false,
		`while read -r f; do cat "$f"; done < <(git ls-files; echo /etc/shadow)`: false,
		`while read -r REPLY; do f=$REPLY; cat "$f"; done < list`:                false,
	})
}

func TestClosedFilesOfALoopAreHazards(t *testing.T) {
	t.Parallel()
	root := project(t)
	tracks(t, root, ".env", "README", "src/a.go", "conf/server.key", "src/x")
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/list"), []byte("README\nconf\n"), 0o600))
	for command, want := range map[string]string{
		`for f in $(git ls-files); do cat "$f"; done`:                  "below ws/.env",
		`for f in $(git ls-files 'conf/*'); do cat "$f"; done`:         "below ws/conf/server.key",
		`for f in $(git ls-files '*.K?Y'); do cat "$f"; done`:          "below ws/conf/server.key",
		`for f in $(git ls-files ./conf/../conf/*); do cat "$f"; done`: "",
		`git ls-files -- conf | while read -r f; do cat "$f"; done`:    "below ws/conf/server.key",
		`git ls-files 'src/[x]' | while read -r f; do cat "$f"; done`:  "secret /etc/shadow",
		`while read -r f; do cat "$f"; done < list`:                    "below ws/conf/server.key",
		`find . -name '.e*' | while read -r f; do cat "$f"; done`:      "below ws/.env",
		`for f in $(git ls-files src); do cat "$f"; done`:              "secret /etc/shadow",
		`git ls-files | xargs -I{} cat {}`:                             "below ws/.env",
		`for f in $(git ls-files .); do bash -n "$f"; done`:            "below ws/.env",
	} {
		list := hazardsIn(t, root, command)
		if want == "" {
			assert.NotEmpty(t, list, command)
			continue
		}
		assert.Contains(t, list, want, command)
	}
}

// IFS in front of read is set for that alone, so no other command gets it.
func TestIFSBeforeReadIsNotAVariableOfTheScript(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string][]string{
		`while IFS= read -r f; do echo "$f"; done < README`:    {"f"},
		`while IFS=, read -r a b; do echo "$a"; done < README`: {"a", "b"},
		`IFS=, ; read -r a < README`:                           {"IFS", "a"},
		`IFS=, cat README`:                                     {"IFS"},
		`IFS=$X read -r a < README`:                            {"IFS", "a"},
		`PATH=x read -r a < README`:                            {"PATH", "a"},
		`IFS+=x read -r a < README`:                            {"IFS", "a"},
		`IFS= command read -r a < README`:                      {"IFS", "a"},
	} {
		assert.Equal(t, want, execIn(t, root, command).Variables, command)
	}
}
