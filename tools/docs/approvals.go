package main

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
	"gavel/bundles"
	"gavel/grant"
	"gavel/rego"
)

// approvalsText and bindingText are the pages about approvals and bindings, with placeholders for
// generated parts.
//
//go:embed approvals.md
var approvalsText string

//go:embed binding.md
var bindingText string

// approvalsPage inserts the table of verdicts, which come from the shipped policy itself.
func approvalsPage(ctx context.Context) (string, error) {
	table, err := verdicts(ctx)
	if err != nil {
		return "", err
	}
	return withContents(strings.Replace(approvalsText, "{{verdicts}}", table, 1)), nil
}

// bindingPage inserts the examples.
func bindingPage() string { return strings.Replace(bindingText, "{{bindings}}", bindings(), 1) }

const (
	listed, unlisted = "/usr/bin/rg", "/usr/bin/tree"
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
	tables, err := analyzer.ReadTables(rego.Policy)
	if err != nil {
		return "", err
	}
	observer, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: tables})
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, security := range []string{"deny", "allowlist", "full"} {
		for _, ask := range []string{"off", "on-miss", "always"} {
			for _, program := range []string{listed, unlisted} {
				for _, seen := range []string{"", "allow-always"} {
					cells, err := row(ctx, observer, snapshot, security, ask, program, seen)
					if err != nil {
						return "", err
					}
					rows = append(rows, cells)
				}
			}
		}
	}
	for _, column := range []int{3, 2, 1} {
		rows = merged(rows, column)
	}
	var b strings.Builder
	b.WriteString("| security | ask | on the list | approved permanently before | decision | may be answered | no answer, fallback deny | no answer, fallback allowlist |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, cells := range rows {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// merged replaces rows that have the same cells, whatever is in one column, by one with "any" there.
// The rows have every value of the column, so as many as there are values must agree.
func merged(rows [][]string, column int) [][]string {
	values := map[string]bool{}
	groups := map[string]int{}
	rest := func(row []string) string { return strings.Join(slices.Concat(row[:column], row[column+1:]), "|") }
	for _, row := range rows {
		values[row[column]] = true
		groups[rest(row)]++
	}
	delete(values, "any") // of a row that was merged before
	var left [][]string
	for _, row := range rows {
		switch groups[rest(row)] {
		case 0: // it is in a row above
		case len(values):
			groups[rest(row)] = 0
			left = append(left, slices.Concat(row[:column], []string{"any"}, row[column+1:]))
		default:
			left = append(left, row)
		}
	}
	return left
}

func agentOf(security, ask, fallback string) string {
	return strings.Join([]string{security, ask, fallback}, "-")
}

// row returns an error for a value that is not a verdict of the policy, and for an answer that is not
// obeyed. The absence of a verdict is valid.
func row(ctx context.Context, a *analyzer.Analyzer, s *bundles.Snapshot, security, ask, program, seen string) (cells []string, err error) {
	decide := func(fallback string, known gavel.ApprovalFacts) gavel.Decision {
		known.Looked, known.Bound, known.Seen = true, someBinding, seen
		facts := factsOf(ctx, a, s, agentOf(security, ask, fallback), program)
		facts.Approval = known
		d := s.Decide(ctx, facts, false)
		for _, reason := range d.Reasons {
			if reason.Layer == "gavel" || reason.Layer == "decision" {
				err = fmt.Errorf("the table of verdicts: %s, ask %s: %s: %s", security, ask, reason.Code, reason.Message)
			}
		}
		return d
	}
	answered := func(answer string, want gavel.Effect) {
		d := decide("deny", gavel.ApprovalFacts{Found: true, ID: "a", State: "resolved", Decision: answer, Binding: someBinding})
		if err == nil && d.Effect != want {
			err = fmt.Errorf("the table of verdicts: %s, ask %s: after %s the decision is %s", security, ask, answer, d.Effect)
		}
	}
	lapsed := func(fallback string) string {
		return decide(fallback, gavel.ApprovalFacts{Found: true, ID: "a", State: "expired", Expired: "timeout", Binding: someBinding}).Effect.String()
	}
	now := decide("deny", gavel.ApprovalFacts{})
	cells = []string{security, ask, yes(program == listed), yes(seen != ""), "**" + now.Effect.String() + "**", "", "", ""}
	if now.Effect == gavel.Ask {
		var answers []string
		for _, answer := range now.Terms.Answers {
			answers = append(answers, string(answer))
		}
		answered("allow-once", gavel.Allow)
		answered("deny", gavel.Deny)
		cells = append(cells[:5], strings.Join(answers, ", "), lapsed("deny"), lapsed("allowlist"))
	}
	return cells, err
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// factsOf observes a command of an agent as a gateway's call would state it.
func factsOf(ctx context.Context, a *analyzer.Analyzer, s *bundles.Snapshot, agent, program string) gavel.Facts {
	name, notSandboxed := path.Base(program), false
	return a.Analyze(ctx, gavel.Call{
		Agent: gavel.Agent{ID: agent, Sandboxed: &notSandboxed},
		Tool:  gavel.Tool{Name: "exec", Params: map[string]any{"command": name}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/agent", Path: []string{"/usr/bin"}, Platform: "linux",
			Executables: map[string]string{path.Base(listed): listed, path.Base(unlisted): unlisted}},
	}, s.Searches())
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
