package forward

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// stuck is a webhook that answers when it is told to, and says which messages came.
type stuck struct {
	*httptest.Server
	came   chan webhookBody
	answer chan struct{} // one for each message, or closed
}

func newStuck(t *testing.T) *stuck {
	s := &stuck{came: make(chan webhookBody, 1000), answer: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		text, _ := io.ReadAll(q.Body)
		var body webhookBody
		_ = json.Unmarshal(text, &body)
		s.came <- body
		select {
		case <-s.answer:
		case <-q.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func at(url string) string { return fmt.Sprintf(`{"url":%q,"allowPrivate":true}`, url) }

func TestASlowTargetDoesNotDelayOthers(t *testing.T) {
	slow, quick := newStuck(t), newReceiver(t)
	_, people := running(t, map[string]string{"webhook.slow.json": at(slow.URL), "webhook.json": at(quick.URL)})
	for i := range 20 {
		ask(t, people, fmt.Sprint(i), gavel.Target{Channel: "webhook", To: "slow"})
	}
	<-slow.came // and is not answered
	ask(t, people, "urgent", gavel.Target{Channel: "webhook", To: "ops"})
	select {
	case <-quick.heard:
	case <-time.After(time.Minute):
		require.Fail(t, "the other target hears nothing")
	}
	assert.Contains(t, quick.bodies[0], "urgent")
}

func TestATargetGetsItsMessagesInOrder(t *testing.T) {
	slow := newStuck(t)
	_, people := running(t, map[string]string{"webhook.json": at(slow.URL)})
	first := ask(t, people, "first", gavel.Target{Channel: "webhook", To: "ops"})
	require.Equal(t, first.ID, (<-slow.came).RequestID)
	events := people.Subscribe()
	defer events.Cancel()
	second := ask(t, people, "second", gavel.Target{Channel: "webhook", To: "ops"})
	require.Equal(t, approvals.EventRequested, (<-events.C).Name, "and not only its end")
	_, err := people.Resolve(t.Context(), approvals.Resolution{ID: second.ID, Answer: "deny", By: "approve:alice"})
	require.NoError(t, err)
	close(slow.answer)
	for _, want := range []string{approvals.EventRequested, approvals.EventResolved} {
		got := <-slow.came
		assert.Equal(t, second.ID, got.RequestID)
		assert.Equal(t, want, got.Event)
	}
}

// What is too much for a target is dropped, counted, and sent when there is room.
func TestADroppedQuestionIsCountedAndSentLater(t *testing.T) {
	slow := newStuck(t)
	f, people := running(t, map[string]string{"webhook.json": at(slow.URL)})
	const more = 2 * laneSize
	asked := map[string]int{}
	for i := range 1 + laneSize + more {
		asked[ask(t, people, fmt.Sprint(i), gavel.Target{Channel: "webhook", To: "ops"}).ID] = 0
		if i == 0 {
			asked[(<-slow.came).RequestID]++ // on its way; the others wait
		}
	}
	require.Eventually(t, func() bool { return f.Dropped() == more }, time.Minute, time.Millisecond)
	close(slow.answer)
	for range laneSize + more {
		asked[(<-slow.came).RequestID]++
	}
	for id, times := range asked {
		assert.Equal(t, 1, times, id)
	}
	assert.EqualValues(t, more, f.Dropped(), "each once, however often there was no room yet")
}

func TestManyTargetsTakeTurns(t *testing.T) {
	var most, now atomic.Int64
	busy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		most.Store(max(most.Load(), now.Add(1)))
		now.Add(-1)
	}))
	t.Cleanup(busy.Close)
	f, people := running(t, map[string]string{"webhook.json": at(busy.URL)})
	var targets []gavel.Target
	for i := range maxLanes + 10 {
		targets = append(targets, gavel.Target{Channel: "webhook", To: fmt.Sprint(i)})
	}
	a := ask(t, people, "x", targets...)
	require.Eventually(t, func() bool {
		now, err := people.Snapshot(t.Context(), a.ID)
		require.NoError(t, err)
		return told(now) == len(targets)
	}, 60*time.Second, 5*time.Millisecond, "each is told, those that found no room as well")
	assert.LessOrEqual(t, most.Load(), int64(maxSending))
	_, err := people.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "deny", By: "approve:alice"})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.asked) == 0
	}, 60*time.Second, 5*time.Millisecond, "nothing is remembered permanently")
}

// The list of open questions and the events overlap when forwarding starts.
func TestAQuestionAnsweredWhileItIsSentIsNotSentAgain(t *testing.T) {
	var f *Forwarder
	var people *approvals.Manager
	var a gavel.Approval
	requests := 0
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requests++
		_, err := people.Resolve(context.Background(), approvals.Resolution{ID: a.ID, Answer: "deny", By: "approve:alice"})
		assert.NoError(t, err)
	}))
	t.Cleanup(target.Close)
	f, people, _ = newForwarder(t, filepath.Join(t.TempDir(), "db"), map[string]string{"webhook.json": at(target.URL)})
	a = ask(t, people, "the question", gavel.Target{Channel: "webhook", To: "ops"})
	for range 2 {
		f.enqueue(t.Context(), &approvals.Event{Name: approvals.EventRequested, Approval: a})
		f.queue.wait()
	}
	assert.Equal(t, 1, requests)
}

func told(a gavel.Approval) (n int) {
	for _, d := range a.Forward {
		if d.Delivered {
			n++
		}
	}
	return n
}

// A panic while one message is sent ends nothing else, and the question is open still.
func TestAPanicWhileSendingAMessageDoesNotStopOthers(t *testing.T) {
	r := newReceiver(t)
	f, people, _ := newForwarder(t, filepath.Join(t.TempDir(), "db"), map[string]string{"webhook.json": at(r.URL)})
	var panicked atomic.Bool
	f.cfg.Now = func() time.Time {
		if panicked.CompareAndSwap(false, true) {
			panic("a bug")
		}
		return time.Now()
	}
	defer run(f)()
	first := ask(t, people, "first", gavel.Target{Channel: "webhook", To: "ops"})
	require.Eventually(t, panicked.Load, time.Minute, time.Millisecond)
	ask(t, people, "second", gavel.Target{Channel: "webhook", To: "ops"})
	<-r.heard
	assert.Contains(t, r.bodies[0], "second")
	open, err := people.Snapshot(t.Context(), first.ID)
	require.NoError(t, err)
	assert.Zero(t, told(open), "after a restart it is sent")
}

// newForwarder is a forwarder that does not run yet, with people who keep their
// questions in a file until leave is called.
func newForwarder(t *testing.T, db string, files map[string]string) (f *Forwarder, people *approvals.Manager, leave func()) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	store, err := approvals.OpenOnDisk(db)
	require.NoError(t, err)
	people, err = approvals.Open(t.Context(), approvals.Config{Store: store, Now: time.Now, NewID: uuid.NewString})
	require.NoError(t, err)
	leave = func() { people.Close(); _ = store.Close() }
	t.Cleanup(leave)
	f, err = New(Config{People: people, Dir: dir, Now: time.Now, Pause: func(context.Context, time.Duration) {}})
	require.NoError(t, err)
	return f, people, leave
}

// run runs a forwarder until stop is called.
func run(f *Forwarder) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	return func() { cancel(); <-done }
}

// hears waits for one message.
func (r *receiver) hears(t *testing.T) (body webhookBody) {
	t.Helper()
	select {
	case <-r.heard:
	case <-time.After(time.Minute):
		require.Fail(t, "nothing was sent")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	require.NoError(t, json.Unmarshal([]byte(r.bodies[0]), &body))
	r.bodies = r.bodies[1:]
	return body
}

func TestAfterARestartAQuestionIsSentToTheOtherTargets(t *testing.T) {
	day, night := newReceiver(t), newReceiver(t, http.StatusForbidden)
	files := map[string]string{"webhook.day.json": at(day.URL), "webhook.night.json": at(night.URL)}
	both := []gavel.Target{{Channel: "webhook", To: "day"}, {Channel: "webhook", To: "night"}}
	db := filepath.Join(t.TempDir(), "db")

	f, people, leave := newForwarder(t, db, files)
	stop := run(f)
	a := ask(t, people, "the question", both...)
	assert.Equal(t, a.ID, day.hears(t).RequestID)
	assert.Equal(t, a.ID, night.hears(t).RequestID) // and refuses it
	stop()
	now, err := people.Snapshot(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, 1, told(now))
	leave()

	f, people, leave = newForwarder(t, db, files)
	stop = run(f)
	again := night.hears(t)
	assert.Equal(t, a.ID, again.RequestID)
	assert.Equal(t, approvals.EventRequested, again.Event)
	b := ask(t, people, "another one", both...)
	assert.Equal(t, b.ID, day.hears(t).RequestID, "the first one was not sent again")
	assert.Equal(t, b.ID, night.hears(t).RequestID)
	stop()
	leave()

	f, people, _ = newForwarder(t, db, files)
	defer run(f)()
	c := ask(t, people, "a third one", both...)
	assert.Equal(t, c.ID, day.hears(t).RequestID)
	assert.Equal(t, c.ID, night.hears(t).RequestID)
	_, err = people.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "deny", By: "approve:alice"})
	require.NoError(t, err)
	for _, r := range []*receiver{day, night} {
		end := r.hears(t)
		assert.Equal(t, a.ID, end.RequestID, "and its end is told after a restart as well")
		assert.Equal(t, approvals.EventResolved, end.Event)
	}
}

// Who asks again after a restart makes no news of it.
func TestAQuestionThatIsAskedAgainAfterARestartIsNotSentAgain(t *testing.T) {
	r := newReceiver(t)
	target := gavel.Target{Channel: "webhook", To: "ops"}
	db := filepath.Join(t.TempDir(), "db")
	f, people, leave := newForwarder(t, db, map[string]string{"webhook.json": at(r.URL)})
	stop := run(f)
	first := ask(t, people, "the question", target)
	assert.Equal(t, first.ID, r.hears(t).RequestID)
	stop()
	leave()
	f, people, _ = newForwarder(t, db, map[string]string{"webhook.json": at(r.URL)})
	defer run(f)()
	again, err := people.Open(t.Context(), gavel.Question{Caller: "gateway",
		Facts:    &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "message", Params: map[string]any{"text": "the question"}}},
		Decision: &gavel.Decision{Effect: gavel.Ask, Terms: &gavel.Terms{TimeoutMs: 120_000, Quorum: 1, Forward: []gavel.Target{target}}}})
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	next := ask(t, people, "another one", target)
	assert.Equal(t, next.ID, r.hears(t).RequestID)
}
