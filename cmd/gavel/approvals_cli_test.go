package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// runGavel runs a command line and returns its exit code and output.
func runGavel(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	a, out, problems := testApp(stdin)
	code = a.run(t.Context(), args)
	return code, out.String(), problems.String()
}

func TestPeopleAnswerInATerminal(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking, "alice")
	operator := func(args ...string) (int, string, string) {
		return runGavel(t, "", append([]string{"approvals", "--state", o.state}, args...)...)
	}
	code, out, _ := operator("list")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, "there are no open questions\n", out)

	d := o.ask("rm 'two words' \u0441at | ls")
	_, out, _ = operator("list")
	assert.Contains(t, out, d.Approval.ID[:8])
	assert.Contains(t, out, "main")
	code, out, _ = operator("show", d.Approval.ID[:8])
	require.Equal(t, exitOK, code)
	for _, want := range []string{"run 1", `/usr/bin/rm 'two words' \u{441}at`, "run 2", "/usr/bin/ls", "/srv/app", "gateway", "exec.allowlist_miss",
		"the text has words whose letters look like others", "would add to the allowlist: /usr/bin/rm", "allow-once, allow-always, deny"} {
		assert.Contains(t, out, want)
	}
	code, out, _ = operator("--as", "alice", "approve", d.Approval.ID[:8], "--comment", "fine")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, d.Approval.ID+": allow-once: '/usr/bin/rm' 'two words' '\\u{441}at' | '/usr/bin/ls'\n", out)
	assert.Equal(t, gavel.Allow, o.ask("rm 'two words' \u0441at | ls").Effect)

	second := o.ask("rm y")
	code, _, _ = operator("deny", second.Approval.ID)
	assert.Equal(t, exitOK, code)
	code, _, problem := operator("deny", second.Approval.ID)
	assert.Equal(t, exitError, code)
	assert.Contains(t, problem, "this was already answered: deny (approval_resolved)")
	third := o.ask("rm z")
	code, out, _ = operator("--output", "json", "approve", "--always", third.Approval.ID)
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, `"decision":"allow-always"`)
	assert.Equal(t, gavel.Allow, o.ask("rm z").Effect)
	assert.Equal(t, gavel.Allow, o.ask("rm z").Effect)
	assert.Equal(t, gavel.Ask, o.ask("rm anything").Effect, "a permanent answer is for these words")
}

func TestAnOperatorIsToldWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no server":          {[]string{"--state", t.TempDir(), "list"}, "read the token"},
		"no id":              {[]string{"show"}, "takes exactly one id"},
		"an unknown command": {[]string{"aprove", "x"}, `unknown command "aprove" (did you mean "approve"?)`},
		"no place":           {[]string{"--token", tokenFile(t, secretToken+"\n"), "--server", "http://127.0.0.1:1", "list"}, "reach gavel serve"},
		"a name of nobody":   {[]string{"--state", t.TempDir(), "--as", "../admin", "list"}, "--as"},
	} {
		code, _, problem := runGavel(t, "", append([]string{"approvals"}, c.args...)...)
		assert.Equal(t, exitError, code, name)
		assert.Contains(t, problem, c.want, name)
	}
}

const secretToken = "secret-0123456789-0123456789-0123456789"

func tokenFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.token")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Text that cannot be a token is reported without showing it, and before anything is sent.
func TestAnInvalidTokenIsNotSent(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		assert.Equal(t, "Bearer "+secretToken, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"approvals":[]}`))
	}))
	defer server.Close()
	list := func(stdin, file string) (int, string) {
		code, _, problem := runGavel(t, stdin, "approvals", "--server", server.URL, "--token", file, "list")
		return code, problem
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":             {"", "is empty"},
		"blanks":              {" \n\t\n", "is empty"},
		"two lines":           {secretToken + "\n" + secretToken + "\n", "more than one line"},
		"two words":           {"Bearer " + secretToken, "characters other than printable ASCII"},
		"a letter of another": {secretToken + "é", "characters other than printable ASCII"},
		"a control character": {secretToken + "\x00", "characters other than printable ASCII"},
		"too much":            {strings.Repeat("x", 1<<20), "larger than 4096 bytes"},
	} {
		file := tokenFile(t, c.text)
		code, problem := list("", file)
		assert.Equal(t, exitError, code, name)
		assert.Contains(t, problem, c.want, name)
		assert.Contains(t, problem, file, name)
		assert.NotContains(t, problem, "secret-", name)
		code, problem = list(c.text, "-")
		assert.Equal(t, exitError, code, name)
		assert.Contains(t, problem, "standard input", name)
	}
	code, problem := list("", secretToken)
	assert.Equal(t, exitError, code)
	assert.Contains(t, problem, "--token names a file")
	assert.NotContains(t, problem, secretToken, "a token in the place of a file is not shown either")
	assert.Zero(t, reached.Load())
	code, problem = list("", tokenFile(t, secretToken+"\r\n"))
	assert.Equal(t, exitOK, code, problem)
	code, problem = list(secretToken+"\n", "-")
	assert.Equal(t, exitOK, code, problem)
	assert.EqualValues(t, 2, reached.Load())
}

func TestWatchPrintsNewQuestions(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	d := o.ask("rm x")
	a, out, _ := testApp("")
	written := &lockedBuffer{}
	a.stdout, _ = written, out
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int)
	go func() { done <- a.run(ctx, []string{"approvals", "--state", o.state, "watch"}) }()
	assert.Eventually(t, func() bool { return strings.Contains(written.String(), "requested") }, wait, tick)
	o.do("approve", "POST", "/v1/approvals/"+d.Approval.ID+"/resolve", `{"decision":"deny"}`)
	assert.Eventually(t, func() bool { return strings.Contains(written.String(), "deny ") }, wait, tick)
	stop()
	assert.Equal(t, exitOK, <-done)
}

func TestVerifyComparesAGrantWithACall(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	d := o.ask("rm x")
	o.do("approve", "POST", "/v1/approvals/"+d.Approval.ID+"/resolve", `{"decision":"approve"}`)
	allowed := o.ask("rm x")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	key := filepath.Join(o.state, "keys", "grant.pub")
	token := file("grant.jws", allowed.Approval.Grant.Token+"\n")
	code, out, problem := runGavel(t, "", "verify", "--key", key, "--call", file("call.json", execBody("rm x")), "--host", "gateway", token)
	assert.Equal(t, exitOK, code, problem)
	assert.Contains(t, out, "permits exactly this")
	code, out, _ = runGavel(t, allowed.Approval.Grant.Token, "verify", "--output", "json", "--key", key, "--call", file("other.json", execBody("rm y")), "--host", "gateway", "-")
	assert.Equal(t, exitDenied, code)
	var answer verifyAnswer
	require.NoError(t, json.Unmarshal([]byte(out), &answer))
	assert.Equal(t, []string{"command", "argv"}, answer.Fields)
	judged, err := json.Marshal(allowed.Exec)
	require.NoError(t, err)
	code, out, problem = runGavel(t, "", "verify", "--key", key, "--call", filepath.Join(dir, "call.json"), "--host", "gateway", "--exec", file("exec.json", string(judged)), token)
	assert.Equal(t, exitOK, code, out+problem)
	code, out, _ = runGavel(t, "", "verify", "--key", key, "--call", filepath.Join(dir, "call.json"), "--host", "gateway", "--exec", file("looser.json", `{"host": "gateway", "lifecycle": {"timeoutSec": 9}}`), token)
	assert.Equal(t, exitDenied, code)
	assert.Contains(t, out, "other obligations: lifecycle")
	a, _, _ := testApp("")
	a.now = func() time.Time { return time.Now().Add(time.Hour) }
	assert.Equal(t, exitDenied, a.run(t.Context(), []string{"verify", "--key", key, "--call", filepath.Join(dir, "call.json"), "--host", "gateway", token}), "an expired one")
	code, _, problem = runGavel(t, "", "verify", "--key", key, token)
	assert.Equal(t, exitError, code)
	assert.Contains(t, problem, "--key and one of --call and --bound are required")
}
