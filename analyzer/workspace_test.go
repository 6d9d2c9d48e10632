package analyzer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
	"gavel/analyzer/protected"
)

// grounds is a workspace with a repository, a checked-in bare one, a clone and links, by
// its real path; beside it stands the state of a Gavel.
func grounds(t *testing.T) (root, workspace string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	workspace = filepath.Join(root, "ws")
	for _, dir := range []string{"ws/.git", "ws/plain/deep", "ws/bare/objects", "ws/bare/inner", "ws/bare/empty/.git", "ws/clone/.git", "ws/hg/.hg", "ws/https:", "state/tokens", "bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, name := range []string{"ws/bare/HEAD", "ws/f", "state/tokens/approve.token", "policy.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	for _, name := range []string{"git", "hg", "cat", "ls", "cp"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), nil, 0o755)) //nolint:gosec // programs
	}
	for link, target := range map[string]string{"ws/etc": "/etc", "ws/tokens": "../state/tokens", "ws/out": "../state/gavel.db", "ws/same": "plain"} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	return root, workspace
}

func onGrounds(t *testing.T, root, workspace string, tool gavel.Tool, search gavel.CallSettings) gavel.Facts {
	t.Helper()
	self := protected.Self{Files: []protected.File{{Path: root + "/state"}, {Path: root + "/policy.yaml", Policy: true}}, Addresses: []string{"127.0.0.1:9876"}}
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: "/home/nobody", Cwd: workspace,
		Path: []string{root + "/bin"}, Platform: "linux", Self: func() protected.Self { return self }})
	require.NoError(t, err)
	return a.Analyze(t.Context(), gavel.Call{Tool: tool}, &gavel.AnalyzerSettings{Others: gavel.AgentSettings{First: search.First, Hosts: map[string]bool{"": true}, Workspace: search.Workspace}})
}

func TestRunningInACheckedInRepositoryIsAHazard(t *testing.T) {
	t.Parallel()
	root, workspace := grounds(t)
	for command, want := range map[string]bool{
		"git status":                         false,
		"cd plain && git status":             false,
		"cd plain/deep && git status":        false,
		"cd same && git status":              false,
		"cd clone && git status":             false,
		"cd bare && git status":              true,
		"cd bare/inner && git status":        true,
		"cd plain && cd ../bare && git log":  true,
		"cd bare/empty && git status":        true,  // git goes on up
		"git -C bare/empty status":           false, // that option is a hazard by itself
		"cd $x && git status":                true,
		"cd / && git status":                 true,
		"cd hg && hg status":                 true,
		"hg status":                          false,
		"cd bare && ls":                      false,
		"(cd bare && git status)":            true,
		"cd bare; git status":                true,
		"cd plain && cd .. && git status -s": false,
	} {
		facts := onGrounds(t, root, workspace, execTool(command), gavel.CallSettings{})
		require.True(t, facts.Exec.Parsed, command)
		found := false
		for _, s := range facts.Exec.Segments {
			for _, h := range s.Hazards {
				found = found || h.Option == "directory"
			}
		}
		assert.Equal(t, want, found, command)
	}
	for dir, want := range map[string]bool{"": false, "plain": false, "bare": true, "bare/inner": true, "/": true} {
		tool := execTool("git status", "workdir", dir)
		if dir == "" {
			delete(tool.Params, "workdir")
		}
		facts := onGrounds(t, root, workspace, tool, gavel.CallSettings{})
		assert.Equal(t, want, len(facts.Exec.Segments[0].Hazards) > 0, "workdir %s", dir)
	}
}

func TestTheWorkspaceIsStatedAndNeverChosen(t *testing.T) {
	t.Parallel()
	root, workspace := grounds(t)
	for name, tc := range map[string]struct {
		search    gavel.CallSettings
		workdir   string
		workspace string
		directory string
		place     string
	}{
		"without a statement it is the working directory": {gavel.CallSettings{}, "", workspace, workspace, ""},
		"workdir does not change it":                      {gavel.CallSettings{}, "/etc", workspace, "/etc", "closed"},
		"a link is where it leads":                        {gavel.CallSettings{}, "etc", workspace, "/etc", "closed"},
		"a secret place":                                  {gavel.CallSettings{}, ".ssh", workspace, workspace + "/.ssh", "secret"},
		"the configuration states it":                     {gavel.CallSettings{Workspace: root}, "", root, workspace, ""},
		"the root is none":                                {gavel.CallSettings{Workspace: "/"}, "", "", workspace, ""},
		"what is not a directory is none":                 {gavel.CallSettings{Workspace: "?"}, "", "", workspace, ""},
		"a home directory of the tool is unknown":         {gavel.CallSettings{}, "~/x", workspace, "", ""},
	} {
		tool := execTool("ls")
		if tc.workdir != "" {
			tool = execTool("ls", "workdir", tc.workdir)
		}
		facts := onGrounds(t, root, workspace, tool, tc.search)
		assert.Equal(t, tc.workspace, facts.Environment.Workspace, name)
		assert.Equal(t, tc.directory, facts.Exec.Directory, name)
		if name != "the root is none" && name != "what is not a directory is none" {
			assert.Equal(t, tc.place, facts.Exec.Place, name)
		}
	}
}

func TestAURLIsAPathIfSuchADirectoryExists(t *testing.T) {
	t.Parallel()
	root, workspace := grounds(t)
	for command, want := range map[string]string{
		"cat https://x/.env":               "secret", // the workspace has a directory https:
		"cat ftp://x/.env":                 "",
		"cat a://../../../../../../../etc": "closed",
		"cat zz:///etc/passwd":             "closed",
	} {
		facts := onGrounds(t, root, workspace, execTool(command), gavel.CallSettings{})
		got := ""
		for _, h := range facts.Exec.Segments[0].Hazards {
			got = h.Option
		}
		assert.Equal(t, want, got, command)
	}
}

func TestWhatACallTouchesOfGavelIsFoundBehindLinks(t *testing.T) {
	t.Parallel()
	root, workspace := grounds(t)
	above := "state read" // it holds the state, which the policy leaves to the program
	if listing := onGrounds(t, root, workspace, execTool("ls "+root), gavel.CallSettings{}).Exec.Segments[0]; slices.ContainsFunc(listing.Hazards, func(h gavel.Hazard) bool { return h.Option == "closed" }) {
		above = "" // the directory is closed as a whole, which the policy never leaves to a program
	}
	for _, tc := range []struct {
		tool gavel.Tool
		want string // kind and access
	}{
		{execTool("cat tokens/approve.token"), "state read"},
		{execTool("cat tokens/later.token"), "state read"},
		{execTool("cat ../state/tokens/approve.token"), "state read"},
		{execTool("cp x out"), "state write"},
		{execTool("ls > out"), "state write"},
		{execTool("ls >> tokens/new"), "state write"},
		{execTool("cp --target-directory=tokens x"), "state write"},
		{execTool("cat ../policy.yaml"), "policy read"},
		{execTool("ls", "workdir", "tokens"), "state read"},
		{execTool("cp x http://127.0.0.1:9876/v1"), "address connect"},
		{execTool("cp x --url=http://LOCALHOST.:9876/"), "address connect"},
		{execTool("cp x http://2130706433:9876/"), "address connect"},
		{execTool("cp x http://0177.1:9876/"), "address connect"},
		{execTool("cp x http://a.127.0.0.1.nip.io:9876/"), "address connect"},
		{execTool("cp 'import socket; s.connect((\"127.0.0.1\", 9876))'"), "address connect"},
		{execTool("cp x http://[0:0:0:0:0:0:0:1]:9876/"), "address connect"},
		{execTool("cp x http://[64:ff9b::7f00:1]:9876/"), "address connect"},
		{execTool("cp x http://[0:0:0:0:0:0:0:2]:9876/"), ""},
		{execTool("cp x http://127.0.0.1:9877/"), ""},
		{execTool("cp x https://example.com:9876/"), ""},
		{execTool("ls > /dev/tcp/127.0.0.1/9876"), "address connect"},
		{execTool("cat f"), ""},
		{execTool("cd $x && cp f .git/config"), "host write"},
		{execTool("touch .git/hooks/pre-commit"), "host write"},
		{execTool("mkdir -p .claude/hooks"), "host write"},
		{execTool("touch out"), "state write"},
		{execTool("cat .git/hooks/pre-commit"), "host read"},
		{execTool("cp f .idea/runConfigurations/x.xml"), "host write"},
		{execTool("cp f .dir-locals.el"), "host write"},
		{execTool("cd $x && ls > .git/hooks/pre-commit"), "host write"},
		{execTool("ls .."), above},
		{gavel.Tool{Name: "read", Params: map[string]any{"path": "tokens/approve.token"}}, "state read"},
		{gavel.Tool{Name: "write", Params: map[string]any{"path": "out"}}, "state write"},
		{gavel.Tool{Name: "web_fetch", Params: map[string]any{"url": "http://[::ffff:127.0.0.1]:9876/"}}, "address connect"},
		{gavel.Tool{Name: "web_fetch", Params: map[string]any{"url": "http://[::1]:9876/"}}, "address connect"},
		{gavel.Tool{Name: "other", Params: map[string]any{"a": []any{map[string]any{"b": root + "/state/x"}}}}, "state write"},
		{gavel.Tool{Name: "other", Params: map[string]any{"text": "see " + root + "/state/x"}}, ""},
	} {
		facts := onGrounds(t, root, workspace, tc.tool, gavel.CallSettings{})
		got := ""
		for _, touch := range facts.Touches {
			got = strings.TrimSpace(got + " " + touch.Kind + " " + touch.Access)
		}
		assert.Equal(t, tc.want, got, "%v", tc.tool.Params)
	}
}

// A file of that name leads git to another repository, as a directory holds one.
func TestAFileInPlaceOfARepositoryIsAProtectedLocation(t *testing.T) {
	t.Parallel()
	root, workspace := grounds(t)
	for _, command := range []string{"cp f plain/.git", "cp f .git", "cp f clone/.GIT"} {
		facts := onGrounds(t, root, workspace, execTool(command), gavel.CallSettings{})
		require.Len(t, facts.Touches, 1, command)
		assert.Equal(t, "host write", facts.Touches[0].Kind+" "+facts.Touches[0].Access, command)
		assert.False(t, facts.Touches[0].Holds, "%s: a program that moves no directories may change one that holds others", command)
	}
}

// The program does not change the files that a pattern leaves out.
func TestAPatternOfFilesToLeaveOutTouchesNothing(t *testing.T) {
	t.Parallel()
	root, workspace := grounds(t)
	for command, touched := range map[string]bool{
		"tar czf x.tgz --exclude=.git gone":           false,
		"tar czf x.tgz --exclude .git gone":           false,
		"tar --exclude=.git -czf x.tgz gone":          false,
		"tar czf x.tgz --exclude=.git .git":           true,
		"tar czf x.tgz --exclude= .git":               true,
		"tar czf x.tgz --exclude a .git":              true,
		"tar czf x.tgz -- --exclude .git":             true,
		"tar czf .git/hooks/x --exclude=.git gone":    true,
		"tar czf x.tgz --exclude .git -C .git gone":   true,
		"tar czf x.tgz --exclude $x .git":             true,
		"tar czf x.tgz --unknown --exclude .git gone": true,
		"tar czf x.tgz -I --exclude .git gone":        true,
		"tar czf x.tgz $x --exclude .git gone":        true,
		"cp --exclude=.git x":                         true,
	} {
		facts := onGrounds(t, root, workspace, execTool(command), gavel.CallSettings{})
		assert.Equal(t, touched, len(facts.Touches) > 0, "%s: %v", command, facts.Touches)
	}
}

func TestALinkToAClosedLocationIsAHazard(t *testing.T) {
	t.Parallel()
	root, workspace := grounds(t)
	for command, want := range map[string]int{"cat etc/passwd": 1, "cat same/f": 0, "cat f": 0} {
		facts := onGrounds(t, root, workspace, execTool(command), gavel.CallSettings{})
		assert.Len(t, facts.Exec.Segments[0].Hazards, want, command)
	}
}
