package approvals_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

func TestRT05OpenQuestionsOfOneAskerAreBounded(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) { c.Budget = approvals.Budget{PerCaller: 4, PerAgent: 3, PerSession: 2} })
	ask := func(n int, caller, agent, session string) error {
		q := question(other(n), func(f *gavel.Facts, _ *gavel.Decision) { f.Agent.ID, f.Session.Key = agent, session })
		q.Caller = caller
		_, err := d.Open(t.Context(), q)
		return err
	}
	require.NoError(t, ask(1, "decide", "main", "a"))
	require.NoError(t, ask(2, "decide", "main", "a"))
	assert.Equal(t, gavel.CodeApprovalsFull, code(ask(3, "decide", "main", "a")), "the session")
	require.NoError(t, ask(3, "decide", "main", "b"))
	assert.Equal(t, gavel.CodeApprovalsFull, code(ask(4, "decide", "main", "c")), "the agent")
	require.NoError(t, ask(4, "decide", "other", "c"))
	assert.Equal(t, gavel.CodeApprovalsFull, code(ask(5, "decide", "third", "d")), "the credential")
	require.NoError(t, ask(5, "gateway", "main", "a"), "another credential keeps its share")
	require.NoError(t, ask(1, "decide", "main", "a"), "what is open already can be asked again")
	d.clock.step(3 * time.Minute)
	require.NoError(t, d.Sweep(t.Context()))
	require.NoError(t, ask(6, "decide", "third", "d"), "what has expired counts no more")
}

func TestRT05AQuestionIsStoredAsPeopleSeeIt(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) { c.Budget = approvals.Budget{Bytes: 200_000} })
	long := strings.Repeat("x\n", 80_000)
	full := ""
	for n := range 100 {
		q := question(func(f *gavel.Facts, dec *gavel.Decision) {
			f.Exec.Command = long + fmt.Sprint(n)
			dec.Exec.Command = "'/usr/bin/rg' '" + long + fmt.Sprint(n) + "'"
			f.Exec.Segments[0].Argv = []string{"rg", long, fmt.Sprint(n)}
			for range 500 {
				f.Exec.Segments[0].Hazards = append(f.Exec.Segments[0].Hazards, gavel.Hazard{Kind: "runs", Argument: long[:1000]})
			}
		})
		a, err := d.Open(t.Context(), q)
		if full = code(err); err != nil {
			break
		}
		assert.LessOrEqual(t, len([]rune(a.Request.Command)), 4010)
		assert.Contains(t, strings.Join(a.Request.Notes, "; "), "left out")
		assert.Contains(t, strings.Join(a.Request.Notes, "; "), "more hazards than are shown")
	}
	assert.Equal(t, gavel.CodeApprovalsFull, full, "all questions together have a budget of bytes")
	list, err := d.List(t.Context())
	require.NoError(t, err)
	assert.Greater(t, len(list), 3)
}

func TestRT05TextThatIsNotShownInFullCannotBePermittedPermanently(t *testing.T) {
	d := newDesk(t, nil)
	for length, want := range map[int]bool{100: true, 5_000: false} {
		a := d.opened(t, question(func(_ *gavel.Facts, dec *gavel.Decision) {
			dec.Exec.Command = "'/usr/bin/rg' '" + strings.Repeat("x", length) + "'"
		}))
		assert.Equal(t, want, slices.Contains(a.Terms.Answers, gavel.AllowAlways), "%d characters", length)
		assert.Contains(t, a.Terms.Answers, gavel.AllowOnce)
	}
}

func TestRT09QuorumCountsPeople(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question(func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Quorum = 2 }))
	vote := func(by, person string) (gavel.Approval, error) {
		return d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: by, Person: person})
	}
	_, err := vote("approve:alice", "")
	require.NoError(t, err)
	for _, by := range []string{"approve", "approvals.sock", ""} {
		_, err = vote(by, "")
		assert.Equal(t, gavel.CodePersonRequired, code(err), by)
	}
	_, err = vote("approvals.sock", "alice")
	assert.Equal(t, gavel.CodeApprovalVoted, code(err), "the socket is bound to her")
	second, err := vote("approvals.sock", "bob")
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalResolved, second.State)
}

func TestRT09ASharedCredentialDoesNotCountForAQuorum(t *testing.T) {
	store := approvals.NewInMemory()
	d := newDesk(t, func(c *approvals.Config) { c.Store = store })
	a := d.opened(t, question(func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Quorum = 2 }))
	a.Votes = append(a.Votes, gavel.Vote{By: "approve", Answer: gavel.AllowOnce, At: a.CreatedAt}) // as an older version took it
	_, err := store.Swap(t.Context(), a, nil)
	require.NoError(t, err)
	voted, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "approve:alice"})
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalPending, voted.State)
	voted, err = d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "approve:bob"})
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalResolved, voted.State)
}

func TestRT09APersonWhoAskedCannotAnswerByAnotherCredential(t *testing.T) {
	d := newDesk(t, nil)
	q := question()
	q.Caller, q.Person = "approvals.sock", "alice"
	a := d.opened(t, q)
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "approve:alice"})
	assert.Equal(t, gavel.CodeSelfApproval, code(err))
}

func TestRT13TheStricterTermsApplyWhenAnAnswerIsUsed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*gavel.Terms)
		found  bool
	}{
		"nothing has changed":                  {func(*gavel.Terms) {}, true},
		"permanently is no longer offered":     {func(now *gavel.Terms) { now.Answers = []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer} }, true},
		"more people must agree":               {func(now *gavel.Terms) { now.Quorum = 2 }, false},
		"others must agree":                    {func(now *gavel.Terms) { now.Approvers = []string{"bob"} }, false},
		"nobody may permit it any longer":      {func(now *gavel.Terms) { now.Answers = []gavel.Answer{gavel.DenyAnswer} }, false},
		"who has answered is one of those now": {func(now *gavel.Terms) { now.Approvers = []string{"approve", "bob"} }, true},
	} {
		d := newDesk(t, nil)
		a := d.opened(t, question())
		d.answered(t, a.ID, "allow-always")
		found := look(t, d, question(func(_ *gavel.Facts, dec *gavel.Decision) { c.change(dec.Terms) }))
		assert.Equal(t, c.found, found.Found, name)
	}
}

func TestRT13ARepeatedQuestionHasTheStricterTerms(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	d.opened(t, question(func(_ *gavel.Facts, dec *gavel.Decision) {
		dec.Terms.Approvers, dec.Terms.Offer = []string{"bob"}, []string{"/usr/bin/other"}
	}))
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "approve"})
	assert.Equal(t, gavel.CodeNotApprover, code(err))
	_, err = d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "allow-always", By: "approve:bob"})
	assert.Equal(t, gavel.CodeAnswerUnavailable, code(err), "what both offer is nothing")
}

// What is allowed permanently is what is offered now. Who asks again, as gateways do that look for
// an answer, changes nothing by that.
func TestRT13EveryPolicySinceTheQuestionMustOfferAPermanentAnswer(t *testing.T) {
	always := []gavel.Answer{gavel.AllowOnce, gavel.AllowAlways, gavel.DenyAnswer}
	only := func(pattern string, words ...string) gavel.OfferedPattern {
		return gavel.OfferedPattern{Pattern: pattern, Only: &gavel.Only{Form: gavel.FormWords, Argv: words, Cwd: "/srv/app"}}
	}
	terms := func(change func(*gavel.Terms)) func(*gavel.Facts, *gavel.Decision) {
		return func(_ *gavel.Facts, d *gavel.Decision) {
			d.Terms.Answers = always
			change(d.Terms)
		}
	}
	both := func(entries ...gavel.OfferedPattern) func(*gavel.Terms) {
		return func(t *gavel.Terms) {
			t.Entries, t.Offer = entries, nil
			for _, entry := range entries {
				t.Offer = append(t.Offer, entry.Pattern)
			}
		}
	}
	exact := func(t *gavel.Terms) { t.Offer, t.Entries, t.Exact = nil, nil, true }
	accepting := func(args ...string) func(*gavel.Terms) {
		return func(t *gavel.Terms) { t.Args = map[string][]string{"/usr/bin/rg": args} }
	}
	for name, c := range map[string]struct {
		first, again func(*gavel.Terms)
		added        []string // nil: allow-always is no longer offered
	}{
		"the same":                               {both(only("/usr/bin/rg", "x"), only("/usr/bin/head", "-5")), both(only("/usr/bin/rg", "x"), only("/usr/bin/head", "-5")), []string{"/usr/bin/rg", "/usr/bin/head"}},
		"one entry less":                         {both(only("/usr/bin/rg", "x"), only("/usr/bin/head", "-5")), both(only("/usr/bin/head", "-5")), []string{"/usr/bin/head"}},
		"an entry with other limits":             {both(only("/usr/bin/rg", "x")), both(only("/usr/bin/rg", "y")), nil},
		"an entry that has lost its limits":      {both(only("/usr/bin/rg", "x")), both(gavel.OfferedPattern{Pattern: "/usr/bin/rg"}), nil},
		"exactly this command":                   {exact, exact, []string{"=command"}},
		"exactly this command, and no longer":    {exact, func(t *gavel.Terms) { t.Offer, t.Entries = nil, nil }, nil},
		"patterns alone":                         {func(*gavel.Terms) {}, func(*gavel.Terms) {}, []string{"/usr/bin/rg"}},
		"a pattern that accepts the same hazard": {accepting("--pre"), accepting("--pre"), []string{"/usr/bin/rg"}},
		"a pattern that accepts other hazards":   {accepting("--pre"), accepting("--pre", "--hostname-bin"), nil},
		"a pattern that accepts none any longer": {accepting("--pre"), func(*gavel.Terms) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			a := d.opened(t, question(terms(c.first)))
			require.Equal(t, a.ID, d.opened(t, question(terms(c.again))).ID)
			_, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "allow-always", By: "approve"})
			if c.added == nil {
				assert.Equal(t, gavel.CodeAnswerUnavailable, code(err))
				assert.Empty(t, d.patterns.added)
				return
			}
			require.NoError(t, err)
			added := d.patterns.added["main"]
			if c.added[0] == "=command" {
				require.Len(t, added, 1)
				assert.True(t, strings.HasPrefix(added[0], approvals.ExactPrefix), added[0])
				return
			}
			assert.Equal(t, c.added, added)
		})
	}
}

func TestRT25APatternThatWasRemovedStaysRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.db")
	s := onDisk(t, path)
	clock := newClock()
	open := func(s approvals.Store, p *patterns) *desk {
		return newDesk(t, func(c *approvals.Config) { c.Store, c.Now, c.Allowlist = s, clock.Now, p })
	}
	first := &patterns{err: errors.New("the disk is full")}
	d := open(s, first)
	a := d.opened(t, question())
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "allow-always", By: "approve"})
	require.Error(t, err)
	d.Close()
	second := &patterns{}
	d = open(s, second)
	assert.Equal(t, map[string][]string{"main": {"/usr/bin/rg"}}, second.added, "what was not added is added at the next start")
	d.Close()
	require.NoError(t, s.Close())
	third := &patterns{}
	open(onDisk(t, path), third)
	assert.Empty(t, third.added, "and once only: somebody may have removed it")
}

func TestRT26AnEmptyOrTruncatedDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.db")
	s := onDisk(t, path)
	d := newDesk(t, func(c *approvals.Config) { c.Store = s })
	for n := range 60 {
		d.opened(t, question(other(n)))
	}
	d.Close()
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := 0
	for size := 0; size < len(whole); size += 4096 {
		require.NoError(t, os.WriteFile(path, whole[:size], 0o600))
		opened, err := approvals.OpenOnDisk(path)
		if err == nil { // what is missing was never written
			require.NoError(t, opened.Close())
			continue
		}
		refused++
		assert.Equal(t, gavel.CodeApprovalsUnavailable, code(err), size)
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Len(t, left, size, "it is left unchanged")
	}
	assert.Greater(t, refused, 8)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = approvals.OpenOnDisk(path)
	require.ErrorContains(t, err, "empty")
}
