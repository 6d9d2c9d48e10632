package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"gavel"

	"gavel/bundles"
	"gavel/grant"
	"gavel/rego"
)

// approvalsText is the page about approvals, with placeholders for generated parts.
//
//go:embed approvals.md
var approvalsText string

// approvalsPage inserts the table of verdicts and the examples of bindings. The verdicts come
// from the shipped policy itself.
func approvalsPage(ctx context.Context) (string, error) {
	table, err := verdicts(ctx)
	if err != nil {
		return "", err
	}
	return strings.NewReplacer("{{verdicts}}", table, "{{bindings}}", bindings()).Replace(approvalsText), nil
}

const (
	listed, unlisted = "/usr/bin/rg", "/usr/bin/vi"
	someBinding      = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// verdicts asks the policy about every combination.
func verdicts(ctx context.Context) (string, error) {
	var config strings.Builder
	config.WriteString("tools: {profile: full, exec: {host: gateway, allowlist: [" + listed + "]}}\nagents:\n")
	for _, security := range []string{"deny", "allowlist", "full"} {
		for _, ask := range []string{"off", "on-miss", "always"} {
			for _, fallback := range []string{"deny", "allowlist"} {
				fmt.Fprintf(&config, "  %s: {exec: {security: %s, ask: %q, askFallback: %s}}\n", agentOf(security, ask, fallback), security, ask, fallback)
			}
		}
	}
	snapshot, err := bundles.Load(ctx, bundles.Config{Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: []byte(config.String()), Now: time.Now})
	if err != nil {
		return "", fmt.Errorf("load the policy of the table: %w", err)
	}
	var b strings.Builder
	b.WriteString("| security | ask | on the list | approved permanently before | decision | may be answered | after allow | after deny | no answer, fallback deny | no answer, fallback allowlist |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, security := range []string{"deny", "allowlist", "full"} {
		for _, ask := range []string{"off", "on-miss", "always"} {
			for _, program := range []string{listed, unlisted} {
				for _, seen := range []string{"", "allow-always"} {
					if err := row(ctx, &b, snapshot, security, ask, program, seen); err != nil {
						return "", err
					}
				}
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func agentOf(security, ask, fallback string) string {
	return strings.Join([]string{security, ask, fallback}, "-")
}

// row returns an error for a value that is not a verdict of the policy. The absence of a
// verdict is valid.
func row(ctx context.Context, b *strings.Builder, s *bundles.Snapshot, security, ask, program, seen string) (err error) {
	decide := func(fallback string, known gavel.ApprovalFacts) gavel.Decision {
		known.Looked, known.Bound, known.Seen = true, someBinding, seen
		d := s.Decide(ctx, factsOf(agentOf(security, ask, fallback), program, known), false)
		for _, reason := range d.Reasons {
			if reason.Layer == "gavel" || reason.Layer == "decision" {
				err = fmt.Errorf("the table of verdicts: %s, ask %s: %s: %s", security, ask, reason.Code, reason.Message)
			}
		}
		return d
	}
	answered := func(answer string) string {
		return decide("deny", gavel.ApprovalFacts{Found: true, ID: "a", State: "resolved", Decision: answer, Binding: someBinding}).Effect.String()
	}
	lapsed := func(fallback string) string {
		return decide(fallback, gavel.ApprovalFacts{Found: true, ID: "a", State: "expired", Expired: "timeout", Binding: someBinding}).Effect.String()
	}
	now := decide("deny", gavel.ApprovalFacts{})
	cells := []string{security, ask, yes(program == listed), yes(seen != ""), "**" + now.Effect.String() + "**", "", "", "", "", ""}
	if now.Effect == gavel.Ask {
		var answers []string
		for _, answer := range now.Terms.Answers {
			answers = append(answers, string(answer))
		}
		cells = append(cells[:5], strings.Join(answers, ", "), answered("allow-once"), answered("deny"), lapsed("deny"), lapsed("allowlist"))
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	return err
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func factsOf(agent, program string, known gavel.ApprovalFacts) gavel.Facts {
	name := program[strings.LastIndexByte(program, '/')+1:]
	none := []string{} // an empty list means that the search found nothing; nil means that nobody searched
	return gavel.Facts{Agent: gavel.AgentFacts{ID: agent}, Tool: gavel.ToolFacts{Name: "exec", Given: "exec"}, Approval: known,
		Environment:   gavel.EnvironmentFacts{Cwd: "/srv/app", Workspace: "/srv/app", Platform: "linux"},
		ApprovalsFile: gavel.ApprovalsFileFacts{Settings: []gavel.ApprovalsFileSetting{}},
		Verification:  gavel.VerificationFacts{Answers: []gavel.VerifierAnswer{}},
		Exec: &gavel.ExecFacts{Command: name, Shell: "bash", Workdir: "/srv/app", Directory: "/srv/app", Parsed: true, Rendered: "'" + program + "'",
			Constructs: []gavel.Construct{}, Redirects: []gavel.Redirect{}, Env: none, Variables: none, Assigned: []gavel.Assignment{}, Unknown: none,
			Segments: []gavel.Segment{{Argv: []string{name}, Hazards: []gavel.Hazard{},
				Wrappers: []gavel.Wrapper{}, Dynamic: []int{}, Scripts: []gavel.Script{}, Unbound: []gavel.Unbound{}, Cwd: "/srv/app", Known: true,
				Executable: gavel.Executable{Name: name, Path: program, Real: program, RealName: name, Programs: []string{name}, Found: true, Writable: none}}}}}
}

// bindings returns the test vectors of the encoding.
func bindings() string {
	var b strings.Builder
	for _, v := range grant.Vectors() {
		hash := v.Bound.Hash()
		fmt.Fprintf(&b, "%s\n\n```json\n%s\n```\n\n| field | part |\n|---|---|\n", v.About, v.JSON())
		for _, field := range grant.Fields() {
			fmt.Fprintf(&b, "| %s | `%s` |\n", field, hash.Parts[field])
		}
		fmt.Fprintf(&b, "| **binding** | `%s` |\n\n", hash.Hash)
	}
	return strings.TrimSuffix(b.String(), "\n\n")
}
