package hook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hook"
	"gavel/hosts"
	"gavel/hosts/all"
)

type decide = func(context.Context, []gavel.Call) ([]gavel.Decision, error)

func answering(effect gavel.Effect) decide {
	return func(_ context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
		list := make([]gavel.Decision, len(calls))
		for i := range list {
			list[i] = gavel.Decision{ID: "d", Effect: effect, Revision: "r", Reasons: []gavel.Reason{{Code: "a.b", Message: "m"}}}
		}
		return list, nil
	}
}

// recorded are the recorded payloads of all hosts that are about a tool, by file.
func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../hosts/*/testdata/payloads/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	list := map[string][]byte{}
	for _, file := range files {
		list[file], err = os.ReadFile(file)
		require.NoError(t, err)
	}
	return list
}

// allows reports whether a host could take a reply for leave to run the tool.
func allows(reply hosts.Reply) bool {
	text := string(reply.Stdout)
	if reply.Exit == 2 && len(reply.Stderr) > 0 {
		return false
	}
	return strings.Contains(text, "allow") || !strings.Contains(text, "deny") && !strings.Contains(text, `"cancel":true`) && !strings.Contains(text, "decline")
}

func TestEveryFailureIsDenied(t *testing.T) {
	for about, decide := range map[string]decide{
		"an error":    func(context.Context, []gavel.Call) ([]gavel.Decision, error) { return nil, errors.New("x") },
		"no decision": func(context.Context, []gavel.Call) ([]gavel.Decision, error) { return nil, nil },
		"an empty decision": func(_ context.Context, c []gavel.Call) ([]gavel.Decision, error) {
			return make([]gavel.Decision, len(c)), nil
		},
		"a decision too many": func(_ context.Context, c []gavel.Call) ([]gavel.Decision, error) {
			return answering(gavel.Allow)(nil, append(c, c...)) //nolint:staticcheck // it is not used
		},
		"a panic":          func(context.Context, []gavel.Call) ([]gavel.Decision, error) { panic("x") },
		"a panic with nil": func(context.Context, []gavel.Call) ([]gavel.Decision, error) { panic(nil) },
		"a deny":           answering(gavel.Deny),
	} {
		for file, payload := range recorded(t) {
			reply := hook.Run(t.Context(), hook.Config{Decide: decide}, payload)
			assert.False(t, allows(reply), "%s: %s: %+v", file, about, reply)
		}
	}
}

func TestADecisionThatComesTooLateIsADeny(t *testing.T) {
	for file, payload := range recorded(t) {
		ctx, cancel := context.WithCancel(t.Context())
		reply := hook.Run(ctx, hook.Config{Decide: func(ctx context.Context, _ []gavel.Call) ([]gavel.Decision, error) {
			cancel()
			select {} // it never ends, and does not listen
		}}, payload)
		assert.False(t, allows(reply), "%s: %+v", file, reply)
	}
}

func TestGarbageIsNeverAllowed(t *testing.T) {
	for _, name := range append(all.Names(), "", "claude") {
		for _, text := range []string{"", "{}", "garbage", "[]", `{"a":1`, "\x00", `{"hook_event_name":"PreToolUse"}`,
			`{"tool_name":"Bash","tool_input":{"command":"ls"}}`} {
			reply := hook.Run(t.Context(), hook.Config{Host: name, Decide: answering(gavel.Allow)}, []byte(text))
			assert.False(t, allows(reply), "%s: %q: %+v", name, text, reply)
		}
	}
}

func TestAnotherHostThanTheOneNamedIsDenied(t *testing.T) {
	for file, payload := range recorded(t) {
		p, err := hosts.ReadPayload(payload)
		require.NoError(t, err)
		own, err := all.Detect(p, "")
		require.NoError(t, err)
		for _, name := range all.Names() {
			reply := hook.Run(t.Context(), hook.Config{Host: name, Decide: answering(gavel.Allow)}, payload)
			if name != own.Name {
				assert.False(t, allows(reply), "%s as %s: %+v", file, name, reply)
			}
		}
	}
}

func TestTheProjectOfTheHostIsTheWorkspace(t *testing.T) {
	payload := recorded(t)["../hosts/claudecode/testdata/payloads/PreToolUse.Bash.json"]
	var got gavel.Call
	hook.Run(t.Context(), hook.Config{
		Process: hosts.ProcessInfo{Agent: "coder"},
		Getenv:  func(name string) string { return map[string]string{"CLAUDE_PROJECT_DIR": "/RUN"}[name] },
		Decide: func(_ context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
			got = calls[0]
			return nil, nil
		}}, payload)
	assert.Equal(t, "/RUN", got.Environment.Workspace)
	assert.Equal(t, "coder", got.Agent.ID)
}

func FuzzRun(f *testing.F) {
	for _, payload := range recorded(f) {
		f.Add(payload, "")
	}
	for _, name := range all.Names() {
		f.Add([]byte("{}"), name)
	}
	f.Fuzz(func(t *testing.T, payload []byte, name string) {
		reply := hook.Run(t.Context(), hook.Config{Host: name, Decide: answering(gavel.Deny)}, payload)
		if p, err := hosts.ReadPayload(payload); err == nil {
			if h, err := all.Detect(p, name); err == nil {
				if r, err := h.Read(p); err == nil && r.NoOpinion {
					return
				}
			}
		}
		require.False(t, allows(reply), "%+v", reply)
	})
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAnAnswerThatCannotBeWrittenIsADeny(t *testing.T) {
	var stderr strings.Builder
	assert.Equal(t, 2, hook.Print(hosts.Reply{Stdout: []byte("{}\n")}, broken{}, &stderr))
	assert.Contains(t, stderr.String(), "no space left")
}

// endless never ends, as the standard input of a host that forgets to close it.
type endless struct{}

func (endless) Read([]byte) (int, error) { select {} }

func TestAnEndlessPayloadIsADeny(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := hook.ReadAll(ctx, endless{})
	assert.Error(t, err)
}

func TestArguments(t *testing.T) {
	for about, c := range map[string]struct {
		args []string
		want hook.Options
		bad  string
	}{
		"none":   {nil, hook.Options{Timeout: hook.Timeout}, ""},
		"a host": {[]string{"codex"}, hook.Options{Host: "codex", Timeout: hook.Timeout}, ""},
		"a host and options": {[]string{"codex", "--agent", "a", "--policy=/p", "--verification-key", "/k", "--timeout", "2s"},
			hook.Options{Host: "codex", Agent: "a", Policy: "/p", Key: "/k", Timeout: 2 * time.Second}, ""},
		"options and a host": {[]string{"--socket", "/s", "--state", "/d", "--unattended", "codex"},
			hook.Options{Host: "codex", Location: hook.Location{Socket: "/s", State: "/d"}, Unattended: true, Timeout: hook.Timeout}, ""},
		"two hosts":               {[]string{"codex", "cursor"}, hook.Options{Host: "codex", Timeout: hook.Timeout}, "unexpected argument"},
		"an unknown option":       {[]string{"codex", "--polcy", "p"}, hook.Options{Host: "codex", Timeout: hook.Timeout}, "polcy"},
		"a policy of the project": {[]string{"codex", "--policy", "policy"}, hook.Options{Host: "codex", Policy: "policy", Timeout: hook.Timeout}, "--policy policy is not an absolute path"},
		"a key of the project":    {[]string{"--verification-key", "k.pem"}, hook.Options{Key: "k.pem", Timeout: hook.Timeout}, "--verification-key k.pem is not an absolute path"},
		"a state of the project":  {[]string{"--state", "../s"}, hook.Options{Location: hook.Location{State: "../s"}, Timeout: hook.Timeout}, "--state ../s is not an absolute path"},
		"a socket of the project": {[]string{"--socket", "~/s"}, hook.Options{Location: hook.Location{Socket: "~/s"}, Timeout: hook.Timeout}, "--socket ~/s is not an absolute path"},
		"no time":                 {[]string{"--timeout", "0s"}, hook.Options{Timeout: hook.Timeout}, "not a time limit"},
	} {
		t.Run(about, func(t *testing.T) {
			got, err := hook.ParseArgs(c.args)
			assert.Equal(t, c.want, got)
			if c.bad == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.bad)
			}
		})
	}
}
