package bundles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"gavel"
	"gavel/bundles/config"
	"gavel/internal/secrets"
)

const (
	queryChange = "data.gavel.change.result"
	// maxRounds limits how often edits are looked for: an edit may uncover the next refusal.
	maxRounds = 4
	// maxEdits limits the edits of one change, because the call is decided once without each.
	maxEdits = 16
)

// advice is what the policy says about a refused call: edits that may help, and why others do
// not.
type advice struct {
	Edits   []candidate `json:"edits"`
	None    []noChange  `json:"none"`
	Settled bool        `json:"settled"`
	Packs   []candidate `json:"packs"` // that may take the place of several rules
	// Verifiers says who must agree, if nothing else stands between the call and an allow.
	Verifiers string `json:"verifiers"`
}

type candidate struct {
	Op     string `json:"op"`
	Path   string `json:"path"`
	Value  any    `json:"value"`
	Admits string `json:"admits"`
	Whom   string `json:"whom"` // whom else it is for; "" for nobody
}

type noChange struct {
	Code string `json:"code"`
	Why  string `json:"why"`
}

// Change implements gavel.Adviser. The policy names edits that may help. They are applied to a
// copy of the configuration, and a snapshot of that copy decides the call again. Then every edit
// that the call does not need is dropped, and the policy's own tests and decision cases run.
// Nothing is written.
func (s *Snapshot) Change(ctx context.Context, facts gavel.Facts) gavel.Change {
	if s.text == nil {
		return gavel.Change{None: "the configuration is data of a bundle, and has no file that could be edited"}
	}
	edits, decided, none := s.search(ctx, facts)
	if none != "" {
		none, _ = s.masker.Text(none)
		return gavel.Change{None: none}
	}
	edits, last := s.minimal(ctx, facts, edits)
	if last == nil {
		return gavel.Change{None: interrupted(ctx, errors.New("the edits could not be tried"))}
	}
	if edits = s.packed(ctx, facts, edits, last); last.Effect != gavel.Allow || len(last.Verify) > 0 {
		decided = *last
	}
	if writesSecret(facts, edits) {
		return gavel.Change{None: "the command has a secret in its words, and the edit would write it into the configuration"}
	}
	if err := s.holds(ctx, edits); err != nil {
		return gavel.Change{None: interrupted(ctx, err)}
	}
	return s.shown(edits, decided)
}

// writesSecret reports whether edits contain a secret from the command.
func writesSecret(facts gavel.Facts, edits []candidate) bool {
	if facts.Exec == nil {
		return false
	}
	_, found := secrets.New().Text(facts.Exec.Command)
	return slices.ContainsFunc(found, func(secret string) bool {
		return slices.ContainsFunc(edits, func(edit candidate) bool { return strings.Contains(fmt.Sprint(edit.Value), secret) })
	})
}

// holds runs the policy's own tests and decision cases with the edits.
func (s *Snapshot) holds(ctx context.Context, edits []candidate) error {
	trial, err := s.trial(ctx, edits)
	if err != nil {
		return err
	}
	if err := trial.selfTest(ctx, &policy{program: s.program, document: trial.document}); err != nil || s.verify == nil {
		return err
	}
	return s.verify(ctx, trial)
}

// search collects edits until the call is allowed, or asks only because the policy wants it to.
func (s *Snapshot) search(ctx context.Context, facts gavel.Facts) (edits []candidate, decided gavel.Decision, none string) {
	trial := s
	for range maxRounds {
		said, err := trial.advise(ctx, facts)
		switch {
		case err != nil:
			return nil, decided, interrupted(ctx, err)
		case said.Verifiers != "" && len(edits) == 0:
			return nil, decided, said.Verifiers
		case said.Settled && len(edits) == 0:
			return nil, decided, "the policy asks a person on purpose: the call needs an answer, not a change"
		case said.Settled:
			return edits, trial.Decide(ctx, facts, false), ""
		case len(said.None) > 0:
			return nil, decided, whyNone(said.None)
		}
		edits = merge(edits, said.Edits)
		if trial, err = s.trial(ctx, edits); err != nil {
			return nil, decided, interrupted(ctx, err)
		}
		if decided = trial.Decide(ctx, facts, false); permits(&decided) {
			return edits, decided, ""
		}
		if len(said.Edits) == 0 || len(edits) > maxEdits {
			break
		}
	}
	if len(decided.Reasons) == 0 {
		return nil, decided, "no edit was found"
	}
	left := decided.Reasons[0]
	return nil, decided, fmt.Sprintf("no edit was found that answers %s: %s", left.Code, left.Message)
}

// minimal drops edits as long as the decision stays as good. It returns a nil decision if the
// context ended first.
func (s *Snapshot) minimal(ctx context.Context, facts gavel.Facts, edits []candidate) ([]candidate, *gavel.Decision) {
	decided := s.tried(ctx, facts, edits)
	if decided == nil {
		return edits, nil
	}
	for i := len(edits) - 1; i >= 0 && len(edits) > 1; i-- {
		fewer := slices.Delete(slices.Clone(edits), i, i+1)
		if without := s.tried(ctx, facts, fewer); without != nil && asGood(without, decided) {
			edits = fewer
		}
	}
	return edits, decided
}

// permits reports whether nothing of the policy stands against a call: it is allowed, or only
// verifiers must still agree.
func permits(d *gavel.Decision) bool { return d.Effect == gavel.Allow || d.Asks != nil }

// asGood reports whether a decision is as good as another one: it has the same effect, and the same
// reasons if it is a refusal.
func asGood(one, other *gavel.Decision) bool {
	if one.Effect != other.Effect || permits(one) != permits(other) {
		return false
	}
	return permits(one) || slices.EqualFunc(one.Reasons, other.Reasons, func(a, b gavel.Reason) bool {
		return a.Code == b.Code && a.Message == b.Message
	})
}

// tried decides the call with the given edits; nil if they could not be tried.
func (s *Snapshot) tried(ctx context.Context, facts gavel.Facts, edits []candidate) *gavel.Decision {
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
	compiler, err := s.rules()
	if err != nil {
		return advice{}, err
	}
	if len(compiler.GetRulesExact(ast.MustParseRef(queryChange))) == 0 {
		return advice{}, errors.New("the policy replaces the gavel root, and its own root cannot propose a change")
	}
	frozen, err := s.complete(ctx, &facts)
	if err != nil {
		return advice{}, err
	}
	input, err := s.input(&facts, frozen)
	if err != nil {
		return advice{}, err
	}
	results, err := rego.New(append(boundedFunctions(), rego.Query(queryChange), rego.Compiler(compiler), rego.Store(s.store),
		rego.StrictBuiltinErrors(true), rego.ParsedInput(input))...).Eval(ctx)
	if err != nil {
		return advice{}, internal("evaluate "+queryChange, err)
	}
	if len(results) == 0 || len(results[0].Expressions) == 0 {
		return advice{}, fmt.Errorf("evaluate %s: undefined", queryChange)
	}
	text, err := json.Marshal(results[0].Expressions[0].Value)
	if err != nil {
		return advice{}, internal("read "+queryChange, err)
	}
	var said advice
	if err := json.Unmarshal(text, &said); err != nil {
		return advice{}, internal("read "+queryChange, err)
	}
	return said, nil
}

// merge adds the edits that are new. If two set the same key, the later one wins.
func merge(edits, more []candidate) []candidate {
	for _, one := range more {
		same := slices.IndexFunc(edits, func(e candidate) bool {
			return e.Op == one.Op && e.Path == one.Path && (e.Op == config.Set || sameValue(e.Value, one.Value))
		})
		if same >= 0 {
			edits[same] = one
			continue
		}
		edits = append(edits, one)
	}
	return edits
}

func sameValue(a, b any) bool {
	one, err := json.Marshal(a)
	other, otherErr := json.Marshal(b)
	return err == nil && otherErr == nil && string(one) == string(other)
}

// whyNone says in one line why no edit helps.
func whyNone(none []noChange) string {
	list := make([]string, 0, len(none))
	for _, one := range none {
		list = append(list, fmt.Sprintf("%s: %s", one.Code, one.Why))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "; ")
}

// interrupted says why the search for a change ended without one.
func interrupted(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "there was not enough time to look for a change"
	}
	var invalid *gavel.PolicyError
	if errors.As(err, &invalid) && len(invalid.Problems) > 0 {
		return "with the edit the policy could not be used: " + invalid.Problems[0].Message
	}
	return err.Error()
}
