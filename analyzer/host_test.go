package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// machine is a directory with a few programs and links, by its real path.
func machine(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"bin", "opt/deep", "work"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for name, mode := range map[string]os.FileMode{"bin/rg": 0o755, "bin/notes": 0o644, "bin/box": 0o755, "opt/rg": 0o755, "work/run": 0o755, "work/tool": 0o755, "opt/tool": 0o755} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, mode))
	}
	for link, target := range map[string]string{"bin/ls": "box", "sbin": "bin", "bin/dead": "gone", "work/deep": "../opt/deep", "bin/dir": "../opt"} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	return root
}

func TestLocalHost(t *testing.T) {
	t.Parallel()
	root := machine(t)
	for name, tc := range map[string]struct {
		word             string
		path             []string
		want, real, runs string
	}{
		"the first in the path wins":                   {"rg", []string{"$/bin", "$/opt"}, "$/bin/rg", "$/bin/rg", "$/bin/rg"},
		"a directory without it is passed by":          {"rg", []string{"$/work", "$/opt"}, "$/opt/rg", "$/opt/rg", "$/opt/rg"},
		"a link is run by what it points to":           {"ls", []string{"$/bin"}, "$/bin/ls", "$/bin/box", "$/bin/box"},
		"a linked directory is resolved":               {"rg", []string{"$/sbin"}, "$/sbin/rg", "$/bin/rg", "$/bin/rg"},
		"a linked directory is resolved around a link": {"ls", []string{"$/sbin"}, "$/sbin/ls", "$/bin/box", "$/bin/box"},
		"a relative entry before the hit ends it":      {"rg", []string{"bin", "$/bin"}, "", "", ""},
		"an empty entry before the hit ends it":        {"rg", []string{"", "$/bin"}, "", "", ""},
		"an empty entry after the hit does not":        {"rg", []string{"$/bin", ""}, "$/bin/rg", "$/bin/rg", "$/bin/rg"},
		"a file that is not executable does not exist": {"notes", []string{"$/bin"}, "", "", ""},
		"a directory does not exist":                   {"dir", []string{"$/bin"}, "", "", ""},
		"a dead link does not exist":                   {"dead", []string{"$/bin"}, "", "", ""},
		"a path is not searched for":                   {"$/opt/rg", []string{"$/bin"}, "$/opt/rg", "$/opt/rg", "$/opt/rg"},
		"a relative path starts at the workdir":        {"./run", nil, "$/work/run", "$/work/run", "$/work/run"},
		"dots are taken away":                          {"../bin//./rg", nil, "$/bin/rg", "$/bin/rg", "$/bin/rg"},
		"dots behind a linked directory do not exist":  {"deep/../run", nil, "", "", ""},
		"dots through a file do not exist":             {"run/../run", nil, "", "", ""},
		"a slash at the end does not exist":            {"./run/", nil, "", "", ""},
		"dots that lead elsewhere do not exist":        {"deep/../tool", nil, "", "", ""},
		"a dot at the end does not exist":              {"./run/.", nil, "", "", ""},
		"a dot is not a program":                       {".", []string{"$/bin"}, "", "", ""},
		"two dots are not a program":                   {"..", []string{"$/bin"}, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dollar := func(s string) string {
				if len(s) > 0 && s[0] == '$' {
					return root + s[1:]
				}
				return s
			}
			searchPath := []string{}
			for _, entry := range tc.path {
				searchPath = append(searchPath, dollar(entry))
			}
			a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Cwd: root + "/work", Path: searchPath})
			require.NoError(t, err)
			exec := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec",
				Params: map[string]any{"command": "'" + dollar(tc.word) + "'"}}}, nil).Exec
			require.Len(t, exec.Segments, 1)
			got := exec.Segments[0].Executable
			assert.Equal(t, tc.want != "", got.Found)
			assert.Equal(t, dollar(tc.want), got.Path)
			assert.Equal(t, dollar(tc.real), got.Real)
			rendered := ""
			if tc.runs != "" {
				rendered = "'" + dollar(tc.runs) + "'"
			}
			assert.Equal(t, rendered, exec.Rendered)
		})
	}
}

func TestClaimedHost(t *testing.T) {
	t.Parallel()
	environment := &gavel.Environment{Cwd: "/srv/app", Path: []string{""}, Executables: map[string]string{
		"rg": "/usr/bin/rg", "ls": "/bin/ls", "/bin/ls": "/bin/box", "/bin/id": "/usr/bin/id", "tool": "/srv/app/tool",
		"bad": "usr/bin/bad", "dots": "/usr/../bin/dots", "slash": "/bin/", "a/b": "/usr/bin/b", "blank": "", "/": "/", "sh": "/bin/sh",
	}}
	for word, want := range map[string]struct{ path, real, runs string }{
		"rg":                   {"/usr/bin/rg", "/usr/bin/rg", "/usr/bin/rg"},
		"ls":                   {"/bin/ls", "/bin/box", "/bin/box"},
		"/bin/ls":              {"/bin/ls", "/bin/box", "/bin/box"},
		"/bin/id":              {"/bin/id", "/usr/bin/id", "/usr/bin/id"},
		"/usr/bin/rg":          {"/usr/bin/rg", "/usr/bin/rg", "/usr/bin/rg"},
		"/usr/../usr/bin/./rg": {"/usr/bin/rg", "/usr/bin/rg", "/usr/bin/rg"},
		"./tool":               {"/srv/app/tool", "/srv/app/tool", "/srv/app/tool"},
		"../app/tool":          {"/srv/app/tool", "/srv/app/tool", "/srv/app/tool"},
		"RG":                   {}, "cat": {}, "/bin/sh/": {}, "/bin/cat": {}, "./rg": {}, "bad": {}, "dots": {}, "/bin/dots": {},
		"slash": {}, "a/b": {}, "blank": {}, "../..": {}, "./tool/.": {}, "./tool/x/..": {}, ".": {}, "..": {}, "/": {},
	} {
		exec := analyze(t, environment, "'"+word+"'")
		require.Len(t, exec.Segments, 1)
		got := exec.Segments[0].Executable
		assert.Equal(t, want.path != "", got.Found, word)
		assert.Equal(t, want.path, got.Path, word)
		assert.Equal(t, want.real, got.Real, word)
		if want.runs == "" {
			assert.Empty(t, exec.Rendered, word)
		} else {
			assert.Equal(t, "'"+want.runs+"'", exec.Rendered, word)
		}
	}
}

func TestClaimsReplaceThisMachine(t *testing.T) {
	t.Parallel()
	root := machine(t)
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: "/home/u", Cwd: root + "/work", Path: []string{root + "/bin"}, Platform: "linux"})
	require.NoError(t, err)
	run := func(environment *gavel.Environment, command string) gavel.Facts {
		return a.Analyze(t.Context(), gavel.Call{Environment: environment,
			Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, nil)
	}
	here := run(nil, "rg")
	assert.True(t, here.Exec.Segments[0].Executable.Found)
	assert.Equal(t, gavel.EnvironmentFacts{Cwd: root + "/work", Home: "/home/u", Platform: "linux", Workspace: root + "/work", PathPrepend: []string{}}, here.Environment)

	claimed := run(&gavel.Environment{Executables: map[string]string{}, Home: " /h/ ", Platform: " Darwin "}, "rg")
	assert.False(t, claimed.Exec.Segments[0].Executable.Found, "a claim never reaches this machine")
	assert.Equal(t, gavel.EnvironmentFacts{Home: "/h", Platform: "darwin", Claimed: true, PathPrepend: []string{}}, claimed.Environment)

	elsewhere := run(&gavel.Environment{Cwd: root, Path: []string{root + "/opt"}}, "rg; ./bin/rg; ls")
	assert.False(t, elsewhere.Environment.Claimed)
	assert.Equal(t, root+"/opt/rg", elsewhere.Exec.Segments[0].Executable.Path)
	assert.Equal(t, root+"/bin/rg", elsewhere.Exec.Segments[1].Executable.Path)
	assert.False(t, elsewhere.Exec.Segments[2].Executable.Found)

	partly := run(&gavel.Environment{Shell: "sh"}, "rg")
	assert.True(t, partly.Exec.Segments[0].Executable.Found, "what is not claimed about this machine is as it is here")
	assert.Equal(t, root+"/work", partly.Environment.Cwd)

	unknown := run(&gavel.Environment{Executables: map[string]string{"run": root + "/work/run"}}, "./run")
	assert.False(t, unknown.Exec.Segments[0].Executable.Found, "a relative path with an unknown working directory")
}
