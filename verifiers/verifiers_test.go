package verifiers_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
	"gavel/verifiers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// verifier answers as the test says.
type verifier func(ctx context.Context, q *gavel.VerifierQuestion) gavel.VerifierReply

func (v verifier) Ask(ctx context.Context, q *gavel.VerifierQuestion) gavel.VerifierReply {
	return v(ctx, q)
}

func saying(outcome string) verifier {
	return func(context.Context, *gavel.VerifierQuestion) gavel.VerifierReply {
		return gavel.VerifierReply{Outcome: outcome, Status: 200, Attempts: 1}
	}
}

// untilEnd waits for the end of its time, as a verifier that does not answer.
func untilEnd(ctx context.Context, _ *gavel.VerifierQuestion) gavel.VerifierReply {
	<-ctx.Done()
	if errors.Is(context.Cause(ctx), gavel.ErrVerifierTime) {
		return gavel.VerifierReply{Outcome: gavel.VerifierTimeout}
	}
	return gavel.VerifierReply{Outcome: gavel.VerifierEnded}
}

// audit remembers what was recorded, and fails if it is told to.
type audit struct {
	mu     sync.Mutex
	events []gavel.AuditEvent
	fails  bool
}

func (a *audit) Audit(_ context.Context, event gavel.AuditEvent) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fails {
		return errors.New("the disk is full")
	}
	a.events = append(a.events, event)
	return nil
}

type fixture struct {
	hub   *verifiers.Hub
	audit *audit
	now   atomic.Pointer[time.Time]
}

func hub(t *testing.T, all map[string]verifier, change func(*gavel.VerifierSettings)) *fixture {
	t.Helper()
	f := &fixture{audit: &audit{}}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	f.now.Store(&at)
	var err error
	f.hub, err = verifiers.New(verifiers.Config{Now: func() time.Time { return *f.now.Load() }, NewID: uuid.NewString, Audit: f.audit,
		Open: func(_ context.Context, path string, _ gavel.WebhookSettings) (gavel.Verifier, error) {
			return all[path], nil
		}})
	require.NoError(t, err)
	settings := gavel.VerifierSettings{MaxWaiting: 100, Webhooks: map[string]gavel.WebhookSettings{}}
	for path := range all {
		settings.Webhooks[path] = gavel.WebhookSettings{MaxWaiting: 100}
	}
	if change != nil {
		change(&settings)
	}
	require.NoError(t, f.hub.Load(t.Context(), "r1", settings))
	return f
}

func asked(paths ...string) (*gavel.Decision, *gavel.Facts) {
	d := &gavel.Decision{Revision: "r1", Asks: &gavel.Asks{Timeout: time.Minute}}
	for _, path := range paths {
		d.Asks.Verifiers = append(d.Asks.Verifiers, gavel.AskedVerifier{Name: path, Endpoint: path, Timeout: time.Minute})
	}
	return d, &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Session: gavel.SessionFacts{Key: "s"}, Sender: gavel.SenderFacts{Channel: "discord"},
		Environment: gavel.EnvironmentFacts{Cwd: "/srv"},
		Tool:        gavel.ToolFacts{Name: "write", Params: map[string]any{"path": "a", "content": "hidden text"}}}
}

func outcomes(answers []gavel.VerifierAnswer) string {
	var list []string
	for _, a := range answers {
		list = append(list, a.Verifier+"="+a.Outcome)
	}
	return strings.Join(list, " ")
}

func TestAllVerifiersAreAskedAtOnceAndTheirAnswersKeepTheirOrder(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	together := verifier(func(context.Context, *gavel.VerifierQuestion) gavel.VerifierReply {
		both.Done()
		both.Wait() // returns only if the other one is asked as well
		return gavel.VerifierReply{Outcome: gavel.VerifierAllowed}
	})
	f := hub(t, map[string]verifier{"a": together, "b": together}, nil)
	d, facts := asked("a", "b")
	assert.Equal(t, "a=allowed b=allowed", outcomes(f.hub.Ask(t.Context(), d, facts)))
}

func TestTheFirstDenyCancelsTheOthers(t *testing.T) {
	f := hub(t, map[string]verifier{"a": untilEnd, "b": saying(gavel.VerifierDenied)}, nil)
	d, facts := asked("a", "b")
	assert.Equal(t, "a=ended b=denied", outcomes(f.hub.Ask(t.Context(), d, facts)))
}

func TestTheSmallestTimeoutApplies(t *testing.T) {
	for name, change := range map[string]func(*gavel.Asks){
		"of the verifier": func(a *gavel.Asks) { a.Verifiers[0].Timeout = time.Millisecond },
		"of all":          func(a *gavel.Asks) { a.Timeout = time.Millisecond },
	} {
		f := hub(t, map[string]verifier{"a": untilEnd}, nil)
		d, facts := asked("a")
		change(d.Asks)
		assert.Equal(t, "a=timeout", outcomes(f.hub.Ask(t.Context(), d, facts)), name)
	}
	f := hub(t, map[string]verifier{"a": untilEnd}, nil)
	d, facts := asked("a")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, "a=ended", outcomes(f.hub.Ask(gone, d, facts)), "the caller's time is not the verifier's: it is never a failure that may allow")
}

func TestAVerifierThatCannotBeAskedDoesNotAllow(t *testing.T) {
	f := hub(t, map[string]verifier{"a": saying(gavel.VerifierAllowed)}, nil)
	d, facts := asked("nobody")
	assert.Equal(t, "nobody=ended", outcomes(f.hub.Ask(t.Context(), d, facts)))
	d, facts = asked("a")
	d.Revision = "another"
	assert.Equal(t, "a=ended", outcomes(f.hub.Ask(t.Context(), d, facts)))
	d, facts = asked("a")
	facts.Tool.Params = map[string]any{"x": func() {}}
	assert.Equal(t, "a=malformed", outcomes(f.hub.Ask(t.Context(), d, facts)))
}

func TestAPanicDoesNotAllow(t *testing.T) {
	f := hub(t, map[string]verifier{"a": func(context.Context, *gavel.VerifierQuestion) gavel.VerifierReply { panic("x") }}, nil)
	d, facts := asked("a")
	assert.Equal(t, "a=ended", outcomes(f.hub.Ask(t.Context(), d, facts)))
}

func TestWaitingCallsAreBounded(t *testing.T) {
	for name, change := range map[string]func(*gavel.VerifierSettings){
		"in all":           func(s *gavel.VerifierSettings) { s.MaxWaiting = 1 },
		"for one verifier": func(s *gavel.VerifierSettings) { s.Webhooks["a"] = gavel.WebhookSettings{MaxWaiting: 1} },
	} {
		t.Run(name, func(t *testing.T) {
			begun, release := make(chan struct{}), make(chan struct{})
			f := hub(t, map[string]verifier{"a": func(context.Context, *gavel.VerifierQuestion) gavel.VerifierReply {
				close(begun)
				<-release
				return gavel.VerifierReply{Outcome: gavel.VerifierAllowed}
			}}, change)
			d, facts := asked("a")
			first := make(chan string, 1)
			go func() { first <- outcomes(f.hub.Ask(t.Context(), d, facts)) }()
			<-begun
			assert.Equal(t, "a=busy", outcomes(f.hub.Ask(t.Context(), d, facts)))
			assert.Equal(t, 1, f.hub.Status()[0].Waiting)
			close(release)
			assert.Equal(t, "a=allowed", <-first)
			assert.Zero(t, f.hub.Status()[0].Waiting)
		})
	}
}

func TestEveryQuestionAndAnswerIsRecorded(t *testing.T) {
	f := hub(t, map[string]verifier{"a": saying(gavel.VerifierDenied)}, nil)
	d, facts := asked("a")
	f.hub.Ask(t.Context(), d, facts)
	require.Len(t, f.audit.events, 2)
	assert.Equal(t, gavel.AuditVerifierAsked, f.audit.events[0].Kind)
	answered := f.audit.events[1]
	assert.Equal(t, gavel.AuditVerifierAnswered, answered.Kind)
	assert.Equal(t, "main", answered.Agent)
	assert.Equal(t, "denied", answered.Detail["outcome"])
	assert.Equal(t, "200", answered.Detail["status"])
	assert.Len(t, answered.Detail["digest"], 64)
	assert.Equal(t, f.audit.events[0].Detail["requestId"], answered.Detail["requestId"])
}

func TestAnAnswerIsRecordedWithTheTimeAtWhichItArrived(t *testing.T) {
	var f *fixture
	f = hub(t, map[string]verifier{"a": func(context.Context, *gavel.VerifierQuestion) gavel.VerifierReply {
		later := f.now.Load().Add(time.Minute)
		f.now.Store(&later)
		return gavel.VerifierReply{Outcome: gavel.VerifierAllowed}
	}}, nil)
	d, facts := asked("a")
	f.hub.Ask(t.Context(), d, facts)
	require.Len(t, f.audit.events, 2)
	assert.Equal(t, time.Minute, f.audit.events[1].Timestamp.Sub(f.audit.events[0].Timestamp))
}

func TestAnAnswerThatCannotBeRecordedDoesNotCount(t *testing.T) {
	f := hub(t, map[string]verifier{"a": saying(gavel.VerifierAllowed)}, nil)
	f.audit.fails = true
	d, facts := asked("a")
	assert.Equal(t, "a=ended", outcomes(f.hub.Ask(t.Context(), d, facts)))
}

func TestAPolicyWhoseVerifierCannotBeOpenedIsNotLoaded(t *testing.T) {
	h, err := verifiers.New(verifiers.Config{Now: time.Now, NewID: uuid.NewString,
		Open: func(_ context.Context, path string, _ gavel.WebhookSettings) (gavel.Verifier, error) {
			return nil, errors.New("VERIFIER_SECRET is not set")
		}})
	require.NoError(t, err)
	err = h.Load(t.Context(), "r", gavel.VerifierSettings{Webhooks: map[string]gavel.WebhookSettings{"a": {}, "b": {}}})
	var invalid *gavel.PolicyError
	require.ErrorAs(t, err, &invalid)
	assert.Len(t, invalid.Problems, 2)
	assert.Equal(t, "a", invalid.Problems[0].Path)
}

func TestRequestsKeepTheVerifiersOfThePolicyTheyStartedWith(t *testing.T) {
	f := hub(t, map[string]verifier{"a": saying(gavel.VerifierAllowed)}, nil)
	require.NoError(t, f.hub.Load(t.Context(), "r2", gavel.VerifierSettings{}))
	d, facts := asked("a")
	assert.Equal(t, "a=allowed", outcomes(f.hub.Ask(t.Context(), d, facts)))
	for i := range 8 {
		require.NoError(t, f.hub.Load(t.Context(), string(rune('k'+i)), gavel.VerifierSettings{}))
	}
	assert.Equal(t, "a=ended", outcomes(f.hub.Ask(t.Context(), d, facts)), "those of long ago are gone")
}

// closing counts how often its unused connections were closed.
type closing struct {
	verifier
	times *atomic.Int64
}

func (c closing) Close() { c.times.Add(1) }

func TestUnusedConnectionsOfOlderPoliciesAreClosed(t *testing.T) {
	var times atomic.Int64
	h, err := verifiers.New(verifiers.Config{Now: time.Now, NewID: uuid.NewString, Open: func(context.Context, string, gavel.WebhookSettings) (gavel.Verifier, error) {
		return closing{saying(gavel.VerifierAllowed), &times}, nil
	}})
	require.NoError(t, err)
	settings := gavel.VerifierSettings{MaxWaiting: 1, Webhooks: map[string]gavel.WebhookSettings{"a": {MaxWaiting: 1}}}
	for _, revision := range []string{"r1", "r2"} {
		require.NoError(t, h.Load(t.Context(), revision, settings))
	}
	assert.EqualValues(t, 1, times.Load(), "those of the first policy, and not of the one in force")
	d, facts := asked("a")
	assert.Equal(t, "a=allowed", outcomes(h.Ask(t.Context(), d, facts)), "questions that began with it are still asked")
}

func TestMetrics(t *testing.T) {
	f := hub(t, map[string]verifier{"a": saying(gavel.VerifierAllowed)}, nil)
	registry := prometheus.NewRegistry()
	require.NoError(t, f.hub.Register(registry))
	d, facts := asked("a")
	f.hub.Ask(t.Context(), d, facts)
	families, err := registry.Gather()
	require.NoError(t, err)
	var names []string
	for _, family := range families {
		names = append(names, family.GetName())
	}
	assert.Equal(t, []string{"gavel_verifier_duration_seconds", "gavel_verifier_questions_total", "gavel_verifier_waiting"}, names)
}
