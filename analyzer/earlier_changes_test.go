package analyzer_test

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linkedTar is a tar of one symbolic link.
func linkedTar(t *testing.T, name, target string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}))
	require.NoError(t, w.Close())
	return b.Bytes()
}

// checkEarlierChanges compares the first hazard that commands have because an earlier one may have
// changed what a path names.
func checkEarlierChanges(t *testing.T, cases map[string]string) {
	t.Helper()
	root := project(t)
	for _, name := range []string{"tar", "mv", "tee", "rm"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), nil, 0o755)) //nolint:gosec // programs
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/link.tar"), linkedTar(t, "l", ".env"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/ignore.tar"), linkedTar(t, "src/.ignore", "x"), 0o600))
	require.NoError(t, os.Symlink(".env", filepath.Join(root, "ws/clean/env")))
	for command, want := range cases {
		got := ""
		for _, s := range segmentsIn(t, root, command) {
			for _, h := range s.Hazards {
				if got == "" && (h.Option == "linked" || h.Option == "changed") { // the first
					got = h.Option + " " + h.Argument
				}
			}
		}
		assert.Equal(t, want, got, command)
	}
}

func TestAnEarlierCommandMayHaveMadeALink(t *testing.T) {
	t.Parallel()
	checkEarlierChanges(t, map[string]string{
		"git checkout x && cat README":                       "linked README",
		"git checkout x && wc -l src/a.go":                   "linked src/a.go",
		"git checkout x && grep TODO README":                 "linked README",
		"git checkout x; sort README | head":                 "linked README",
		"git checkout x & cat README":                        "linked README",
		"sh -c 'git checkout x'; cat README":                 "linked README",
		"for i in 1 2; do cat README; git stash; done":       "linked README",
		"git checkout x && cat src/*.go":                     "changed src/*.go",
		"git checkout x && grep -r TODO src":                 "changed src",
		"git reset --hard && cat README":                     "linked README",
		"git mv clean/env x && cat x":                        "linked x",
		"mv clean/env x && cat x":                            "linked x",
		"mv clean c && cat c/c.go":                           "linked c/c.go",
		"cp -r clean c && cat c/c.go":                        "linked c/c.go",
		"cp -P clean/env x && cat x":                         "linked x",
		"tar xf link.tar && cat l":                           "linked l",
		"tar xf link.tar && cp l x":                          "linked l",
		"git checkout -b x y && cat README":                  "linked README",
		"git checkout x && diff --from-file=README src/a.go": "linked src/a.go",
		"mv clean/env x && diff --to-file=x README":          "linked x",
		"f() { git checkout x; }; f && cat README":           "linked README",
		"f() { cat README; }; git checkout x; f":             "linked README",
		"if git checkout x; then cat README; fi":             "linked README",
		"git checkout x | tee log; cat README":               "linked README",
		"cat README $(git checkout x)":                       "linked README",
		"env git checkout x && cat README":                   "linked README",
		"mv clean/* . && cat env":                            "linked env",
		"find clean -name env -exec mv {} x \\; ; cat x":     "linked x",
		"git stash; cat README; git stash pop":               "linked README",
		"(cd src && git checkout x) && cat README":           "linked README",
	})
}

func TestAnEarlierCommandMayHaveMovedADirectory(t *testing.T) {
	t.Parallel()
	checkEarlierChanges(t, map[string]string{
		"mv conf src && grep -r KEY src": "changed src",
		"mv conf x && grep -r KEY x":     "linked x",
		"mv conf x && diff -r x src":     "linked x",
	})
}

func TestAnEarlierCommandMayHaveChangedWhatASearchLeavesOut(t *testing.T) {
	t.Parallel()
	checkEarlierChanges(t, map[string]string{
		"echo '!.env' > .ignore && rg x":     "changed .",
		"echo '!.env' > src/.rgignore; rg x": "changed .",
		"echo x | tee .gitignore; rg x src":  "changed src",
		"rm .gitignore; rg x":                "changed .",
		"sed -i d .gitignore; rg x":          "changed .",
		"cp README .ignore; rg x":            "changed .",
		"git checkout x; rg x":               "changed .",
		"tar xf ignore.tar; rg x":            "changed .",
		"rg x . & echo x > .ignore":          "changed .",
	})
}

func TestAnEarlierCommandThatChangesNothingOfItHasNoEffect(t *testing.T) {
	t.Parallel()
	checkEarlierChanges(t, map[string]string{
		"cat README && git checkout x":                    "",
		"git checkout x && cat":                           "",
		"git checkout x | grep TODO":                      "",
		"git checkout x 2>&1 | sed s/a/b/ | awk 1 | rg x": "",
		"git checkout x | cat":                            "",
		"git checkout x && ls src":                        "",
		"git checkout -b x && cat README":                 "",
		"git commit -m x && cat README":                   "",
		"git reset README && cat README":                  "",
		"git stash list && cat README":                    "",
		"mv README x && cat x":                            "",
		"git mv README x && grep -r y src":                "",
		"cp README x && cat x":                            "",
		"cp -r clean c && cat README":                     "",
		"tar xf link.tar && cat README":                   "",
		"tar tf link.tar && cat l":                        "",
		"echo x > y && cat y && rg x":                     "",
		"echo x > .ignore && cat README":                  "",
		"echo x > src/.ignore && rg x clean":              "",
		"echo x > .ignore && rg -uu x":                    "",
		"rg x && echo x > .ignore":                        "",
		"rm x && rg x":                                    "",
		"touch x && sed -i s/a/b/ x && rg a && wc x":      "",
	})
}
