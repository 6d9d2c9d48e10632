package bundles

import (
	"fmt"
	"math"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/regoir"
)

// execPlan is how the policy wants a command to run. Without a host it does not run.
type execPlan struct {
	host, node, by string
	safeBins       *ast.Term // the indexes of segments that are allowed as safe bins
	skills         *ast.Term // and of those that are allowed as programs of skills
	sandbox        *gavel.Sandbox
	synchronous    bool
	lifecycle      *gavel.Lifecycle
	writes         *gavel.Writes
	ignored        []string
	offer          *gavel.Offer
	offerError     error // why the offer cannot be read; it denies if the command could run
}

func (s *Snapshot) readExecPlan(term *ast.Term) (execPlan, error) {
	p := execPlan{host: getString(term, "host"), node: getString(term, "node"), by: getString(term, "by"),
		safeBins: regoir.Materialize(get(term, "safe")), skills: regoir.Materialize(get(term, "skills")),
		sandbox: readSandbox(get(term, "sandbox")), synchronous: getBool(term, "synchronous"),
		writes: readWrites(get(term, "writes")), ignored: getStrings(term, "ignored")}
	p.offer, p.offerError = s.readOffer(get(term, "offer"))
	var err error
	p.lifecycle, err = readLifecycle(get(term, "lifecycle"))
	return p, err
}

// newExec returns what to execute: the segments, if the command was parsed and rendered, or the
// original text if full mode permits it. Otherwise there is nothing to execute.
func newExec(effect gavel.Effect, plan execPlan, facts *gavel.Facts) *gavel.Exec {
	e := &gavel.Exec{Host: plan.host, Node: plan.node, Command: facts.Exec.Rendered, Env: callEnvironment(facts),
		PathPrepend: append([]string(nil), facts.Environment.PathPrepend...),
		Synchronous: plan.synchronous, Ignored: append([]string(nil), plan.ignored...)}
	if plan.sandbox != nil {
		sandbox := *plan.sandbox
		e.Sandbox = &sandbox
	}
	if plan.lifecycle != nil {
		lifecycle := *plan.lifecycle
		e.Lifecycle = &lifecycle
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
		by = "" // nothing permits it yet
	}
	e.Segments = make([]gavel.ExecSegment, 0, len(facts.Exec.Segments))
	for i, segment := range facts.Exec.Segments {
		one := gavel.ExecSegment{Argv: withRealPath(segment.Argv, segment.Executable), By: by, Wrappers: wrapperCommands(segment.Wrappers)}
		if len(segment.Dynamic) > 0 {
			one.Dynamic = segment.Dynamic
		}
		if segment.Builtin != "" && by != "" {
			one.By = "builtin"
		}
		if by != "" && containsInt(plan.safeBins, i) {
			one.By = "safeBins"
		}
		if by != "" && containsInt(plan.skills, i) {
			one.By = "skills"
		}
		e.Segments = append(e.Segments, one)
	}
	return e
}

// readLifecycle reads timeouts and the like. It returns nil if none is configured.
func readLifecycle(term *ast.Term) (*gavel.Lifecycle, error) {
	if term == nil {
		return nil, nil //nolint:nilnil // documented
	}
	var configured struct {
		gavel.Lifecycle
		// A configuration may have fractions. These fields hide those of the same name.
		ApprovalRunningNoticeMs *float64 `json:"approvalRunningNoticeMs"`
		BackgroundMs            *float64 `json:"backgroundMs"`
		CleanupMs               *float64 `json:"cleanupMs"`
		TimeoutSec              *float64 `json:"timeoutSec"`
	}
	if err := ast.As(regoir.Materialize(term).Value, &configured); err != nil {
		return nil, fmt.Errorf("%w: lifecycle: %w", errResultShape, err)
	}
	l := configured.Lifecycle
	l.ApprovalRunningNoticeMs, l.BackgroundMs = roundUp(configured.ApprovalRunningNoticeMs), roundUp(configured.BackgroundMs)
	l.CleanupMs, l.TimeoutSec = roundUp(configured.CleanupMs), roundUp(configured.TimeoutSec)
	return &l, nil
}

// roundUp rounds up, because 0 has a meaning of its own and no other number must become 0.
func roundUp(n *float64) *int64 {
	if n == nil {
		return nil
	}
	up := int64(math.Ceil(min(max(0, *n), 1<<53)))
	return &up
}

// readWrites reads where a command may write. It returns nil if nothing limits that.
func readWrites(term *ast.Term) *gavel.Writes {
	if term == nil {
		return nil
	}
	return &gavel.Writes{Under: getStrings(term, "under"), Inexact: getStrings(term, "inexact")}
}

// readSandbox reads the sandbox that a command must run in. It returns nil if there is none, or
// if nothing about it is configured.
func readSandbox(term *ast.Term) *gavel.Sandbox {
	sandbox := gavel.Sandbox{Backend: getString(term, "backend"), Scope: getString(term, "scope"),
		WorkspaceAccess: getString(term, "workspaceAccess"), Root: getString(term, "root")}
	if sandbox == (gavel.Sandbox{}) {
		return nil
	}
	return &sandbox
}

// wrapperCommands returns the words of wrappers, each with the program's real path. It leaves out
// wrappers that do not run: shell builtins, and package runners, whose tool runs without them.
func wrapperCommands(wrappers []gavel.Wrapper) [][]string {
	var list [][]string
	for i, wrapper := range wrappers {
		switch {
		case wrapper.Kind == "builtin" || wrapper.Kind == "runner":
		case i > 0 && wrappers[i-1].Kind == "multiplexer": // it runs this one by its name: busybox sh -c
			last := len(list) - 1
			list[last] = append(list[last], wrapper.Argv...)
		default:
			list = append(list, withRealPath(wrapper.Argv, wrapper.Executable))
		}
	}
	return list
}

// withRealPath returns words with the program's real path. A shell builtin has none.
func withRealPath(argv []string, program gavel.Executable) []string {
	words := slices.Clone(argv)
	if program.Real != "" {
		words[0] = program.Real
	}
	return words
}

// callEnvironment returns the variables that the call sets. The policy has refused values other
// than strings.
func callEnvironment(facts *gavel.Facts) map[string]string {
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

// containsInt reports whether a set contains a number. Nil contains none.
func containsInt(set *ast.Term, n int) bool {
	if set == nil {
		return false
	}
	members, ok := set.Value.(ast.Set)
	return ok && members.Contains(ast.InternedTerm(n))
}
