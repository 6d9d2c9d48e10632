package verifiers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/verifiers"
)

func TestAQuestionIsRedactedButItsDigestCoversTheOriginal(t *testing.T) {
	var got gavel.VerifierQuestion
	f := hub(t, map[string]verifier{"a": func(_ context.Context, q *gavel.VerifierQuestion) gavel.VerifierReply {
		got = *q
		return gavel.VerifierReply{Outcome: gavel.VerifierAllowed}
	}}, nil)
	d, facts := asked("a")
	d.Asks.Redact = []string{"/path"}
	d.Reasons = []gavel.Reason{{Code: "verifier.unasked"}}
	d.Asks.Reasons = []gavel.Reason{{Layer: "tools", Code: "tools.allowed", Message: "listed: curl --token hunter2 x", Fix: "none"}}
	f.hub.Ask(t.Context(), d, facts)
	assert.Equal(t, []gavel.Reason{{Code: "tools.allowed", Message: "listed: curl --token **REDACTED** x"}}, got.Reasons, "what permits the call, not that nobody has answered yet")
	assert.Equal(t, map[string]any{"path": "[REDACTED: 1 chars]", "content": "[REDACTED: 11 chars]"}, got.Params)
	assert.Equal(t, []string{"/content", "/path"}, got.Redacted)
	want, err := verifiers.Digest(facts.Tool.Params)
	require.NoError(t, err)
	assert.Equal(t, want, got.Digest)
	assert.Equal(t, "discord", got.Provider)
	assert.Equal(t, "/srv", got.Directory)
	assert.Equal(t, "2026-03-01T09:01:00Z", got.ExpiresAt.Round(time.Second).Format(time.RFC3339))
}

// The example of RFC 8785, section 3.2.2 and 3.2.3, as far as parameters can hold it.
func TestTheDigestCoversTheCanonicalForm(t *testing.T) {
	for _, c := range []struct {
		one, other map[string]any
		equal      bool
	}{
		{map[string]any{"a": 1.0, "b": "é"}, map[string]any{"b": "é", "a": 1.0}, true},
		{map[string]any{"a": 1e21}, map[string]any{"a": 1e+21}, true},
		{map[string]any{"a": "<"}, map[string]any{"a": "\u003c"}, true},
		{nil, map[string]any{}, true},
		{map[string]any{"a": 1.0}, map[string]any{"a": "1"}, false},
		{map[string]any{"a": nil}, map[string]any{}, false},
	} {
		one, err := verifiers.Digest(c.one)
		require.NoError(t, err)
		other, err := verifiers.Digest(c.other)
		require.NoError(t, err)
		assert.Equal(t, c.equal, one == other, "%v %v", c.one, c.other)
	}
	empty, _ := verifiers.Digest(nil)
	assert.Equal(t, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a", empty, "SHA-256 of {}")
}

func TestAQuestionSaysWhereTheCallRuns(t *testing.T) {
	var got string
	f := hub(t, map[string]verifier{"a": func(_ context.Context, q *gavel.VerifierQuestion) gavel.VerifierReply {
		got = q.Directory
		return gavel.VerifierReply{Outcome: gavel.VerifierAllowed}
	}}, nil)
	for _, c := range []struct {
		exec *gavel.ExecFacts
		want string
	}{
		{nil, "/srv"},
		{&gavel.ExecFacts{Workdir: "/link", Directory: "/real"}, "/real"},
		{&gavel.ExecFacts{Workdir: "/link"}, "/link"},
		{&gavel.ExecFacts{}, ""},
	} {
		d, facts := asked("a")
		facts.Exec = c.exec
		f.hub.Ask(t.Context(), d, facts)
		assert.Equal(t, c.want, got)
	}
}

func TestAnAllowIsCachedForTheSameQuestionOnly(t *testing.T) {
	n := 0
	outcome := gavel.VerifierAllowed
	f := hub(t, map[string]verifier{"a": func(context.Context, *gavel.VerifierQuestion) gavel.VerifierReply {
		n++
		return gavel.VerifierReply{Outcome: outcome}
	}}, nil)
	require.NoError(t, f.hub.Load(t.Context(), "r2", gavel.VerifierSettings{MaxWaiting: 1, Webhooks: map[string]gavel.WebhookSettings{"a": {MaxWaiting: 1}}}))
	ask := func(change func(*gavel.Decision, *gavel.Facts)) string {
		d, facts := asked("a")
		d.Asks.Remember = time.Minute
		if change != nil {
			change(d, facts)
		}
		return outcomes(f.hub.Ask(t.Context(), d, facts))
	}
	outcome = gavel.VerifierDenied
	assert.Equal(t, "a=denied", ask(nil))
	outcome = gavel.VerifierAllowed
	assert.Equal(t, "a=allowed", ask(nil), "a deny is never remembered")
	assert.Equal(t, "a=remembered", ask(nil))
	for name, change := range map[string]func(*gavel.Decision, *gavel.Facts){
		"another agent":               func(_ *gavel.Decision, f *gavel.Facts) { f.Agent.ID = "coder" },
		"another session":             func(_ *gavel.Decision, f *gavel.Facts) { f.Session.Key = "t" },
		"another channel":             func(_ *gavel.Decision, f *gavel.Facts) { f.Sender.Channel = "telegram" },
		"another directory":           func(_ *gavel.Decision, f *gavel.Facts) { f.Environment.Cwd = "/etc" },
		"another policy":              func(d *gavel.Decision, _ *gavel.Facts) { d.Revision = "r2" },
		"another tool":                func(_ *gavel.Decision, f *gavel.Facts) { f.Tool.Name = "edit" },
		"another content, redacted":   func(_ *gavel.Decision, f *gavel.Facts) { f.Tool.Params["content"] = "hidden TEXT" },
		"where nothing is remembered": func(d *gavel.Decision, _ *gavel.Facts) { d.Asks.Remember = 0 },
	} {
		assert.Equal(t, "a=allowed", ask(change), name)
	}
	later := f.now.Load().Add(time.Minute)
	f.now.Store(&later)
	assert.Equal(t, "a=allowed", ask(nil), "the time is over")
}

func TestAPreviewShowsWhatWouldBeAsked(t *testing.T) {
	d, facts := asked("webhook")
	d.Asks.Scope, d.Asks.Redact = "tools.verifier.scope.include", []string{"/path"}
	p, err := verifiers.PreviewOf(d.Asks, facts)
	require.NoError(t, err)
	assert.Equal(t, []string{"webhook"}, p.Verifiers)
	assert.Equal(t, []string{"/content", "/path"}, p.Redacted)
	assert.Equal(t, "[REDACTED: 11 chars]", p.Params["content"])
	assert.Len(t, p.Digest, 64)
	assert.Equal(t, "tools.verifier.scope.include", p.Scope)
	none, err := verifiers.PreviewOf(nil, facts)
	assert.NoError(t, err)
	assert.Nil(t, none)
}
