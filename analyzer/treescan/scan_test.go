package treescan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/treescan"
	"gavel/internal/pathglob"
)

// tree makes files below a directory and returns its real path. A name that ends in a slash is a
// directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		full := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	return root
}

func looking(t *testing.T) *treescan.Scanner {
	t.Helper()
	return &treescan.Scanner{Denied: pathglob.NewFiles([]string{"/**/.env", "/**/*.key", "/**/.aws/**"}), Host: host.Limit(t.Context(), host.Local())}
}

// names are found files without the directory that they are below.
func names(t *testing.T, root string, found treescan.Result) []string {
	t.Helper()
	list := []string{}
	for _, file := range append(found.Files, found.Directories...) {
		name, err := filepath.Rel(root, file)
		require.NoError(t, err)
		list = append(list, name)
	}
	return list
}

func TestDeniedFilesBelowADirectoryAreFound(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"a.go": "", ".env": "", "conf/tls/server.key": "", "other/other.key": "", ".aws/credentials": "", "src/b.go": "", "keys/x.keys": ""})
	for name, c := range map[string]struct {
		out  treescan.Exclusions
		want []string
	}{
		"everything is read":                     {treescan.Exclusions{}, []string{".env", "conf/tls/server.key", "other/other.key", ".aws"}},
		"hidden files are left out":              {treescan.Exclusions{Hidden: true}, []string{"conf/tls/server.key", "other/other.key"}},
		"a file is left out by its name":         {treescan.Exclusions{Files: []string{".env"}}, []string{"conf/tls/server.key", "other/other.key", ".aws"}},
		"and by a pattern":                       {treescan.Exclusions{Files: []string{"*.key", ".e*"}}, []string{".aws"}},
		"a directory is left out":                {treescan.Exclusions{Directories: []string{"conf", ".aws"}}, []string{".env", "other/other.key"}},
		"only some files are read":               {treescan.Exclusions{OnlyFiles: []string{"*.go"}, Unmatched: true}, []string{".aws"}},
		"only some, which a denied one is of":    {treescan.Exclusions{OnlyFiles: []string{"*.key"}, Unmatched: true}, []string{"conf/tls/server.key", "other/other.key", ".aws"}},
		"what is named to be read wins":          {treescan.Exclusions{OnlyFiles: []string{".env"}, Files: []string{".env", "*.key"}}, []string{".env", ".aws"}},
		"an unclear pattern may name any file":   {treescan.Exclusions{OnlyFiles: []string{"[a-z]*"}, Unmatched: true}, []string{".env", "conf/tls/server.key", "other/other.key", ".aws"}},
		"an unclear pattern leaves nothing out":  {treescan.Exclusions{Files: []string{"{.env}", "[.]env", "!.env", "conf/*"}}, []string{".env", "conf/tls/server.key", "other/other.key", ".aws"}},
		"a directory is left out as that only":   {treescan.Exclusions{Files: []string{"conf", "other"}}, []string{".env", "conf/tls/server.key", "other/other.key", ".aws"}},
		"a file is not left out as a directory":  {treescan.Exclusions{Directories: []string{".env"}}, []string{".env", "conf/tls/server.key", "other/other.key", ".aws"}},
		"nothing is ignored without such a file": {treescan.Exclusions{Ignored: true}, []string{".env", "conf/tls/server.key", "other/other.key", ".aws"}},
	} {
		found := looking(t).Scan(root, c.out, false)
		assert.ElementsMatch(t, c.want, names(t, root, found), name)
		assert.False(t, found.LimitReached || found.Incomplete, name)
	}
}

func TestADirectoryWithoutDeniedFilesHasNone(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"src/a.go": "", "src/.hidden/x": ""})
	assert.Equal(t, treescan.Result{}, looking(t).Scan(root, treescan.Exclusions{}, false))
}

func TestWhatGitIgnoresIsLeftOutOnlyInARepository(t *testing.T) {
	t.Parallel()
	files := map[string]string{".gitignore": ".env\n/dist/\n*.tmp\n", ".env": "", "sub/.env": "", "dist/a.key": "", "sub/dist/b.key": ""}
	root := tree(t, files)
	found := looking(t).Scan(root, treescan.Exclusions{Ignored: true}, false)
	assert.Len(t, names(t, root, found), 3, "without a repository nothing is ignored")
	files[".git/config"] = ""
	root = tree(t, files)
	found = looking(t).Scan(root, treescan.Exclusions{Ignored: true}, false)
	assert.ElementsMatch(t, []string{"sub/dist/b.key"}, names(t, root, found), "/dist/ is about one directory")
	found = looking(t).Scan(root, treescan.Exclusions{}, false)
	assert.Len(t, names(t, root, found), 3, "another program reads what is ignored")
	found = looking(t).Scan(filepath.Join(root, "sub"), treescan.Exclusions{Ignored: true}, false)
	assert.ElementsMatch(t, []string{"sub/dist/b.key"}, names(t, root, found), "rules of directories above hold")
}

// A line that begins with an exclamation mark also shows what is hidden, in a repository or not.
func TestFilesThatAnIgnoreFileKeepsAreNotHidden(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"by its name":                      {map[string]string{".ignore": "!.env\n"}, []string{".env", "sub/.env"}},
		"by a pattern":                     {map[string]string{".rgignore": "!.e*\n"}, []string{".env", "sub/.env"}},
		"a pattern nobody reads may":       {map[string]string{".gitignore": "![.]env\n"}, []string{".env", "sub/.env", ".aws"}},
		"only below a directory":           {map[string]string{".ignore": "!/sub/**\n"}, []string{"sub/.env"}},
		"directories only":                 {map[string]string{".ignore": "!*/\n"}, []string{".aws"}},
		"something else":                   {map[string]string{".ignore": "!.env.example\n"}, []string{}},
		"what it ignores too stays hidden": {map[string]string{".ignore": ".env\n"}, []string{}},
	} {
		c.files[".env"], c.files["sub/.env"], c.files[".aws/credentials"] = "", "", ""
		root := tree(t, c.files)
		look := looking(t)
		found := look.Scan(root, treescan.Exclusions{Hidden: true, Ignored: true}, false)
		if name == "directories only" || len(c.want) < 2 {
			assert.ElementsMatch(t, c.want, names(t, root, found), name)
			continue
		}
		assert.Subset(t, c.want, names(t, root, found), name)
		assert.NotEmpty(t, names(t, root, found), name)
	}
}

func TestHiddenFilesMayBeIncludedByAPattern(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{".env": "", "sub/x.key": "", ".git/config": "", ".gitignore": "*.key\n.env\n"})
	for name, c := range map[string]struct {
		out  treescan.Exclusions
		want []string
	}{
		"shown, and not ignored":     {treescan.Exclusions{Hidden: true, Unhidden: []treescan.NamePattern{treescan.ParsePattern(".env")}}, []string{".env", "sub/x.key"}},
		"shown, and ignored":         {treescan.Exclusions{Hidden: true, Ignored: true, Unhidden: []treescan.NamePattern{treescan.ParsePattern(".env")}}, []string{}},
		"kept although ignored":      {treescan.Exclusions{Hidden: true, Ignored: true, Exceptions: []treescan.NamePattern{treescan.ParsePattern(".env")}}, []string{".env"}},
		"kept below a directory":     {treescan.Exclusions{Hidden: true, Ignored: true, Exceptions: []treescan.NamePattern{treescan.ParsePattern("sub/**")}}, []string{"sub/x.key"}},
		"kept below another one":     {treescan.Exclusions{Hidden: true, Ignored: true, Exceptions: []treescan.NamePattern{treescan.ParsePattern("src/**/*.key")}}, []string{}},
		"kept below whatever it is":  {treescan.Exclusions{Hidden: true, Ignored: true, Exceptions: []treescan.NamePattern{treescan.ParsePattern("s*/*.key")}}, []string{"sub/x.key"}},
		"an unclear one may be both": {treescan.Exclusions{Hidden: true, Ignored: true, Exceptions: []treescan.NamePattern{treescan.ParsePattern("[.]env")}}, []string{".env", "sub/x.key"}},
	} {
		assert.ElementsMatch(t, c.want, names(t, root, looking(t).Scan(root, c.out, false)), name)
	}
}

func TestAPathMayBeIgnored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ignore string
		want   []string
	}{
		"of a file":                       {"conf/tls/a.key\n", []string{"b.key", "conf/b.key", "sub/conf/tls/a.key"}},
		"with a slash in front":           {"/conf/tls/a.key\n", []string{"b.key", "conf/b.key", "sub/conf/tls/a.key"}},
		"of a directory":                  {"conf/tls/\n", []string{"b.key", "conf/b.key", "sub/conf/tls/a.key"}},
		"with wildcards in its names":     {"c*/t?s/*.key\n", []string{"b.key", "conf/b.key", "sub/conf/tls/a.key"}},
		"of everything in a directory":    {"conf/*\n", []string{"b.key", "sub/conf/tls/a.key"}},
		"of a directory, not of a file":   {"conf/tls/a.key/\n", []string{"b.key", "conf/b.key", "conf/tls/a.key", "sub/conf/tls/a.key"}},
		"that begins elsewhere":           {"tls/a.key\n", []string{"b.key", "conf/b.key", "conf/tls/a.key", "sub/conf/tls/a.key"}},
		"with names that are not read":    {"conf/**/a.key\n", []string{"b.key", "conf/b.key", "conf/tls/a.key", "sub/conf/tls/a.key"}},
		"but what is kept is not ignored": {"conf/tls/a.key\n!a.key\n", []string{"b.key", "conf/b.key", "conf/tls/a.key", "sub/conf/tls/a.key"}},
	} {
		root := tree(t, map[string]string{".git/config": "", ".gitignore": c.ignore, "b.key": "", "conf/b.key": "", "conf/tls/a.key": "", "sub/conf/tls/a.key": ""})
		look := looking(t)
		found := look.Scan(root, treescan.Exclusions{Ignored: true}, false)
		// One file of each name is reported.
		want := map[string]bool{}
		for _, entry := range c.want {
			want[filepath.Base(entry)] = true
		}
		assert.Len(t, names(t, root, found), len(want), name)
		for _, entry := range names(t, root, found) {
			assert.Contains(t, c.want, entry, name)
		}
		from := names(t, root, looking(t).Scan(filepath.Join(root, "conf"), treescan.Exclusions{Ignored: true}, false))
		assert.Contains(t, from, "conf/tls/a.key", "a search that begins below may read it, %s", name)
	}
}

func TestFilesThatAnIgnoreFileKeepsAreNotIgnored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"the same file keeps it":     {map[string]string{".gitignore": "*.key\n!b.key\n"}, []string{"sub/b.key"}},
		"one below keeps it":         {map[string]string{".gitignore": "*.key\n", "sub/.gitignore": "!*.key\n"}, []string{"sub/b.key"}},
		"another kind of file does":  {map[string]string{".gitignore": "*.key\n", "sub/.ignore": "!b.key\n"}, []string{"sub/b.key"}},
		"a pattern nobody reads may": {map[string]string{".gitignore": "*.key\n![ab].key\n"}, []string{"a.key", "sub/b.key"}},
		"it is about something else": {map[string]string{".gitignore": "*.key\n!.env.example\n"}, []string{}},
		"in other letters it may":    {map[string]string{".gitignore": "*.key\n!B.KEY\n"}, []string{"sub/b.key"}},
		"a space of another kind is after it, which some programs remove": {map[string]string{".gitignore": "*.key\n!b.key\u00a0\n"}, []string{"a.key", "sub/b.key"}},
		"a mark of the encoding is before it":                             {map[string]string{".gitignore": "\ufeff!b.key\n*.key\n"}, []string{"sub/b.key"}},
		"what is ignored has a tab after it, which some programs remove":  {map[string]string{".gitignore": "a.key\t\nb.key\n"}, []string{"a.key"}},
		"what is ignored has two slashes":                                 {map[string]string{".gitignore": "a.key\n**//b.key\n"}, []string{"sub/b.key"}},
		"behind what is read it may":                                      {map[string]string{".gitignore": "*.key\n" + strings.Repeat("# comment\n", 7000) + "!b.key\n"}, []string{"a.key", "sub/b.key"}},
	} {
		c.files[".git/config"], c.files["a.key"], c.files["sub/b.key"] = "", "", ""
		root := tree(t, c.files)
		found := looking(t).Scan(root, treescan.Exclusions{Ignored: true}, false)
		assert.ElementsMatch(t, c.want, names(t, root, found), name)
	}
}

// Some programs match one character with a question mark, and some one byte.
func TestAQuestionMarkMayMatchAnyPartOfACharacter(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{".git/config": "", ".gitignore": "?.key\n", "é.key": "", "e.key": ""})
	assert.Equal(t, []string{"é.key"}, names(t, root, looking(t).Scan(root, treescan.Exclusions{Ignored: true}, false)))
	assert.Empty(t, names(t, root, looking(t).Scan(root, treescan.Exclusions{Ignored: true, OnlyFiles: []string{"x*"}, Unmatched: true}, false)))
	assert.Equal(t, []string{"é.key"}, names(t, root, looking(t).Scan(root, treescan.Exclusions{Ignored: true, OnlyFiles: []string{"?.key"}, Unmatched: true}, false)))
}

func TestLinksAreNotFollowedAndMatterWhereAProgramFollowsThem(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"src/a.go": ""})
	require.NoError(t, os.Symlink("/", filepath.Join(root, "src/all")))
	assert.Equal(t, treescan.Result{}, looking(t).Scan(root, treescan.Exclusions{}, false))
	assert.True(t, looking(t).Scan(root, treescan.Exclusions{}, true).Incomplete)
	require.NoError(t, os.Symlink("src", filepath.Join(root, "start")))
	require.NoError(t, os.WriteFile(filepath.Join(root, "src/.env"), nil, 0o600))
	assert.Equal(t, []string{"src/.env"}, names(t, root, looking(t).Scan(filepath.Join(root, "start"), treescan.Exclusions{}, false)), "the one that is named is followed")
}

func TestASearchBelowADirectoryStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"a/x": ""})
	for i := range 5 {
		require.NoError(t, os.WriteFile(filepath.Join(root, "a", fmt.Sprint(i)), nil, 0o600))
	}
	for most, bound := range map[int]bool{3: true, 7: true, 8: false} {
		look := looking(t)
		look.Limit = most
		assert.Equal(t, bound, look.Scan(root, treescan.Exclusions{}, false).LimitReached, "%d names", most)
		assert.True(t, look.Scan(filepath.Join(root, "a"), treescan.Exclusions{}, false).LimitReached, "the bound of %d is that of the call", most)
	}
}

func TestUnreadableDirectoriesAreUnseen(t *testing.T) {
	t.Parallel()
	look := looking(t)
	look.Host = host.Limit(t.Context(), host.Claim(map[string]string{}))
	assert.True(t, look.Scan("/srv/app", treescan.Exclusions{}, false).Incomplete)
	assert.True(t, looking(t).Scan("/nowhere/at/all", treescan.Exclusions{}, false).Incomplete)
	assert.False(t, (*treescan.Scanner)(nil).Denies("/srv/app/.env"), "without a list nothing is denied")
}

func TestANewFileMustMatchEveryAllowList(t *testing.T) {
	keep := &treescan.WriteLists{Scanner: looking(t), Allowed: []gavel.Files{pathglob.NewFiles([]string{"/srv/app/**"}), pathglob.NewFiles([]string{"/srv/**"})}}
	for file, want := range map[string][2]bool{
		"/srv/app/x":    {false, true},
		"/srv/x":        {false, false}, // only the last list has it
		"/opt/x":        {false, false},
		"/srv/app/.env": {true, true},
	} {
		denied, listed := keep.CheckCreated(file)
		assert.Equal(t, want, [2]bool{denied, listed}, file)
	}
}
