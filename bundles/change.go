package bundles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/bundles/config"
	"gavel/internal/secrets"
)

const (
	queryChange = "data.gavel.change.result"
	// maxRounds limits how often the policy is asked for edits: an edit may uncover the next
	// refusal.
	maxRounds = 4
	// maxEdits limits the edits of one change, because each of them is tried without the others.
	maxEdits = 16
)

// advice is the value of data.gavel.change.result: which edits of the configuration may permit a
// refused call.
type advice struct {
	Edits   []proposedEdit `json:"edits"`
	None    []noEdit       `json:"none"`
	Settled bool           `json:"settled"` // the call is allowed, or the policy asks on purpose
	Packs   []proposedEdit `json:"packs"`   // may replace several rules
	// Verifiers says who must agree, if nothing else keeps the call from being allowed.
	Verifiers string `json:"verifiers"`
}

// proposedEdit is one edit, in the terms of config.Edit.
type proposedEdit struct {
	Op     string `json:"op"`
	Path   string `json:"path"`
	Value  any    `json:"value"`
	Admits string `json:"admits"`
	Others string `json:"whom"` // who else gets the permission; "" for nobody
}

// noEdit says why no edit answers a reason.
type noEdit struct {
	Code string `json:"code"`
	Why  string `json:"why"`
}

// Change implements gavel.Adviser. The policy proposes edits. They are applied to a copy of the
// configuration, and a snapshot of that copy decides the call again. Then every edit that is not
// needed is dropped, and the policy's tests and decision cases run. Nothing is written.
func (s *Snapshot) Change(ctx context.Context, facts gavel.Facts) gavel.Change {
	if s.text == nil {
		return gavel.Change{None: "the configuration is data of a bundle, and has no file that could be edited"}
	}
	edits, decided, none := s.findEdits(ctx, facts)
	if none != "" {
		none, _ = s.masker.Text(none)
		return gavel.Change{None: none}
	}
	edits, last := s.minimize(ctx, facts, edits)
	if last == nil {
		return gavel.Change{None: explainNoChange(ctx, errors.New("the edits could not be tried"))}
	}
	if edits = s.replaceWithPack(ctx, facts, edits, last); last.Effect != gavel.Allow || len(last.Verify) > 0 {
		decided = *last
	}
	if writesSecret(facts, edits) {
		return gavel.Change{None: "the command has a secret in its words, and the edit would write it into the configuration"}
	}
	if err := s.runPolicyTests(ctx, edits); err != nil {
		return gavel.Change{None: explainNoChange(ctx, err)}
	}
	return s.describeChange(edits, decided)
}

// writesSecret reports whether edits contain a secret of the command.
func writesSecret(facts gavel.Facts, edits []proposedEdit) bool {
	if facts.Exec == nil {
		return false
	}
	_, found := secrets.New().Text(facts.Exec.Command)
	return slices.ContainsFunc(found, func(secret string) bool {
		return slices.ContainsFunc(edits, func(edit proposedEdit) bool { return strings.Contains(fmt.Sprint(edit.Value), secret) })
	})
}

// runPolicyTests runs the policy's tests and decision cases with the edited configuration.
func (s *Snapshot) runPolicyTests(ctx context.Context, edits []proposedEdit) error {
	trial, err := s.trial(ctx, edits)
	if err != nil {
		return err
	}
	if err := trial.runOwnTests(ctx, &policy{compiledRego: s.compiledRego, document: trial.document}); err != nil || s.verify == nil {
		return err
	}
	return s.verify(ctx, trial)
}

// findEdits collects edits until the call is allowed, or asks only because the policy wants it to.
// If it finds none, none says why.
func (s *Snapshot) findEdits(ctx context.Context, facts gavel.Facts) (edits []proposedEdit, decided gavel.Decision, none string) {
	trial := s
	for range maxRounds {
		advice, err := trial.advise(ctx, facts)
		switch {
		case err != nil:
			return nil, decided, explainNoChange(ctx, err)
		case advice.Verifiers != "" && len(edits) == 0:
			return nil, decided, advice.Verifiers
		case advice.Settled && len(edits) == 0:
			return nil, decided, "the policy asks a person on purpose: the call needs an answer, not a change"
		case advice.Settled:
			return edits, trial.Decide(ctx, facts, false), ""
		case len(advice.None) > 0:
			return nil, decided, joinReasons(advice.None)
		}
		edits = merge(edits, advice.Edits)
		if trial, err = s.trial(ctx, edits); err != nil {
			return nil, decided, explainNoChange(ctx, err)
		}
		if decided = trial.Decide(ctx, facts, false); permits(&decided) {
			return edits, decided, ""
		}
		if len(advice.Edits) == 0 || len(edits) > maxEdits {
			break
		}
	}
	if len(decided.Reasons) == 0 {
		return nil, decided, "no edit was found"
	}
	remaining := decided.Reasons[0]
	return nil, decided, fmt.Sprintf("no edit was found that answers %s: %s", remaining.Code, remaining.Message)
}

// minimize drops every edit without which the decision is as good. It returns a nil decision if
// the edits could not be tried.
func (s *Snapshot) minimize(ctx context.Context, facts gavel.Facts, edits []proposedEdit) ([]proposedEdit, *gavel.Decision) {
	decided := s.try(ctx, facts, edits)
	if decided == nil {
		return edits, nil
	}
	for i := len(edits) - 1; i >= 0 && len(edits) > 1; i-- {
		fewer := slices.Delete(slices.Clone(edits), i, i+1)
		if without := s.try(ctx, facts, fewer); without != nil && equallyGood(without, decided) {
			edits = fewer
		}
	}
	return edits, decided
}

// permits reports whether the policy permits a call: it is allowed, or only verifiers must still
// agree.
func permits(d *gavel.Decision) bool { return d.Effect == gavel.Allow || d.Asks != nil }

// equallyGood reports whether two decisions have the same effect and, if they refuse, the same
// reasons.
func equallyGood(a, b *gavel.Decision) bool {
	if a.Effect != b.Effect || permits(a) != permits(b) {
		return false
	}
	return permits(a) || slices.EqualFunc(a.Reasons, b.Reasons, func(x, y gavel.Reason) bool {
		return x.Code == y.Code && x.Message == y.Message
	})
}

// try decides the call with edits. It returns nil if they cannot be applied, or if ctx ended.
func (s *Snapshot) try(ctx context.Context, facts gavel.Facts, edits []proposedEdit) *gavel.Decision {
	trial, err := s.trial(ctx, edits)
	if err != nil {
		return nil
	}
	decided := trial.Decide(ctx, facts, false)
	if ctx.Err() != nil {
		return nil
	}
	return &decided
}

// advise asks the policy which edits may help.
func (s *Snapshot) advise(ctx context.Context, facts gavel.Facts) (advice, error) {
	var a advice
	compiler, err := s.compiler()
	if err != nil {
		return a, err
	}
	if !hasRule(compiler, queryChange) {
		return a, errors.New("the policy replaces the gavel root, and its own root cannot propose a change")
	}
	rules, err := s.newRuleReader(ctx, compiler, facts)
	if err != nil {
		return a, err
	}
	defined, err := rules.read(ctx, queryChange, &a)
	if err == nil && !defined {
		err = fmt.Errorf("evaluate %s: undefined", queryChange)
	}
	return a, err
}

// merge adds edits to a list. If two set the same key, the later one wins.
func merge(edits, more []proposedEdit) []proposedEdit {
	for _, edit := range more {
		same := slices.IndexFunc(edits, func(e proposedEdit) bool {
			return e.Op == edit.Op && e.Path == edit.Path && (e.Op == config.Set || sameValue(e.Value, edit.Value))
		})
		if same >= 0 {
			edits[same] = edit
			continue
		}
		edits = append(edits, edit)
	}
	return edits
}

func sameValue(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// joinReasons says in one line why no edit helps.
func joinReasons(none []noEdit) string {
	list := make([]string, 0, len(none))
	for _, edit := range none {
		list = append(list, fmt.Sprintf("%s: %s", edit.Code, edit.Why))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "; ")
}

// explainNoChange says why the search for a change failed.
func explainNoChange(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "there was not enough time to look for a change"
	}
	var invalid *gavel.PolicyError
	if errors.As(err, &invalid) && len(invalid.Problems) > 0 {
		return "with the edit the policy could not be used: " + invalid.Problems[0].Message
	}
	return err.Error()
}
