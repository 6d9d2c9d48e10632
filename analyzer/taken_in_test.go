package analyzer_test

import (
	"crypto/sha1" //nolint:gosec // git uses it
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// index returns the index of a repository that tracks some files.
func index(names ...string) string {
	text := "DIRC" + string(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2), uint32(len(names))))
	for _, name := range names {
		entry := strings.Repeat("\x01", 60) + string(binary.BigEndian.AppendUint16(nil, uint16(len(name)))) + name
		text += entry + strings.Repeat("\x00", 8-len(entry)%8)
	}
	sum := sha1.Sum([]byte(text)) //nolint:gosec // see above
	return text + string(sum[:])
}

// repositoryWith makes a project whose workspace is a repository with these files, besides those of a project.
func repositoryWith(t *testing.T, files map[string]string) string {
	t.Helper()
	root := project(t)
	for _, dir := range []string{"objects", "refs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "ws/.git", dir), 0o755))
	}
	files[".git/HEAD"] = "ref: refs/heads/main\n"
	for name, text := range files {
		full := filepath.Join(root, "ws", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	for _, name := range []string{"rm", "mv", "tee", "printf", "cp"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), nil, 0o755)) //nolint:gosec // programs
	}
	return root
}

// takenIn returns the denied files that a command would take into the repository, separated by spaces, or
// another hazard of them.
func takenIn(t *testing.T, root, command string) string {
	t.Helper()
	list := []string{}
	for _, h := range hazardsIn(t, root, command) {
		option, file, _ := strings.Cut(h, " ")
		switch option {
		case "below":
			list = append(list, strings.TrimPrefix(file, "ws/"))
		case "inside", "bound", "unseen", "changed", "linked":
			list = append(list, option)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// What git takes in can be read from the repository, so it reads the denied files that it does not ignore.
func TestGitReadsTheDeniedFilesThatItTakesIn(t *testing.T) {
	t.Parallel()
	root := repositoryWith(t, map[string]string{".gitignore": "conf/\nlib/\n"})
	for command, want := range map[string]string{
		"git add -A":                            ".env",
		"git add .":                             ".env",
		"git add":                               ".env",
		"git add -N .":                          ".env",
		"git add -v -- .":                       ".env",
		"git add ./":                            ".env",
		"git add src/..":                        ".env",
		"git add " + root + "/ws":               ".env",
		"git add '*.env'":                       ".env",
		"git add '.e*'":                         ".env",
		"git add .ENV":                          ".env",
		"git add ':/'":                          ".env",
		"git add ':!src'":                       ".env",
		"git add --pathspec-from-file=src/a.go": ".env",
		"git add -f .":                          ".env conf/server.key lib/deep/b.go",
		"git add -f conf":                       "conf/server.key",
		"cd src && git add -A":                  ".env",
		"cd src && git add ..":                  ".env",
		"cd src && git add '../*'":              ".env",
		"git -C src add -A":                     ".env",
		"git stash push -u":                     ".env",
		"git stash -u":                          ".env",
		"git stash -uk":                         ".env",
		"git stash -um x":                       ".env",
		"git stash -a":                          ".env conf/server.key lib/deep/b.go",
		"git stash":                             "",
		"git stash push -u -m x -- src":         ".env",
		"git stash push --include-untracked":    ".env",
		"git stash save -u x":                   ".env",
		"git stash push -a":                     ".env conf/server.key lib/deep/b.go",
		"echo x | xargs git add":                ".env",
		"git add src":                           "",
		"git add src/a.go README":               "",
		"git add '*.go'":                        "",
		"git add 'src/*'":                       "",
		"git add gone":                          "",
		"cd src && git add .":                   "",
		"cd src && git add '*'":                 "",
		"git -C src add .":                      "",
		"git add conf lib":                      "", // git ignores them
		"git add -u":                            "",
		"git add -n .":                          "",
		"git stash push -m x":                   "",
		"git commit -a -m x":                    "",
	} {
		assert.Equal(t, want, takenIn(t, root, command), command)
	}
}

func TestWhatGitIgnoresOrTracksIsNotTakenIn(t *testing.T) {
	t.Parallel()
	tracking := index(".env", "conf/server.key", "lib/deep/b.go")
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"everything is ignored":                        {map[string]string{".gitignore": ".env\n*.key\nlib/\n"}, ""},
		"by a file in the directory":                   {map[string]string{".gitignore": ".env\n*.key\n", "lib/.gitignore": "b.go\n"}, ""},
		"by its path":                                  {map[string]string{".gitignore": "/.env\nconf/server.key\n**/b.go\n"}, ""},
		"everything is tracked":                        {map[string]string{".git/index": tracking}, ""},
		"some is ignored, some tracked":                {map[string]string{".gitignore": ".env\n", ".git/index": index("conf/server.key", "lib/deep/b.go")}, ""},
		"another file of the name is tracked":          {map[string]string{".gitignore": "*.key\nlib/\n", ".git/index": index("src/.env", ".envx")}, ".env"},
		"the index is broken":                          {map[string]string{".gitignore": "*.key\nlib/\n", ".git/index": tracking + "x"}, ".env"},
		"the files of the repository are elsewhere":    {map[string]string{".gitignore": "*.key\nlib/\n", ".git/index": tracking, ".git/config": "[core]\n\tworktree = /x\n"}, ".env"},
		"a line keeps it":                              {map[string]string{".gitignore": ".env\n*.key\nlib/\n!.env\n"}, ".env"},
		"a line below keeps it":                        {map[string]string{".gitignore": "*.key\nlib/\n.env\n", "conf/.gitignore": "!server.key\n"}, "conf/server.key"},
		"a file that git does not read ignores it":     {map[string]string{".gitignore": "*.key\nlib/\n", ".ignore": ".env\n", ".rgignore": ".env\n"}, ".env"},
		"a tab ends the line":                          {map[string]string{".gitignore": "*.key\nlib/\n.env\t\n"}, ".env"},
		"a space ends the line":                        {map[string]string{".gitignore": "*.key\nlib/\n.env \n"}, ""},
		"the line ends as on Windows":                  {map[string]string{".gitignore": "*.key\r\nlib/\r\n.env\r\n"}, ""},
		"two slashes are not one":                      {map[string]string{".gitignore": "*.key\nlib/\n**//.env\n"}, ".env"},
		"a mark of the encoding comes before the line": {map[string]string{".gitignore": "\ufeff!.env\n*.key\nlib/\n.env\n"}, ".env"},
		"only a directory is ignored":                  {map[string]string{".gitignore": "*.key\nlib/\n.env/\n"}, ".env"},
		"the repository's own file ignores it":         {map[string]string{".gitignore": "*.key\nlib/\n", ".git/info/exclude": ".env\n"}, ""},
		"that file ignores everything":                 {map[string]string{".git/info/exclude": "/.env\nconf/*.key\nlib/deep/b.go\n"}, ""},
		"that file keeps it":                           {map[string]string{".gitignore": "*.key\nlib/\n", ".git/info/exclude": ".env\n!.env\n"}, ".env"},
		".gitignore keeps it":                          {map[string]string{".gitignore": "*.key\nlib/\n!.env\n", ".git/info/exclude": ".env\n"}, ".env"},
		".gitignore below keeps it":                    {map[string]string{".gitignore": ".env\nlib/\n", "conf/.gitignore": "!*.key\n", ".git/info/exclude": "*.key\n"}, "conf/server.key"},
		"what that file keeps, .gitignore ignores":     {map[string]string{".gitignore": ".env\n*.key\nlib/\n", ".git/info/exclude": "!.env\n"}, ""},
		"that file has a path from elsewhere":          {map[string]string{".gitignore": "*.key\nlib/\n", ".git/info/exclude": "ws/.env\nsrc/.env\n"}, ".env"},
		"the repository's files are elsewhere":         {map[string]string{".gitignore": "*.key\nlib/\n", ".git/info/exclude": ".env\n", ".git/config": "[core]\n\tworktree = /x\n"}, ".env"},
		"another repository has that file":             {map[string]string{".gitignore": "*.key\nlib/\n", ".git/info/exclude": ".env\n", ".git/commondir": "/x\n"}, ".env"},
		"only the user's own file ignores it":          {map[string]string{".gitignore": "*.key\nlib/\n", ".config/git/ignore": ".env\n", ".git/ignore": ".env\n"}, ".env"},
	} {
		assert.Equal(t, c.want, takenIn(t, repositoryWith(t, c.files), "git add -A"), name)
	}
}

func TestGitDoesNotFollowALinkInPlaceOfGitignore(t *testing.T) {
	t.Parallel()
	root := repositoryWith(t, map[string]string{"rules": ".env\n*.key\nlib/\n"})
	require.NoError(t, os.Symlink("rules", filepath.Join(root, "ws/.gitignore")))
	assert.Equal(t, ".env conf/server.key lib/deep/b.go", takenIn(t, root, "git add -A"))
}

func TestTheTopOfARepositoryIsCertain(t *testing.T) {
	t.Parallel()
	// git goes on upwards where .git is not a repository.
	root := repositoryWith(t, map[string]string{".gitignore": "*.key\nlib/\n", "src/.git/x": ""})
	assert.Equal(t, "unseen", takenIn(t, root, "cd src && git add -A"))
	assert.Equal(t, ".env", takenIn(t, root, "git add -A"))
	// A working tree whose repository is elsewhere.
	tree := repositoryWith(t, map[string]string{".gitignore": "*.key\nlib/\n"})
	require.NoError(t, os.Rename(tree+"/ws/.git", tree+"/out/own"))
	require.NoError(t, os.WriteFile(tree+"/ws/.git", []byte("gitdir: ../out/own\n"), 0o600))
	assert.Equal(t, ".env", takenIn(t, tree, "git add -A"))
	require.NoError(t, os.WriteFile(tree+"/out/own/index", []byte(index(".env")), 0o600))
	assert.Empty(t, takenIn(t, tree, "git add -A"))
	// A directory in which one may be made before.
	require.NoError(t, os.Remove(tree+"/ws/.git"))
	assert.Equal(t, ".env", takenIn(t, tree, "git init && git add -A"))
}

// git diff compares two directories, whatever is tracked there, if one of them is outside the working tree or there
// is none.
func TestGitDiffReadsDirectoriesOutsideARepository(t *testing.T) {
	t.Parallel()
	root := repositoryWith(t, map[string]string{".gitignore": "*\n", "sub/.env": "", "sub/.git/HEAD": "ref: refs/heads/main\n", "sub/.git/objects/x": "", "sub/.git/refs/x": "", "other/f": ""})
	for command, want := range map[string]string{
		"git diff conf ../out":              "conf/server.key",
		"git diff -- conf " + root + "/out": "conf/server.key",
		"git diff --stat ../out conf":       "conf/server.key",
		"cd sub && git diff ../other .":     "sub/.env",
		"git -C sub diff ../other .":        "sub/.env",
		"git diff --no-index src conf":      "conf/server.key",
		"git diff \"$X\" conf":              "conf/server.key",
		"git diff lib/out conf":             "conf/server.key", // a link out of the working tree
		"git diff src conf":                 "",
		"git diff main conf":                "",
		"git diff main..x -- conf src":      "",
		"git diff \"$X\"":                   "",
		"git diff \"$X\" \"$Y\"":            "",
		"git diff \"$X\" \"$Y\" -- conf":    "",
		"git log --since=$X -- conf src":    "",
		"git show $X conf":                  "",
		"cd sub && git -C .. diff conf src": "",
	} {
		assert.Equal(t, want, takenIn(t, root, command), command)
	}
	require.NoError(t, os.Remove(root+"/ws/.git/HEAD"))
	require.NoError(t, os.RemoveAll(root+"/ws/.git"))
	assert.Equal(t, "conf/server.key", takenIn(t, root, "git diff src conf"), "no repository")
}

func TestALinkInPlaceOfTheRepositorysOwnIgnoreFileDoesNotCount(t *testing.T) {
	t.Parallel()
	root := repositoryWith(t, map[string]string{".gitignore": "*.key\nlib/\n", "rules": ".env\n", ".git/info/x": ""})
	require.NoError(t, os.Symlink("../../rules", filepath.Join(root, "ws/.git/info/exclude")))
	assert.Equal(t, ".env", takenIn(t, root, "git add -A"))
	assert.Empty(t, takenIn(t, repositoryWith(t, map[string]string{".git/info/exclude": "*.key\n"}), "git add conf"))
}

func TestAnEarlierCommandMayChangeTheRepositorysOwnIgnoreFile(t *testing.T) {
	t.Parallel()
	root := repositoryWith(t, map[string]string{".git/info/exclude": ".env\n*.key\nlib/\n"})
	require.NoError(t, os.Symlink(".git/info", filepath.Join(root, "ws/info")))
	for command, want := range map[string]string{
		"git add -A":                                          "",
		"rm .git/info/exclude; git add -A":                    "changed",
		"rm .GIT/INFO/EXCLUDE; git add -A":                    "changed",
		"cd .git && rm info/exclude; cd .. && git add -A":     "changed unseen",
		"cd .git/info && rm exclude; cd ../.. && git add -A":  "changed unseen",
		"rm info/exclude; git add -A":                         "changed",
		"rm .g*/info/exclude; git add -A":                     "changed",
		"rm .git/*/exclude; git add -A":                       "changed",
		"rm .git/x/../info/exclude; git add -A":               "changed",
		"cp README .git/info/exclude && git add -A":           "changed",
		"cp -t .git/info README && git add -A":                "changed",
		"cp --target-directory=.git/info README; git add -A":  "changed",
		"mv .git/info x && git add -A":                        "changed",
		"echo x > .git/info/exclude; git add -A":              "changed",
		"echo x > info/exclude; git add -A":                   "changed",
		"git add -A; echo x > .git/info/exclude":              "",
		"rm -f .git/index.lock && git add -A":                 "",
		"rm -f info.git/x && git add -A":                      "",
		"git remote add origin g@h.com:u/y.git && git add -A": "",
		"rm " + root + "/ws/src/*.go; git add -A":             "",
	} {
		assert.Equal(t, want, takenIn(t, root, command), command)
	}
}

// A move of a directory changes the names by which git ignores what is in it.
func TestAMoveOfADirectoryWithoutDeniedFilesBringsNone(t *testing.T) {
	t.Parallel()
	root := repositoryWith(t, map[string]string{".gitignore": ".env\nconf/\n/lib/\nold/b.key\n", "old/b.key": "", "doc/a": "", "doc/b/c": "", "sub/.git/x": "", "lib/empty/x/y": ""})
	require.NoError(t, os.Symlink("doc", filepath.Join(root, "ws/link")))
	for command, want := range map[string]string{
		"mv doc docs && git add -A":                     "",
		"mv -v doc src/ && git add -A && git commit":    "",
		"mv doc README src && git add .":                "",
		"git mv doc docs && git add -A":                 "",
		"cd doc && mv b ../b && git add -A":             "",
		"mv doc gone && mv src/a.go x && git add -A":    "",
		"mv conf old && git add -A":                     "changed",
		"mv lib x && git add -A":                        "changed",
		"mv old x && git add -A":                        "changed",
		"mv doc x && mv src y && git add -A":            "changed", // the second may move what the first moved
		"mv gone doc x && git add -A":                   "changed",
		"mv link x && git add -A":                       "changed",
		"mv \"$X\" x && git add -A":                     "changed",
		"mv doc \"$X\" && git add -A":                   "changed",
		"mv -b doc conf && git add -A":                  "changed",
		"mv -T --backup doc conf && git add -A":         "changed",
		"mv --exchange doc conf && git add -A":          "changed",
		"mv -t x doc && git add -A":                     "changed",
		"mv doc .git/info && git add -A":                "changed",
		"mv sub/.git x && git add -A":                   "changed",
		"mv doc .gitignore && git add -A":               "changed",
		"mv doc x; git stash pop; git add -A":           "changed",
		"git stash pop && git add -A":                   "changed",
		"for d in doc src; do mv $d x; done; git add .": "changed",
	} {
		assert.Equal(t, want, takenIn(t, root, command), command)
	}
}

// A command before it may change what git ignores, or bring other files.
func TestAnEarlierCommandMayChangeWhatIsTakenIn(t *testing.T) {
	t.Parallel()
	ignored := map[string]string{".gitignore": ".env\n*.key\nlib/\n"}
	root := repositoryWith(t, ignored)
	for command, want := range map[string]string{
		"rm .gitignore; git add .":                                 "changed",
		"rm .gitignore & git add .":                                "changed",
		"rm .gi*; git add .":                                       "changed",
		"rm \"$X\"; git add .":                                     "changed",
		"mv .gitignore x && git add src/y":                         "changed",
		"cd src && rm ../.gitignore && git add -A":                 "changed",
		"cd src && cp ../conf/.gitignore .. && git stash push -u":  "changed",
		"sort -o .gitignore README; git add -A":                    "changed",
		"echo x > .gitignore; git add -A":                          "changed",
		"echo '!.env' >> .gitignore; git add -A":                   "changed",
		"printf '\\041.env\\n' >> .gitignore; git add -A":          "changed",
		"echo $X >> .gitignore; git add -A":                        "changed",
		"cat README >> .gitignore; git add -A":                     "changed",
		"echo x | tee -a .gitignore; git add -A":                   "changed",
		"for i in 1 2; do git add -A; rm .gitignore; done":         "changed",
		"git checkout x && git add -A":                             "changed",
		"git stash push && git add -A":                             "changed",
		"git checkout x && git add \"$X\"":                         "changed",
		"./echo dist >> .gitignore; git add -A":                    "changed", // not what its name says
		"busybox echo dist >> .gitignore; git add -A":              "changed",
		"tac >> .gitignore <<'EOF'\ndist\n!.env\nEOF\ngit add -A":  "changed",
		"echo dist >> .gitignore && git add -A && git commit -m x": "",
		"printf 'dist\\n*.o\\n' >> .gitignore && git add -A":       "",
		"cat >> .gitignore <<'EOF'\ndist\nEOF\ngit add -A":         "",
		"git add -A && echo x > .gitignore":                        "",
		"git checkout -b x && git add -A":                          "",
		"echo x > notes && git add -A":                             "",
		"rm .gitignore; git add src/a.go":                          "",
		"rm src/*.go; git add -A":                                  "",
		"touch a; mv README b; git add -A && git commit -m 'a!'":   "",
	} {
		assert.Equal(t, want, takenIn(t, root, command), command)
	}
	ignored[".gitignore"] = ".env\n*.key\nlib/" // a line that is appended becomes part of the last one
	assert.Equal(t, "changed", takenIn(t, repositoryWith(t, ignored), "echo x >> .gitignore && git add -A"))
	none := repositoryWith(t, map[string]string{".git/index": index(".env", "conf/server.key", "lib/deep/b.go")})
	assert.Empty(t, takenIn(t, none, "git checkout x && rm .gitignore; git add -A"), "there is nothing to take in")
}
