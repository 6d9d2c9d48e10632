package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gavel"
)

// observe says what the case wants and what is observed, in the same words.
func (o outcome) observe(c reference) (want, got string) {
	e, exec := c.Expect, o.exec()
	if c.Bug && c.Safer.Decision != "" {
		e.Decision = c.Safer.Decision
	}
	if c.Bug && c.Input.Op == "systemRun" {
		e.Ran = c.Safer.Ran
	}
	if c.Bug && c.Input.Op == "allowAlways" && c.Safer.Patterns != nil {
		e.Patterns = c.Safer.Patterns
	}
	switch c.Input.Op {
	case "":
		return e.Decision, o.decision.Effect.String()
	case "systemRun":
		return fmt.Sprintf("ran %t", e.Ran), fmt.Sprintf("ran %t", o.decision.Effect == gavel.Allow)
	case "allowAlways":
		return patternsOf(texts(e.Patterns)), patternsOf(o.patterns())
	case "matchExecAllowlistPattern", "toolNameGlob":
		return o.matched(c)
	case "interpreterLikePattern":
		return fmt.Sprintf("interpreter %t", e.InterpreterLike), fmt.Sprintf("interpreter %t", o.offered("exec.offer_interpreter") || o.has("exec.hazard"))
	case "normalizeExecutableToken":
		return "name " + e.Name, "name " + o.name()
	case "isShellWrapper":
		return fmt.Sprintf("wrapper %t", e.IsShellWrapper), fmt.Sprintf("wrapper %t", o.has("exec.opaque_program"))
	case "isDispatchWrapper":
		return fmt.Sprintf("wrapper %t", e.IsDispatchWrapper), fmt.Sprintf("wrapper %t", o.has("exec.opaque_program"))
	case "unwrapDispatchWrapper", "unwrapMultiplexer":
		return strings.TrimSpace(e.Kind + " " + strings.Join(e.Argv, " ")), o.unwrapped()
	case "trustPlan":
		if e.PolicyBlocked {
			return "blocked", o.plan()
		}
		return "plan " + strings.Join(e.WrapperChain, " "), o.plan()
	case "inlineCommand":
		if e.Inline == nil || c.Bug {
			return "no inline text", o.inline()
		}
		return "inline " + *e.Inline, o.inline()
	case "envManipulationBeforeShell":
		return fmt.Sprintf("manipulated %t %v", e.Manipulated, e.AssignmentKeys), fmt.Sprintf("manipulated %t %v", o.manipulated(), exec.Env)
	case "isEnvAssignment":
		return fmt.Sprintf("assignment %t", e.Assignment), fmt.Sprintf("assignment %t", len(exec.Env) > 0)
	case "envKey":
		return fmt.Sprintf("blocked %t", e.OverrideBlocked || c.Bug), fmt.Sprintf("blocked %t", o.has("exec.environment"))
	default: // envOverride, sanitizeEnv, systemRunEnv, gatewayEnvError: a call is denied where the reference drops
		return fmt.Sprintf("denied %t", c.drops()), fmt.Sprintf("denied %t", o.decision.Effect == gavel.Deny)
	}
}

// drops reports whether the reference takes variables away, or refuses them.
func (c reference) drops() bool {
	kept := func(given map[string]string) bool {
		for name, value := range given {
			if c.Expect.Env[name] != value {
				return false
			}
		}
		return true
	}
	switch c.Input.Op {
	case "sanitizeEnv":
		return !kept(c.Input.Overrides)
	case "systemRunEnv":
		return !kept(c.Input.Env)
	case "gatewayEnvError":
		return c.Expect.Error != ""
	default:
		return len(c.Expect.Blocked)+len(c.Expect.Invalid)+len(c.Safer.Blocked) > 0
	}
}

func (o outcome) exec() gavel.ExecFacts {
	if o.decision.Facts == nil || o.decision.Facts.Exec == nil {
		return gavel.ExecFacts{}
	}
	return *o.decision.Facts.Exec
}

func (o outcome) has(code string) bool {
	return slices.ContainsFunc(o.decision.Reasons, func(r gavel.Reason) bool { return r.Code == code })
}

func (o outcome) offer() gavel.Offer {
	if o.decision.Exec == nil || o.decision.Exec.Offer == nil {
		return gavel.Offer{}
	}
	return *o.decision.Exec.Offer
}

func (o outcome) offered(code string) bool {
	return slices.ContainsFunc(o.offer().Refused, func(r gavel.Reason) bool { return r.Code == code })
}

func (o outcome) patterns() []string {
	var list []string
	for _, p := range o.offer().Patterns {
		list = append(list, p.Pattern)
	}
	return list
}

// texts are patterns as text; one with an argPattern, which is for Windows, as JSON.
func texts(list []json.RawMessage) []string {
	var all []string
	for _, raw := range list {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			one = string(raw)
		}
		all = append(all, one)
	}
	return all
}

func patternsOf(list []string) string { return "offers [" + strings.Join(list, " ") + "]" }

func (o outcome) matched(c reference) (want, got string) {
	got = fmt.Sprintf("match %t", o.decision.Effect == gavel.Allow)
	if c.Input.Op == "toolNameGlob" {
		got = fmt.Sprintf("match %t", o.has("tools.denied"))
	}
	if o.refused != "" {
		got = o.refused
	}
	return fmt.Sprintf("match %t", c.Expect.Match), got
}

func (o outcome) name() string {
	if segments := o.exec().Segments; len(segments) > 0 {
		return segments[0].Executable.Name
	}
	return "?"
}

// blocked reports whether something could not be analyzed.
func (o outcome) blocked() bool {
	return !o.exec().Parsed || slices.ContainsFunc(o.exec().Segments, func(s gavel.Segment) bool { return s.Opaque != "" })
}

// unwrapped is what is left when the outermost wrapper is taken off. Ours are taken
// off all at once, so the words of the inner ones are put back.
func (o outcome) unwrapped() string {
	segments := o.exec().Segments
	switch {
	case o.blocked(), o.has("exec.opaque_program"):
		return "blocked"
	case len(segments) == 0 || len(segments[0].Wrappers) == 0:
		return "not-wrapper"
	}
	var words []string
	for _, wrapper := range segments[0].Wrappers[1:] {
		words = append(words, wrapper.Argv...)
	}
	return "unwrapped " + strings.Join(append(words, segments[0].Argv...), " ")
}

// plan is the chain of wrappers, without the shell at its end.
func (o outcome) plan() string {
	if o.blocked() || o.has("exec.wrapper_untrusted") {
		return "blocked"
	}
	var names []string
	for _, wrapper := range o.exec().Segments[0].Wrappers {
		if wrapper.Kind != "shell" && wrapper.Kind != "login" {
			names = append(names, wrapper.Executable.Name)
		}
	}
	return "plan " + strings.Join(names, " ")
}

// inline is what a shell was found to run as a text.
func (o outcome) inline() string {
	var texts []string
	for _, s := range o.exec().Segments {
		if s.Opaque == "" && len(s.Scripts) == 0 && slices.ContainsFunc(s.Wrappers, func(w gavel.Wrapper) bool { return w.Kind == "shell" || w.Kind == "login" }) {
			texts = append(texts, strings.Join(s.Argv, " "))
		}
	}
	if o.blocked() || len(texts) == 0 {
		return "no inline text"
	}
	return "inline " + strings.Join(texts, "; ")
}

// manipulated reports whether a wrapper env stands before a shell and does something.
func (o outcome) manipulated() bool {
	for _, s := range o.exec().Segments {
		for _, w := range s.Wrappers {
			if w.Executable.Name == "env" && len(w.Argv) > 1 {
				return true
			}
		}
	}
	return false
}
