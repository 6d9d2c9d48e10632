package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hook"
)

func TestAProofHoldsForOnePolicyAndOneProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state", "proofs")
	kept := &proofs{file: file, program: "this one"}
	assert.False(t, kept.Passed("a"))
	kept.RecordPass("a")
	assert.True(t, kept.Passed("a"))
	assert.False(t, kept.Passed("b"))
	other := &proofs{file: file, program: "another"}
	assert.False(t, other.Passed("a"))
	unknown := &proofs{file: file}
	unknown.RecordPass("a")
	assert.False(t, unknown.Passed("a"), "a program that cannot be identified proves nothing")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAFileThatOthersMayWriteProvesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	kept := &proofs{file: filepath.Join(dir, "proofs"), program: "this one"}
	kept.RecordPass("a")
	require.NoError(t, os.Chmod(kept.file, 0o622))
	assert.False(t, kept.Passed("a"))
	require.NoError(t, os.Chmod(kept.file, 0o600))
	require.NoError(t, os.Chmod(dir, 0o777))
	assert.False(t, kept.Passed("a"))
	require.NoError(t, os.Chmod(dir, 0o700))
	assert.True(t, kept.Passed("a"))
}

func TestOnlyTheLatestProofsAreKept(t *testing.T) {
	t.Parallel()
	kept := &proofs{file: filepath.Join(t.TempDir(), "state", "proofs"), program: "this one"}
	for i := range maxProofs + 3 {
		kept.RecordPass(string(rune('0' + i)))
	}
	assert.Len(t, kept.lines(), maxProofs)
	assert.False(t, kept.Passed("0"))
	assert.True(t, kept.Passed(string(rune('0'+maxProofs+2))))
}

// Settings of a project can set variables of its hooks.
func TestProofsInTheProjectOfTheCallProveNothing(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	a := newApp()
	a.getenv = func(name string) string { return map[string]string{"XDG_STATE_HOME": project}[name] }
	calls := []gavel.Call{{Environment: &gavel.Environment{Cwd: project}}}
	assert.Empty(t, a.proofsFor(hook.Location{}, calls).program)
	assert.Equal(t, filepath.Join(project, "gavel", "proofs"), a.proofsFor(hook.Location{}, nil).file)
	assert.Equal(t, "/s/proofs", a.proofsFor(hook.Location{State: "/s"}, calls).file, "the command line is trusted")
}

func TestACompiledPolicyIsUsedForOnePolicyAndOneProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state", "proofs")
	kept := &proofs{file: file, program: "this one"}
	assert.Nil(t, kept.Compiled("a"))
	kept.SaveCompiled("a", []byte("saved"))
	assert.Equal(t, []byte("saved"), kept.Compiled("a"))
	assert.Nil(t, kept.Compiled("b"))
	assert.Nil(t, (&proofs{file: file, program: "another"}).Compiled("a"))
	unknown := &proofs{file: file}
	unknown.SaveCompiled("a", []byte("saved"))
	assert.Nil(t, unknown.Compiled("a"), "a program that cannot be identified keeps nothing")
	info, err := os.Stat(kept.programFile("a"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestACompiledPolicyThatWasChangedIsNotUsed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	kept := &proofs{file: filepath.Join(dir, "proofs"), program: "this one"}
	file := kept.programFile("a")
	keep := func() []byte {
		kept.SaveCompiled("a", []byte("saved"))
		require.Equal(t, []byte("saved"), kept.Compiled("a"))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return text
	}
	for about, change := range map[string]func(text []byte) error{
		"cut off":      func(text []byte) error { return os.WriteFile(file, text[:len(text)-1], 0o600) },
		"empty":        func([]byte) error { return os.WriteFile(file, nil, 0o600) },
		"another byte": func(text []byte) error { text[len(text)-1] ^= 1; return os.WriteFile(file, text, 0o600) },
		"that of another policy": func(text []byte) error {
			kept.SaveCompiled("b", []byte("other"))
			return os.Rename(kept.programFile("b"), file)
		},
		"a file that others may write": func([]byte) error { return os.Chmod(file, 0o622) },
		"a file that others may read":  func([]byte) error { return os.Chmod(file, 0o644) },
		"a link": func([]byte) error {
			return errors.Join(os.Rename(file, file+"x"), os.Symlink(file+"x", file))
		},
		"a directory that others may write": func([]byte) error { return os.Chmod(filepath.Dir(file), 0o777) },
	} {
		require.NoError(t, change(keep()), about)
		assert.Nil(t, kept.Compiled("a"), about)
		_ = os.Chmod(filepath.Dir(file), 0o700)
		_ = os.Remove(file)
	}
	require.NoError(t, os.Chmod(dir, 0o777))
	kept.SaveCompiled("c", []byte("saved"))
	assert.NoFileExists(t, kept.programFile("c"), "nothing is kept where others may write")
}

func TestOnlyTheLatestCompiledPoliciesAreKept(t *testing.T) {
	t.Parallel()
	kept := &proofs{file: filepath.Join(t.TempDir(), "state", "proofs"), program: "this one"}
	for i := range maxKept + 3 {
		name := string(rune('a' + i))
		kept.SaveCompiled(name, []byte("saved"))
		at := time.Unix(int64(1000*i), 0)
		require.NoError(t, os.Chtimes(kept.programFile(name), at, at))
	}
	kept.SaveCompiled("last", []byte("saved"))
	left, err := os.ReadDir(filepath.Dir(kept.programFile("a")))
	require.NoError(t, err)
	assert.Len(t, left, maxKept)
	assert.Nil(t, kept.Compiled("a"))
	assert.NotNil(t, kept.Compiled("last"))
}

func TestAHookClosesTheFilesThatItsCommandLineNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte("agents: {defaults: {}}\nsandboxing: {mode: \"off\"}\n"+
		"tools: {profile: full, exec: {host: gateway, security: full, ask: \"off\"}}\n"), 0o600))
	answer := func(file string) string {
		a, out, _ := testApp(fmt.Sprintf(`{"session_id":"s","transcript_path":"/t","cwd":"/","permission_mode":"default","hook_event_name":"PreToolUse",`+
			`"tool_name":"Read","tool_input":{"file_path":%q},"tool_use_id":"1"}`, file))
		a.getenv = withVariables(a.getenv, "GAVEL_TOKEN_FILE", dir+"/one.token")
		a.hook(t.Context(), hook.Options{Policy: policy, Timeout: time.Minute, Location: hook.Location{State: dir + "/state"}}, nil)
		return out.String()
	}
	assert.NotContains(t, answer(dir+"/other"), "guard.protected")
	for _, file := range []string{"/state/programs/x", "/state/proofs", "/one.token", "/policy.yaml"} {
		assert.Contains(t, answer(dir+file), "guard.protected", file)
	}
}
