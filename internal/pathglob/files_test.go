package pathglob_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/internal/pathglob"
)

func TestPatternsSelectFiles(t *testing.T) {
	t.Parallel()
	f := pathglob.NewFiles([]string{"/**/.env", "/**/*.pem", "/**/.ssh/**", "~/.bash*", "./private/**", "/etc/shadow", "/**/secrets.y?ml"})
	const home, here = "/home/u", "/srv/app"
	for path, want := range map[string]bool{
		"/srv/app/.env":             true,
		"/srv/app/sub/.env":         true,
		"/srv/app/.envx":            false,
		"/srv/app/certs/a.pem":      true,
		"/home/u/.ssh":              true,
		"/home/u/.ssh/id":           true,
		"/home/u/.bashrc":           true,
		"/home/v/.bashrc":           false,
		"/srv/app/private":          true,
		"/srv/app/private/a/b":      true,
		"/srv/other/private/a":      false,
		"/etc/shadow":               true,
		"/srv/app/x/secrets.yml":    false,
		"/srv/app/x/secrets.yaml":   true,
		"/srv/app/src/main.go":      false,
		"/srv/app/src/ENV":          false,
		"/srv/app/certs/A.PEM":      false,
		"/srv/app/sub/.ssh/known/x": true,
	} {
		assert.Equal(t, want, f.Has(path, home, here, false), path)
		if want {
			assert.True(t, f.May(path[1+lastSlash(path):], false) || inside(path), path)
		}
	}
	assert.True(t, f.Has("/srv/app/CERTS/A.PEM", home, here, true), "case does not count where names fold")
	assert.True(t, f.May("A.PEM", true))
	assert.False(t, f.May("main.go", false), "most names need no look at the whole path")
}

func TestWithoutARootAPatternMayBeginAnywhere(t *testing.T) {
	t.Parallel()
	f := pathglob.NewFiles([]string{"~/.ssh/**", "./keys/*"})
	for name, c := range map[string]struct {
		path, home, workspace string
		want                  bool
	}{
		"a home directory":             {"/home/u/.ssh/id", "", "/srv/app", true},
		"the directory itself":         {"/root/.ssh", "", "/srv/app", true},
		"another name":                 {"/home/u/.sshd/id", "", "/srv/app", false},
		"a workspace":                  {"/srv/app/keys/a", "/home/u", "", true},
		"a workspace that is relative": {"/srv/app/keys/a", "/home/u", "?", true},
		"deeper in a workspace":        {"/srv/app/keys/a/b", "/home/u", "", false},
		"the home directory is known":  {"/home/v/.ssh/id", "/home/u", "", false},
		"the workspace is known":       {"/srv/other/keys/a", "", "/srv/app", false},
	} {
		assert.Equal(t, c.want, f.Has(c.path, c.home, c.workspace, false), name)
	}
}

// inside says that a directory above the file is named as a whole.
func inside(path string) bool {
	return pathglob.NewFiles([]string{"/**/.ssh/**", "./private/**"}).Has(path, "", "/srv/app", false)
}

func lastSlash(path string) int {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return i
		}
	}
	return -1
}

func TestFilesOfPatternsForEverythingAreAllFiles(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"**", "/**"} {
		f := pathglob.NewFiles([]string{pattern})
		assert.True(t, f.Has("/a/b", "", "", false), pattern)
		assert.True(t, f.May("", false), "%s: it names the root", pattern)
	}
	here := pathglob.NewFiles([]string{"./**", "~/**"})
	for _, path := range []string{"/srv/app", "/srv/app/a", "/home/u", "/home/u/x/y"} {
		assert.True(t, here.Has(path, "/home/u", "/srv/app", false), path)
	}
	assert.False(t, here.Has("/srv/apple", "/home/u", "/srv/app", false))
	assert.False(t, (*pathglob.Files)(nil).Has("/a", "", "", false), "no list names nothing")
}
