package allowlist_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
	"gavel/approvals/allowlist"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir, content string) *allowlist.File {
	t.Helper()
	path := filepath.Join(dir, allowlist.Name)
	if content != "" {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	f, err := openAt(path)
	require.NoError(t, err)
	return f
}

func openAt(path string) (*allowlist.File, error) {
	ids, mu := 0, sync.Mutex{}
	return allowlist.Open(allowlist.Config{Path: path, Socket: "/run/gavel.sock", Flush: time.Hour,
		Now:   func() time.Time { return time.UnixMilli(1_737_150_000_000) },
		NewID: func() string { mu.Lock(); defer mu.Unlock(); ids++; return fmt.Sprintf("id-%d", ids) },
		Token: func() string { return "the-token" }})
}

// private makes a directory that the file may be in.
func private(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.Mkdir(dir, 0o700))
	return dir
}

func encode(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, allowlist.Name))
	require.NoError(t, err)
	return string(raw)
}

func offered(patterns ...string) []gavel.OfferedPattern {
	var list []gavel.OfferedPattern
	for _, pattern := range patterns {
		list = append(list, gavel.OfferedPattern{Pattern: pattern})
	}
	return list
}

func code(err error) string {
	var known *gavel.ApprovalError
	if errors.As(err, &known) {
		return known.Code
	}
	return fmt.Sprint(err)
}

func program(real string) *gavel.Facts {
	return &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Environment: gavel.EnvironmentFacts{Home: "/home/u"},
		Exec: &gavel.ExecFacts{Command: "rg -n TODO src/", Segments: []gavel.Segment{{Executable: gavel.Executable{Real: real, Found: true},
			Wrappers: []gavel.Wrapper{{Executable: gavel.Executable{Real: real, Found: true}}}}}}}
}

const documents = `{
  "version": 1,
  "socket": {"path": "~/.openclaw/exec-approvals.sock", "token": "secret"},
  "defaults": {"security": "allowlist", "ask": "on-miss", "askFallback": "deny", "autoAllowSkills": false},
  "agents": {
    "*": {"allowlist": ["/usr/bin/wc"]},
    "main": {
      "security": "allowlist",
      "ask": "always",
      "allowlist": [
        {"id": "uuid-v4", "pattern": "~/Projects/**/bin/rg", "lastUsedAt": 1737150000000, "lastUsedCommand": "rg -n TODO src/",
         "lastResolvedPath": "/home/user/Projects/.../bin/rg"},
        {"pattern": "/usr/bin/git", "argPattern": "^status$"},
        {"pattern": "=command:613b5a60181648fd", "source": "allow-always"}
      ]
    }
  }
}
`

func TestTheFirstFileHasATokenAndIsPrivate(t *testing.T) {
	dir := private(t)
	f := open(t, dir, "")
	assert.Equal(t, "the-token", f.Token())
	info, err := os.Stat(filepath.Join(dir, allowlist.Name))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.JSONEq(t, `{"version":1,"socket":{"path":"/run/gavel.sock","token":"the-token"}}`, encode(t, dir))
}

func TestTheDocumentsOwnFileIsRead(t *testing.T) {
	f := open(t, private(t), documents)
	require.NoError(t, f.Problem())
	for name, c := range map[string]struct{ path, want string }{
		"an entry of everybody":                      {"/usr/bin/wc", "exec-approvals.json#agents.*.allowlist[0]"},
		"a glob in the home directory":               {"/home/u/Projects/a/b/bin/rg", "exec-approvals.json#agents.main.allowlist[0]"},
		"an entry for some arguments only: no match": {"/usr/bin/git", ""},
		"a program that nothing lists":               {"/usr/bin/vi", ""},
	} {
		facts := program(c.path)
		f.Observe(facts)
		got := ""
		if listed := facts.Exec.Segments[0].Listed; listed != nil {
			got = listed.Path
		}
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, facts.Exec.Segments[0].Listed, facts.Exec.Segments[0].Wrappers[0].Listed, name)
	}
	facts := program("/usr/bin/wc")
	f.Observe(facts)
	assert.Equal(t, gavel.ApprovalsFileFacts{State: "read", Settings: []gavel.ApprovalsFileSetting{
		{Path: "exec-approvals.json#agents.main", Security: "allowlist", Ask: "always"},
		{Path: "exec-approvals.json#defaults", Security: "allowlist", Ask: "on-miss", AskFallback: "deny", AutoAllowSkills: "false"},
	}}, facts.ApprovalsFile)
	file, line, ok := f.Locate("exec-approvals.json#agents.main.allowlist[1]")
	assert.True(t, ok)
	assert.Equal(t, 13, line)
	assert.Equal(t, allowlist.Name, filepath.Base(file))
	_, line, _ = f.Locate("exec-approvals.json#agents.main.ask")
	assert.Equal(t, 9, line)
	_, _, ok = f.Locate("agents.main.exec.allowlist[1]")
	assert.False(t, ok, "the configuration's own paths are not ours")
}

// R34 and W47: a file that cannot be used is refused and left unchanged.
func TestAnUnusableFileIsRefusedAndNeverOverwritten(t *testing.T) {
	for name, content := range map[string]string{
		"half a file":                         `{"version": 1, "agents": {`,
		"no JSON":                             "version: 1\n",
		"an empty file":                       " ",
		"another version":                     `{"version": 2}`,
		"no version":                          `{}`,
		"an unknown setting":                  `{"version": 1, "defaults": {"secutiry": "deny"}}`,
		"a word in capitals (W47)":            `{"version": 1, "defaults": {"security": "Deny"}}`,
		"a word that no ask mode has":         `{"version": 1, "agents": {"main": {"ask": "never"}}}`,
		"a member twice":                      `{"version": 1, "version": 1}`,
		"a blank pattern":                     `{"version": 1, "agents": {"main": {"allowlist": [{"pattern": " "}]}}}`,
		"a pattern that is not text":          `{"version": 1, "agents": {"main": {"allowlist": [{"pattern": 7}]}}}`,
		"a list that is none":                 `{"version": 1, "agents": {"main": {"allowlist": {}}}}`,
		"an agent twice, but for its case":    `{"version": 1, "agents": {"main": {}, "Main": {}}}`,
		"an entry with a member nobody knows": `{"version": 1, "agents": {"main": {"allowlist": [{"pattern": "/a", "args": "any"}]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := private(t)
			f := open(t, dir, content)
			assert.Equal(t, gavel.CodeAllowlistCorrupt, code(f.Problem()))
			facts := program("/usr/bin/wc")
			f.Observe(facts)
			assert.Equal(t, "refused", facts.ApprovalsFile.State)
			assert.Nil(t, facts.Exec.Segments[0].Listed)
			assert.Equal(t, gavel.CodeAllowlistCorrupt, code(f.Allow(t.Context(), "main", offered("/a"))))
			_, err := f.Set(t.Context(), &allowlist.Document{Version: 1}, "x")
			assert.Equal(t, gavel.CodeAllowlistCorrupt, code(err))
			f.Used(facts)
			_ = f.Flush()
			assert.Equal(t, content, encode(t, dir), "it is left unchanged")
		})
	}
}

func TestAFileThatOthersCouldReplaceIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir, path string){
		"open to others": func(t *testing.T, _, path string) { require.NoError(t, os.Chmod(path, 0o644)) },
		"a symbolic link": func(t *testing.T, dir, path string) {
			require.NoError(t, os.Rename(path, filepath.Join(dir, "elsewhere")))
			require.NoError(t, os.Symlink("elsewhere", path))
		},
		"a directory": func(t *testing.T, _, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		},
		"in a directory that others may write to": func(t *testing.T, dir, _ string) { require.NoError(t, os.Chmod(dir, 0o777)) },
		"too large": func(t *testing.T, _, path string) { require.NoError(t, os.Truncate(path, 17<<20)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := private(t)
			open(t, dir, documents)
			spoil(t, dir, filepath.Join(dir, allowlist.Name))
			f, err := openAt(filepath.Join(dir, allowlist.Name))
			require.NoError(t, err)
			assert.Equal(t, gavel.CodeAllowlistUnsafe, code(f.Problem()))
			assert.Equal(t, gavel.CodeAllowlistUnsafe, code(f.Allow(t.Context(), "main", offered("/a"))))
		})
	}
}

func TestADirectoryThatIsALinkIsRefused(t *testing.T) {
	dir := private(t)
	link := dir + "-link"
	require.NoError(t, os.Symlink(dir, link))
	_, err := openAt(filepath.Join(link, allowlist.Name))
	assert.Equal(t, gavel.CodeAllowlistUnsafe, code(err), "nothing is written through it")
}

func TestEditsByHandTakeEffectAndAVanishedFileIsRefused(t *testing.T) {
	dir := private(t)
	f := open(t, dir, documents)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- f.Run(ctx) }()
	state := func() string {
		facts := program("/usr/bin/vi")
		f.Observe(facts)
		if facts.Exec.Segments[0].Listed != nil {
			return "listed"
		}
		return facts.ApprovalsFile.State
	}
	path := filepath.Join(dir, allowlist.Name)
	edited := strings.Replace(documents, "/usr/bin/wc", "/usr/bin/vi", 1)
	require.NoError(t, os.WriteFile(path+".new", []byte(edited), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
	assert.Eventually(t, func() bool { return state() == "listed" }, time.Minute, 10*time.Millisecond)
	require.NoError(t, os.Remove(path))
	assert.Eventually(t, func() bool { return state() == "refused" }, time.Minute, 10*time.Millisecond)
	require.NoError(t, os.WriteFile(path, []byte(documents), 0o600))
	assert.Eventually(t, func() bool { return state() == "read" }, time.Minute, 10*time.Millisecond)
	stop()
	require.NoError(t, <-done)
}

// A mode is not content: who may change a file counts as well.
func TestAFileIsReadAgainOnceItsModeIsCorrected(t *testing.T) {
	dir := private(t)
	f := open(t, dir, documents)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- f.Run(ctx) }()
	path := filepath.Join(dir, allowlist.Name)
	becomes := func(want string) {
		t.Helper()
		assert.Eventually(t, func() bool {
			facts := program("/usr/bin/vi")
			f.Observe(facts)
			return facts.ApprovalsFile.State == want
		}, time.Minute, 10*time.Millisecond)
	}
	edited := strings.Replace(documents, "/usr/bin/wc", "/usr/bin/vi", 1)
	require.NoError(t, os.WriteFile(path+".new", []byte(edited), 0o600))
	require.NoError(t, os.Chmod(path+".new", 0o644)) // as an editor, or cp, leaves it
	require.NoError(t, os.Rename(path+".new", path))
	becomes("refused")
	require.NoError(t, os.Chmod(path, 0o600))
	becomes("read")
	require.NoError(t, os.Chmod(path, 0o666))
	becomes("refused")
	require.NoError(t, os.Chmod(path, 0o600))
	becomes("read")
	require.NoError(t, os.Chmod(dir, 0o777))
	becomes("refused")
	require.NoError(t, os.Chmod(dir, 0o700))
	becomes("read")
	stop()
	require.NoError(t, <-done)
}

func TestTheAgentDefaultOfOldFilesIsMergedIntoMain(t *testing.T) {
	d, err := allowlist.Parse([]byte(`{"version": 1, "agents": {
		"default": {"ask": "off", "security": "deny", "allowlist": ["/a", "/b"]},
		"main": {"ask": "always", "allowlist": ["/b", "/c"]}}}`))
	require.NoError(t, err)
	require.Len(t, d.Agents, 1)
	assert.Equal(t, "always", *d.Agents["main"].Ask)
	assert.Equal(t, "deny", *d.Agents["main"].Security)
	assert.Equal(t, []allowlist.Entry{{Pattern: "/b"}, {Pattern: "/c"}, {Pattern: "/a"}}, d.Agents["main"].Allowlist)
}
