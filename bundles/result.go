package bundles

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/regoir"
)

// Reading Rego's results. A result that does not match the contract is an error, and an error
// denies.

var errShape = errors.New("the policy's result does not have the shape of a decision")

// read reads data.gavel.decision.result.
func (s *Snapshot) read(term *ast.Term) (*answer, error) {
	exec := get(term, "exec")
	a := &answer{plan: plan{host: getText(exec, "host"), node: getText(exec, "node"),
		by: getText(exec, "by"), safe: regoir.Materialize(get(exec, "safe")), skills: regoir.Materialize(get(exec, "skills")), sandbox: sandbox(get(exec, "sandbox")),
		synchronous: getFlag(exec, "synchronous"), writes: writes(get(exec, "writes")), ignored: getTexts(exec, "ignored")}}
	a.plan.offer, a.plan.offerError = s.offer(get(exec, "offer"))
	var err error
	if a.plan.lifecycle, err = lifecycle(get(exec, "lifecycle")); err != nil {
		return nil, err
	}
	if err := a.effect.UnmarshalText([]byte(getText(term, "effect"))); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	if a.reasons, err = s.reasons(get(term, "reasons")); err != nil {
		return nil, err
	}
	if len(a.reasons) == 0 {
		return nil, fmt.Errorf("%w: it gives no reason", errShape)
	}
	if a.web, err = web(get(term, "web")); err != nil {
		return nil, err
	}
	if a.effect == gavel.Ask {
		a.terms = terms(get(term, "terms"))
	}
	if verify := get(term, "verify"); verify != nil {
		a.verify = getTexts(term, "verify")
	}
	a.asks, err = s.asks(regoir.Materialize(get(term, "asks")))
	return a, err
}

// decision creates a decision from an answer; nothing in it is shared with other decisions.
func (s *Snapshot) decision(a *answer, facts *gavel.Facts) (gavel.Decision, error) {
	d := gavel.Decision{Effect: a.effect, Revision: s.revision, Reasons: ownReasons(a.reasons), Terms: ownTerms(a.terms), Web: ownWeb(a.web),
		Verify: slices.Clone(a.verify), Asks: ownAsks(a.asks)}
	if a.plan.host != "" && facts.Exec != nil && d.Effect != gavel.Deny {
		d.Exec = execPlan(d.Effect, a.plan, facts)
		if a.plan.offerError != nil {
			return d, a.plan.offerError
		}
		d.Exec.Offer = ownOffer(a.plan.offer)
	}
	return d, nil
}

// execPlan returns what to execute: the segments, if the command was understood and its
// programs were found, or the unchanged text where full mode permits it. Otherwise there is
// nothing to execute.
func execPlan(effect gavel.Effect, plan plan, facts *gavel.Facts) *gavel.Exec {
	e := &gavel.Exec{Host: plan.host, Node: plan.node, Command: facts.Exec.Rendered, Env: environment(facts),
		PathPrepend: append([]string(nil), facts.Environment.PathPrepend...),
		Synchronous: plan.synchronous, Ignored: append([]string(nil), plan.ignored...)}
	if plan.sandbox != nil {
		own := *plan.sandbox
		e.Sandbox = &own
	}
	if plan.lifecycle != nil {
		own := *plan.lifecycle
		e.Lifecycle = &own
	}
	if plan.writes != nil {
		e.Writes = &gavel.Writes{Under: append([]string{}, plan.writes.Under...), Inexact: append([]string{}, plan.writes.Inexact...)}
	}
	by := plan.by
	if !facts.Exec.Parsed || e.Command == "" {
		if by == "full" {
			e.Command = facts.Exec.Command
		}
		return e
	}
	if effect != gavel.Allow {
		by = "" // not permitted yet
	}
	e.Segments = make([]gavel.ExecSegment, 0, len(facts.Exec.Segments))
	for i, segment := range facts.Exec.Segments {
		one := gavel.ExecSegment{Argv: resolved(segment.Argv, segment.Executable), By: by, Wrappers: wrapping(segment.Wrappers)}
		if len(segment.Dynamic) > 0 {
			one.Dynamic = segment.Dynamic
		}
		if segment.Builtin != "" && by != "" {
			one.By = "builtin"
		}
		if by != "" && hasNumber(plan.safe, i) {
			one.By = "safeBins"
		}
		if by != "" && hasNumber(plan.skills, i) {
			one.By = "skills"
		}
		e.Segments = append(e.Segments, one)
	}
	return e
}

// lifecycle reads how commands run; nil if nothing of it is configured.
func lifecycle(term *ast.Term) (*gavel.Lifecycle, error) {
	if term == nil {
		return nil, nil //nolint:nilnil // documented
	}
	var said struct {
		gavel.Lifecycle
		// As they are configured; these members hide those of the same name.
		ApprovalRunningNoticeMs *float64 `json:"approvalRunningNoticeMs"`
		BackgroundMs            *float64 `json:"backgroundMs"`
		CleanupMs               *float64 `json:"cleanupMs"`
		TimeoutSec              *float64 `json:"timeoutSec"`
	}
	if err := ast.As(regoir.Materialize(term).Value, &said); err != nil {
		return nil, fmt.Errorf("%w: lifecycle: %w", errShape, err)
	}
	l := said.Lifecycle
	l.ApprovalRunningNoticeMs, l.BackgroundMs, l.CleanupMs, l.TimeoutSec = whole(said.ApprovalRunningNoticeMs), whole(said.BackgroundMs), whole(said.CleanupMs), whole(said.TimeoutSec)
	return &l, nil
}

// whole rounds a number up, so that only 0 becomes 0.
func whole(n *float64) *int64 {
	if n == nil {
		return nil
	}
	up := int64(math.Ceil(min(max(0, *n), 1<<53)))
	return &up
}

// writes reads where a command may write; nil if nothing limits that.
func writes(term *ast.Term) *gavel.Writes {
	if term == nil {
		return nil
	}
	return &gavel.Writes{Under: getTexts(term, "under"), Inexact: getTexts(term, "inexact")}
}

// sandbox reads the sandbox that a command must run in; nil if it runs in none, or if nothing is
// configured.
func sandbox(term *ast.Term) *gavel.Sandbox {
	box := gavel.Sandbox{Backend: getText(term, "backend"), Scope: getText(term, "scope"),
		WorkspaceAccess: getText(term, "workspaceAccess"), Root: getText(term, "root")}
	if box == (gavel.Sandbox{}) {
		return nil
	}
	return &box
}

// hasNumber reports whether a set has a number.
func hasNumber(set *ast.Term, n int) bool {
	if set == nil {
		return false
	}
	members, ok := set.Value.(ast.Set)
	return ok && members.Contains(ast.InternedTerm(n))
}

// wrapping lists the words of wrappers, each program by its real path. Wrappers that do not
// run are left out: a shell builtin, and a runner whose tool was found already.
func wrapping(wrappers []gavel.Wrapper) [][]string {
	var list [][]string
	for i, wrapper := range wrappers {
		switch {
		case wrapper.Kind == "builtin" || wrapper.Kind == "runner": // the command runs without it
		case i > 0 && wrappers[i-1].Kind == "multiplexer": // which runs it itself, by its name: busybox sh -c
			last := len(list) - 1
			list[last] = append(list[last], wrapper.Argv...)
		default:
			list = append(list, resolved(wrapper.Argv, wrapper.Executable))
		}
	}
	return list
}

// resolved returns words with the program's real path. A shell builtin has none.
func resolved(argv []string, program gavel.Executable) []string {
	words := slices.Clone(argv)
	if program.Real != "" {
		words[0] = program.Real
	}
	return words
}

// environment is the call's variables as strings; other values were refused before.
func environment(facts *gavel.Facts) map[string]string {
	given, _ := facts.Tool.Params["env"].(map[string]any)
	if len(given) == 0 {
		return nil
	}
	env := make(map[string]string, len(given))
	for name, value := range given {
		if s, ok := value.(string); ok {
			env[name] = s
		}
	}
	return env
}

func (s *Snapshot) reasons(term *ast.Term) ([]gavel.Reason, error) {
	var list []gavel.Reason
	err := each(term, func(element *ast.Term) { list = append(list, s.reason(element)) })
	slices.SortStableFunc(list, inOrder)
	return list, err
}

func (s *Snapshot) reason(term *ast.Term) gavel.Reason {
	source, code := get(term, "source"), getText(term, "code")
	reason := gavel.Reason{
		Layer: getText(term, "layer"), Code: code,
		Message: getText(term, "message"), Fix: getText(term, "fix"),
		Source: s.locate(getText(source, "path"), getText(source, "from")),
	}
	if span := get(term, "span"); span != nil {
		reason.Span = &gavel.Span{Start: getNumber(span, "start"), End: getNumber(span, "end")}
	}
	if args := get(term, "args"); args != nil {
		reason.Layer, reason.Message, reason.Fix = s.words[code].fill(code, args, get(term, "fix_args"))
	}
	reason.Message, reason.Fix = s.hidden(reason.Message), s.hidden(reason.Fix)
	return reason
}

// hidden is a text for people without the secrets of the call that it quotes.
func (s *Snapshot) hidden(text string) string {
	masked, _ := s.masker.Text(text)
	return masked
}

// locate finds the line of a setting. A default setting has no file.
func (s *Snapshot) locate(path, from string) gavel.Source {
	source := gavel.Source{Path: path, From: from}
	line, _, ok := s.document.Locate(path)
	switch {
	case ok && s.document.File == inlineName:
		source.File = inlineName
	case ok:
		source.File, source.Line = s.document.File, line
	}
	return source
}

func (s *Snapshot) layer(name string, term *ast.Term) (gavel.Layer, error) {
	layer := gavel.Layer{Layer: name, Title: getText(term, "title"),
		Required: getFlag(term, "required"), Permit: getFlag(term, "permit")}
	layer.Reasons, layer.Verdict = []gavel.Reason{}, silence(layer)
	for _, kind := range []string{"ask", "deny"} {
		reasons, err := s.reasons(get(term, kind))
		if err != nil {
			return layer, fmt.Errorf("layer %s: %w", name, err)
		}
		if len(reasons) > 0 {
			layer.Reasons, layer.Verdict = append(reasons, layer.Reasons...), kind
		}
	}
	return layer, nil
}

// silence is the verdict of a layer that does not object.
func silence(layer gavel.Layer) string {
	switch {
	case layer.Permit:
		return "permit"
	case layer.Required:
		return "silent"
	}
	return "not required"
}
