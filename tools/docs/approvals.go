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

// approvalsPage generates the page about approvals. The shipped policy itself gives the verdicts.
func approvalsPage(ctx context.Context) (string, error) {
	table, err := verdictTable(ctx)
	if err != nil {
		return "", err
	}
	return withContents(strings.Replace(approvalsText, "{{verdicts}}", table, 1)), nil
}

// bindingPage generates the page about bindings.
func bindingPage() string { return strings.Replace(bindingText, "{{bindings}}", bindingExamples(), 1) }

const (
	listed, unlisted = "/usr/bin/rg", "/usr/bin/tree"
	someBinding      = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// verdictTable evaluates the policy for every combination of settings.
func verdictTable(ctx context.Context) (string, error) {
	var config strings.Builder
	config.WriteString("tools: {profile: full, exec: {host: gateway, allowlist: [" + listed + "]}}\nagents:\n")
	for _, security := range []string{"deny", "allowlist", "full"} {
		for _, ask := range []string{"off", "on-miss", "always"} {
			for _, fallback := range []string{"deny", "allowlist"} {
				fmt.Fprintf(&config, "  %s: {exec: {security: %s, ask: %q, askFallback: %s}}\n", agentID(security, ask, fallback), security, ask, fallback)
			}
		}
	}
	snapshot, err := bundles.Load(ctx, bundles.Config{Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: []byte(config.String()), Now: time.Now})
	if err != nil {
		return "", fmt.Errorf("load the policy for the table of verdicts: %w", err)
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
					cells, err := verdictRow(ctx, observer, snapshot, security, ask, program, seen)
					if err != nil {
						return "", err
					}
					rows = append(rows, cells)
				}
			}
		}
	}
	for _, column := range []int{3, 2, 1} {
		rows = mergeRows(rows, column)
	}
	var b strings.Builder
	b.WriteString("| security | ask | on the allowlist | approved permanently before | decision | possible answers | no answer, fallback deny | no answer, fallback allowlist |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, cells := range rows {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// mergeRows replaces rows that differ only in one column by a row with "any" in that column, if they
// have all values of the column. Before the first merge, the rows must be all combinations of values.
func mergeRows(rows [][]string, column int) [][]string {
	values := map[string]bool{}
	groups := map[string]int{}
	rest := func(row []string) string { return strings.Join(slices.Concat(row[:column], row[column+1:]), "|") }
	for _, row := range rows {
		values[row[column]] = true
		groups[rest(row)]++
	}
	delete(values, "any") // of rows that were merged before
	var merged [][]string
	for _, row := range rows {
		switch groups[rest(row)] {
		case 0: // part of a merged row above
		case len(values):
			groups[rest(row)] = 0
			merged = append(merged, slices.Concat(row[:column], []string{"any"}, row[column+1:]))
		default:
			merged = append(merged, row)
		}
	}
	return merged
}

func agentID(security, ask, fallback string) string {
	return strings.Join([]string{security, ask, fallback}, "-")
}

// verdictRow returns the cells of a row. It returns an error if Gavel denied a call without a verdict
// of the policy, or if the decision after an answer is not that answer.
func verdictRow(ctx context.Context, a *analyzer.Analyzer, s *bundles.Snapshot, security, ask, program, seen string) (cells []string, err error) {
	decide := func(fallback string, approval gavel.ApprovalFacts) gavel.Decision {
		approval.Looked, approval.Bound, approval.Seen = true, someBinding, seen
		facts := analyzeCommand(ctx, a, s, agentID(security, ask, fallback), program)
		facts.Approval = approval
		d := s.Decide(ctx, facts, false)
		for _, reason := range d.Reasons {
			if reason.Layer == "gavel" || reason.Layer == "decision" {
				err = fmt.Errorf("table of verdicts: security %s, ask %s: %s: %s", security, ask, reason.Code, reason.Message)
			}
		}
		return d
	}
	checkAnswer := func(answer string, want gavel.Effect) {
		d := decide("deny", gavel.ApprovalFacts{Found: true, ID: "a", State: "resolved", Decision: answer, Binding: someBinding})
		if err == nil && d.Effect != want {
			err = fmt.Errorf("table of verdicts: security %s, ask %s: after %s the decision is %s", security, ask, answer, d.Effect)
		}
	}
	afterExpiry := func(fallback string) string {
		return decide(fallback, gavel.ApprovalFacts{Found: true, ID: "a", State: "expired", Expired: "timeout", Binding: someBinding}).Effect.String()
	}
	first := decide("deny", gavel.ApprovalFacts{})
	cells = []string{security, ask, yesNo(program == listed), yesNo(seen != ""), "**" + first.Effect.String() + "**", "", "", ""}
	if first.Effect == gavel.Ask {
		var answers []string
		for _, answer := range first.Terms.Answers {
			answers = append(answers, string(answer))
		}
		checkAnswer("allow-once", gavel.Allow)
		checkAnswer("deny", gavel.Deny)
		cells = append(cells[:5], strings.Join(answers, ", "), afterExpiry("deny"), afterExpiry("allowlist"))
	}
	return cells, err
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// analyzeCommand returns the facts of a command as a gateway would send it.
func analyzeCommand(ctx context.Context, a *analyzer.Analyzer, s *bundles.Snapshot, agent, program string) gavel.Facts {
	name, notSandboxed := path.Base(program), false
	return a.Analyze(ctx, gavel.Call{
		Agent: gavel.Agent{ID: agent, Sandboxed: &notSandboxed},
		Tool:  gavel.Tool{Name: "exec", Params: map[string]any{"command": name}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/agent", Path: []string{"/usr/bin"}, Platform: "linux",
			Executables: map[string]string{path.Base(listed): listed, path.Base(unlisted): unlisted}},
	}, s.AnalyzerSettings())
}

// bindingExamples formats the test vectors of the binding.
func bindingExamples() string {
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
