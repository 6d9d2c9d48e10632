package hostconfig

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// probe runs a configured hook as the host would: with a payload that it must decide, and with
// one that it must refuse. [Run] marks both as probes, so they are decided and logged, and
// denied whatever the policy says of them.
func (d Doctor) probe(ctx context.Context, r *Report, host Host, one hook) {
	if host.Probe == "" {
		return
	}
	run, name := d.runner(r, host, one)
	if run == nil {
		return
	}
	said, err := answer(run(ctx, host.Probe))
	switch {
	case err != nil:
		r.problem(fmt.Sprintf("the hook in %s does not answer in the form that %s expects: %v", one.file, host.Title, err), "run it by hand: "+name)
		return
	case strings.Contains(said, undecided):
		fix := "start gavel serve"
		if !host.Plugin { // a plugin only asks a server
			fix += ", or write a policy where hooks look for one: gavel init ~/.config/gavel/policy --for " + host.Name
		}
		r.problem(fmt.Sprintf("the hook in %s denies every call: %s", one.file, said), fix)
	case !strings.HasPrefix(said, "deny"):
		r.problem(fmt.Sprintf("the hook in %s permits a probe, which this version of Gavel always denies: %s", one.file, said),
			"it runs another version of Gavel, or something else: run gavel install "+host.Name)
	default:
		r.Proofs = append(r.Proofs, fmt.Sprintf("%s answers a probe: %s", name, proven(said)))
	}
	said, err = answer(run(ctx, `{"no":"payload"}`))
	if err != nil || !strings.HasPrefix(said, "deny") {
		r.problem(fmt.Sprintf("the hook in %s does not refuse an unreadable payload: %s%v", one.file, said, err), "run it by hand: "+name)
	}
}

//go:embed probe.mjs
var pluginProbe string

// runner returns what runs a hook with a payload, and how it is called; nil if it cannot be run.
func (d Doctor) runner(r *Report, host Host, one hook) (run func(ctx context.Context, payload string) Ran, name string) {
	if host.Plugin {
		if r.Program == "" {
			r.problem(fmt.Sprintf("the plugin %s cannot be tried: %s is not on PATH", one.file, host.Program), "put "+host.Program+" on PATH, and run gavel doctor again")
			return nil, ""
		}
		// opencode is made with Bun, and becomes Bun when it is told to: the plugin is tried in
		// the runtime that it will have.
		code := "const file = " + strconv.Quote(one.file) + ";\n" + pluginProbe
		return func(ctx context.Context, payload string) Ran {
			return d.Run(ctx, payload, "env", "BUN_BE_BUN=1", r.Program, "-e", code)
		}, one.file
	}
	name = strings.Join(one.command, " ")
	if _, err := d.Look(one.command[0]); err != nil {
		r.problem(fmt.Sprintf("the hook in %s runs %s, which cannot be run: %v", one.file, one.command[0], err), "run gavel install "+host.Name)
		return nil, ""
	}
	return func(ctx context.Context, payload string) Ran {
		return d.Run(ctx, payload, one.command[0], one.command[1:]...)
	}, name
}

// proven is what a person reads about the answer to a probe, which is always denied.
func proven(said string) string {
	if strings.Contains(said, probeCode) {
		return "deny, as it must (" + probeCode + ")"
	}
	return said
}

// probeCode is the reason for which every probe is denied.
const probeCode = "guard.probe"

// undecided is in the reason of every deny that is for want of a decision.
const undecided = "gavel: not decided"

// answer is what a hook said: the effect, and the reason.
func answer(ran Ran) (string, error) {
	if ran.Err != nil {
		return "", ran.Err
	}
	text := strings.TrimSpace(ran.Stdout)
	if text == "" {
		if ran.Exit == 2 && strings.TrimSpace(ran.Stderr) != "" {
			return "deny: " + strings.TrimSpace(ran.Stderr), nil
		}
		return "", fmt.Errorf("it prints nothing and exits with %d", ran.Exit)
	}
	var printed map[string]any
	if strings.Contains(text, "\n") || json.Unmarshal([]byte(text), &printed) != nil {
		return "", errors.New("it does not print one JSON object on one line")
	}
	effect, reason := effectIn(printed), reasonIn(printed)
	if effect == "" {
		return "", errors.New("it prints no decision")
	}
	if reason == "" {
		return effect, nil
	}
	return effect + ": " + reason, nil
}

// effectIn finds the decision in what any host's hook prints.
func effectIn(printed map[string]any) string {
	if inner, ok := printed["hookSpecificOutput"].(map[string]any); ok {
		if effect := effectIn(inner); effect != "" {
			return effect
		}
	}
	for _, name := range []string{"permissionDecision", "permission", "decision", "behavior"} {
		switch effect, _ := printed[name].(string); effect {
		case "allow", "approve":
			return "allow"
		case "deny", "block":
			return "deny"
		case "ask":
			return "ask"
		}
	}
	switch printed["cancel"] {
	case true:
		return "deny"
	case false:
		return "allow"
	}
	return ""
}

func reasonIn(printed map[string]any) string {
	if inner, ok := printed["hookSpecificOutput"].(map[string]any); ok {
		if reason := reasonIn(inner); reason != "" {
			return reason
		}
	}
	for _, name := range []string{"permissionDecisionReason", "reason", "user_message", "errorMessage", "message"} {
		if text, _ := printed[name].(string); text != "" {
			return text
		}
	}
	return ""
}
