package gavel

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// defaultChangeTime limits how long a request may look for changes.
const defaultChangeTime = 2 * time.Second

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
	// Text is the edited file, and Before the file before the edit.
	Text, Before []byte `json:"-"`
}

// Adviser is a snapshot that can say which change of its configuration would permit a call.
type Adviser interface {
	Snapshot
	// Change returns the change for facts that Decide refuses, with the words of programs as
	// rules read them. It takes much longer than a decision, and ends with the context.
	Change(ctx context.Context, facts Facts) Change
}

// semaphore lets one request at a time look for a change, so that decisions do not wait for
// advice. The zero value is ready to use.
type semaphore struct {
	once sync.Once
	slot chan struct{}
}

// acquire waits until no other request holds it. It returns false if the context ended first.
func (s *semaphore) acquire(ctx context.Context) bool {
	s.once.Do(func() { s.slot = make(chan struct{}, 1) })
	select {
	case s.slot <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *semaphore) release() { <-s.slot }

// addChanges adds to each refused decision the change that would permit its call, as far as the
// time for all of them goes.
func (p *PDP) addChanges(ctx context.Context, snapshot Snapshot, calls []Call, decisions []Decision, opts Options) {
	adviser, ok := snapshot.(Adviser)
	if !ok || !opts.Change {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opts.ChangeTime, defaultChangeTime))
	defer cancel()
	for i := range decisions {
		if decisions[i].Effect != Allow {
			decisions[i].Change = p.change(ctx, adviser, calls[i], &decisions[i])
		}
	}
}

// verifierObjections returns why no edit is offered for a call to which only verifiers have not agreed.
func verifierObjections(reasons []Reason) string {
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
	if refused.Asks == nil && len(refused.Reasons) > 0 && refused.Reasons[0].Layer == "verifier" { // verifiers are asked only if everything else permits
		return &Change{None: verifierObjections(refused.Reasons)}
	}
	if !p.changes.acquire(ctx) {
		return &Change{None: "there was not enough time to look for a change"}
	}
	defer p.changes.release()
	facts := p.observe(ctx, interpretingWords{adviser}, &call)
	p.observeState(&facts)
	change := adviser.Change(ctx, facts)
	return &change
}

// interpretingWords is a snapshot for which the analyzer reports how programs interpret their words: a
// rule that is tried may need it, even if the policy does not.
type interpretingWords struct{ Adviser }

// AnalyzerSettings implements Snapshot.
func (w interpretingWords) AnalyzerSettings() *AnalyzerSettings {
	settings := w.Adviser.AnalyzerSettings()
	if settings == nil || !settings.WithoutWords {
		return settings
	}
	own := *settings
	own.WithoutWords = false
	return &own
}
