package gavel

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// changeTime limits how long a request may look for changes.
const changeTime = 2 * time.Second

// Change is the smallest edit of the configuration that would permit a refused call, or the
// reason why there is none. It was decided again with the call before it is shown.
type Change struct {
	// Patch is the edit as a unified diff of File, and Line is the first line that it adds or
	// replaces, counted in the edited file. Patch is empty if there is no edit.
	Patch string `json:"patch,omitempty"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	// Admits describes in one line everything that the edit permits, not only this call.
	Admits string `json:"admits,omitempty"`
	// Decision is what the call gets with the edit: allow, or ask if the policy then still asks
	// on purpose. It is empty without an edit.
	Decision string `json:"decision,omitempty"`
	// Verify names the verifiers that must then agree to the call.
	Verify []string `json:"verify,omitempty"`
	// None is why there is no edit; "" if there is one.
	None string `json:"none,omitempty"`
	// Text is the edited file, and Was the file before.
	Text, Was []byte `json:"-"`
}

// Adviser is a snapshot that can say which change of its configuration would permit a call.
type Adviser interface {
	Snapshot
	// Change returns the change for facts that Decide refuses, with the words of programs as
	// rules read them. It takes much longer than a decision, and ends with the context.
	Change(ctx context.Context, facts Facts) Change
}

// turns lets one request at a time look for a change, so that decisions do not wait for
// advice. The zero value is ready.
type turns struct {
	once sync.Once
	slot chan struct{}
}

// take waits for a turn. It returns false if the context ended first.
func (t *turns) take(ctx context.Context) bool {
	t.once.Do(func() { t.slot = make(chan struct{}, 1) })
	select {
	case t.slot <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t *turns) give() { <-t.slot }

// addChanges adds to each refused decision the change that would permit its call, as far as the
// time for all of them goes.
func (p *PDP) addChanges(ctx context.Context, snapshot Snapshot, calls []Call, decisions []Decision, opts Options) {
	adviser, ok := snapshot.(Adviser)
	if !ok || !opts.Change {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opts.ChangeTime, changeTime))
	defer cancel()
	for i := range decisions {
		if decisions[i].Effect != Allow {
			decisions[i].Change = p.change(ctx, adviser, calls[i], &decisions[i])
		}
	}
}

// unverified returns why no edit is offered for a call that only a verifier has not agreed to.
func unverified(reasons []Reason) string {
	var list []string
	for _, r := range reasons {
		list = append(list, fmt.Sprintf("%s; no edit of the configuration is offered for that: %s", r.Message, r.Fix))
	}
	return strings.Join(list, "; ")
}

// change returns the change that would permit a refused call. After a panic, the change has a reason
// instead of an edit.
func (p *PDP) change(ctx context.Context, adviser Adviser, call Call, refused *Decision) (found *Change) {
	defer p.recovered(func(Reason) { found = &Change{None: "an internal error occurred while looking for a change"} })
	if len(refused.Reasons) > 0 && refused.Reasons[0].Layer == "gavel" {
		return &Change{None: "Gavel itself denied the call, not a rule of the policy: " + refused.Reasons[0].Message}
	}
	if refused.Asks == nil && len(refused.Reasons) > 0 && refused.Reasons[0].Layer == "verifier" { // nobody asks them before all else permits
		return &Change{None: unverified(refused.Reasons)}
	}
	if !p.changes.take(ctx) {
		return &Change{None: "there was not enough time to look for a change"}
	}
	defer p.changes.give()
	facts := p.observe(ctx, withWords{adviser}, &call)
	p.observeState(&facts)
	change := adviser.Change(ctx, facts)
	return &change
}

// withWords is a snapshot for which the analyzer reports how programs read their words: a rule that is
// tried may need it, even if the policy does not.
type withWords struct{ Adviser }

// Searches implements Snapshot.
func (w withWords) Searches() *Searches {
	searches := w.Adviser.Searches()
	if searches == nil || !searches.WithoutWords {
		return searches
	}
	own := *searches
	own.WithoutWords = false
	return &own
}
