//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/cases"
)

// TestCodesThatNeedStateAreProvoked provokes each code of testdata/provoked.yaml: by a server with people,
// tokens and sessions, or by files of this machine. Its message and fix must be the ones in the file.
func TestCodesThatNeedStateAreProvoked(t *testing.T) {
	t.Parallel()
	scenarios := map[string]func(t *testing.T) []gavel.Reason{"directives": directiveReasons, "people": peopleReasons,
		"credentials": credentialReasons, "files": fileReasons, "offers": offerReasons}
	want := readProvoked(t)
	assert.Equal(t, slices.Sorted(maps.Keys(scenarios)), slices.Sorted(maps.Keys(want)))
	for name, provoke := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[string][]string{}
			for _, reason := range provoke(t) {
				if _, wanted := want[name][reason.Code]; wanted {
					got[reason.Code] = []string{reason.Message, reason.Fix}
				}
			}
			assert.Equal(t, want[name], got)
		})
	}
}

// directiveReasons posts one message for each way in which a directive is refused.
func directiveReasons(t *testing.T) (list []gavel.Reason) {
	o := startTestServer(t, `
tools:
  exec: {host: node, node: mac-1, security: allowlist, allowlist: [/usr/bin/ls]}
  elevated: {allowFrom: ["discord:123"]}
commands: {allowFrom: ["discord:123"]}
approvals: {exec: {allowFrom: ["discord:123"]}}
agents: {main: {}}
`)
	const sender, session = `"sender":{"channel":"discord","id":"123"}`, `"session":{"key":"agent:main:main"}`
	for _, c := range []struct{ text, call string }{
		{"/approve 1", sender + "," + session},
		{"/approve 1 deny", `"sender":{"channel":"discord","id":"9"},` + session},
		{"/exec host=sandbox", sender + "," + session},
		{"/exec security=full", sender + "," + session},
		{"/exec node=", sender + "," + session},
		{"/exec node=mac-2", sender + "," + session},
		{"/exec ask=always", sender},
		{"/exec ask=always", session},
		{"/exec ask=always", sender + "," + session + `,"group":{"channel":"discord","id":"G1"}`},
		{"/exec ask=always", `"sender":{"channel":"discord","id":"9"},` + session},
		{"/exec ask=never", sender + "," + session},
		{"/exec ask=always ask=off", sender + "," + session},
	} {
		body := fmt.Sprintf(`{"text":%q,"call":{"agent":{"id":"main"},%s}}`, c.text, c.call)
		status, answer := o.do("gateway", http.MethodPost, "/v1/directives", body)
		require.Equal(t, http.StatusOK, status, "%v", answer)
		list = append(list, reasonsIn(t, answer["directives"])...)
	}
	return list
}

// reasonsIn returns the reasons of a value of JSON, wherever they are.
func reasonsIn(t *testing.T, value any) (list []gavel.Reason) {
	t.Helper()
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			list = append(list, reasonsIn(t, element)...)
		}
	case map[string]any:
		if _, coded := v["code"]; coded {
			text, err := json.Marshal(v)
			require.NoError(t, err)
			var reason gavel.Reason
			require.NoError(t, json.Unmarshal(text, &reason))
			return []gavel.Reason{reason}
		}
		for _, member := range v {
			list = append(list, reasonsIn(t, member)...)
		}
	}
	return list
}

func httpCase(calls ...string) cases.Case {
	return cases.Case{Calls: make([]gavel.Call, len(calls)), Texts: calls}
}

// overHTTP decides calls over HTTP, and returns the reasons of all decisions.
func overHTTP(t *testing.T, pdp *gavel.PDP, calls ...string) (list []gavel.Reason) {
	t.Helper()
	for _, d := range decideOverHTTP(t, pdp, httpCase(calls...)) {
		list = append(list, d.Reasons...)
		if d.Exec != nil && d.Exec.Offer != nil {
			list = append(list, d.Exec.Offer.Refused...)
		}
	}
	return list
}

// peopleReasons asks people, who answer, do not answer, cannot be reached, or cannot know what they would
// permit.
func peopleReasons(t *testing.T) []gavel.Reason {
	f := newFlow(t, asking)
	list := overHTTP(t, f.PDP, execBody("zz x"))
	for i, asked := range decideOverHTTP(t, f.PDP, httpCase(execBody("rm x"), execBody("rm y"))) {
		f.answer(t, asked, []string{"approve", "deny"}[i])
	}
	list = append(list, overHTTP(t, f.PDP, execBody("rm x"), execBody("rm y"))...)
	s, err := f.file.Get()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.Path, []byte("{"), 0o600))
	_, err = f.file.Get()
	require.Error(t, err)
	list = append(list, overHTTP(t, f.PDP, execBody("ls"))...)

	late := newFlow(t, asking)
	question := late.run(t, "rm x")
	late.now = late.now.Add(2 * time.Minute)
	expired, err := late.people.Wait(t.Context(), question.Approval.ID)
	require.NoError(t, err)
	list = append(list, expired.Fallback.Reasons...)

	const connected = "approvals: {exec: {route: connected}}\n"
	list = append(list, overHTTP(t, newFlow(t, connected+asking).PDP, execBody("rm x"))...)
	fallback := newFlow(t, connected+"tools: {exec: {host: gateway, ask: always, askFallback: allowlist, allowlist: [/usr/bin/ls]}}\nagents: {main: {}}\n")
	return append(list, overHTTP(t, fallback.PDP, execBody("ls"))...)
}

// credentialReasons asks with credentials that do not speak for an agent or a session, for a paused agent, and
// while the server cannot read its state.
func credentialReasons(t *testing.T) (list []gavel.Reason) {
	o := startAgentServer(t)
	bound := o.create("bound", "--agent", "locked", "--session", "agent:locked:")
	decide := func(token, call string) {
		list = append(list, o.reasons(token, call)...)
	}
	decide(o.file("decide"), callOf("admin", ""))
	decide(bound, callOf("locked", ""))
	code, _, errs := o.run("agents", "pause", "main", "--why", "deletes branches")
	require.Equal(t, exitOK, code, errs)
	decide(o.file("gateway"), callOf("main", ""))
	require.NoError(t, os.WriteFile(filepath.Join(o.state, "agents.json"), []byte("{"), 0o600))
	decide(o.file("gateway"), callOf("main", ""))
	require.NoError(t, os.WriteFile(filepath.Join(o.state, "sessions.json"), []byte("{"), 0o600))
	decide(o.file("gateway"), `{"agent":{"id":"admin"},"session":{"key":"agent:admin:main"},"tool":{"name":"exec","params":{"command":"ls"}},"environment":{"cwd":"/srv/app"}}`)
	assert.Equal(t, exitOK, o.stop())
	return list
}

// reasons decides a call, and returns the reasons.
func (o agentServer) reasons(token, call string) []gavel.Reason {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.n.Listen+"/v1/decisions", strings.NewReader(call))
	require.NoError(o.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(o.t, err)
	defer answer.Body.Close() //nolint:errcheck // it was only read
	var d gavel.Decision
	require.NoError(o.t, json.NewDecoder(answer.Body).Decode(&d))
	return d.Reasons
}

// fileReasons decides commands and writes in a workspace of this machine, where some files are denied.
func fileReasons(t *testing.T) []gavel.Reason {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"sub/.env", "sub/a.txt"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o600))
	}
	require.NoError(t, os.Link(filepath.Join(dir, "sub/a.txt"), filepath.Join(dir, "b.txt")))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "deep", strings.Repeat("d/", 70)), 0o755))
	a, _, _ := testApp("")
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(`
tools:
  read: {deny: ["/**/.env"]}
  write: {allow: ["./**"], deny: ["/**/.env"]}
  exec: {host: gateway, allowlist: [/usr/bin/grep, {pattern: /usr/bin/rm, args: any}]}
agents: {main: {}}
`), 0o600))
	pdp, err := a.load(t.Context(), policy)
	require.NoError(t, err)
	call := func(tool, params string) string {
		return fmt.Sprintf(`{"agent":{"id":"main"},"tool":{"name":%q,"params":%s},"environment":{"cwd":%q,"workspace":%q,"path":["/usr/bin","/bin"]}}`, tool, params, dir, dir)
	}
	list := overHTTP(t, pdp, call("exec", `{"command":"grep -r x sub"}`), call("exec", `{"command":"rm -r sub"}`), call("exec", `{"command":"grep -r x deep"}`),
		call("write", `{"path":"b.txt","content":"y"}`))
	for i := range list {
		list[i].Message = strings.ReplaceAll(list[i].Message, dir, "DIR")
		list[i].Fix = strings.ReplaceAll(list[i].Fix, dir, "DIR")
	}
	s := newSkilled(t)
	d := s.pdp.Decide(t.Context(), s.call, gavel.Options{})
	for _, reason := range d.Reasons {
		reason.Message = strings.ReplaceAll(reason.Message, s.root, "DIR")
		list = append(list, reason)
	}
	return list
}

// offerReasons decides a command that was allowed permanently, and one of a program that anyone can replace.
func offerReasons(t *testing.T) []gavel.Reason {
	w := newCodeDirectory(t, asksLocal)
	w.write(t, "Makefile", "harmless\n")
	w.answer(t, w.decide(t, "make test"), "allow-always")
	w.decide(t, "make test") // the answer itself
	list := w.decide(t, "make test").Reasons

	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	program := filepath.Join(dir, "tool")
	require.NoError(t, os.WriteFile(program, []byte("\x7fELF\x00"), 0o755))
	require.NoError(t, os.Truncate(program, 1<<40)) // too large to be read
	require.NoError(t, os.Chmod(dir, 0o777))
	for _, reason := range w.decide(t, program).Exec.Offer.Refused {
		reason.Message = strings.ReplaceAll(reason.Message, dir, "DIR")
		list = append(list, reason)
	}
	return list
}
