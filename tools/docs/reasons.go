package main

import (
	"fmt"
	"strings"

	"gavel"
	"gavel/bundles"
)

// reasonsPage documents every reason that a rule can give.
func reasonsPage(rules []bundles.Rule) string {
	var b strings.Builder
	b.WriteString("# Reasons\n\n" +
		"Every decision gives its reasons. The code of a reason never changes; its message may. `make generate` writes this page from the\n" +
		"METADATA of the rules. `%s` and the like stand for values of the call. Ids such as R21 refer to [rules.md](rules.md).\n\n" +
		"## gavel\n\nGavel itself gives these reasons when the policy did not decide. All of them deny.\n\n| code | when |\n|---|---|\n")
	for _, c := range gavelCodes() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.code, c.when)
	}
	layer := ""
	for _, rule := range rules {
		if name, _, _ := strings.Cut(rule.Code, "."); name != layer {
			layer = name
			fmt.Fprintf(&b, "\n## %s\n\n| code | when | message | what to do |\n|---|---|---|---|\n", layer)
		}
		fmt.Fprintf(&b, "| [`%s`](../rego/%s) | %s | %s | %s |\n",
			rule.Code, rule.File, cell(rule.Description), cell(rule.Message), cell(rule.Fix))
	}
	return withContents(b.String())
}

// cell escapes text for a table cell.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// gavelCodes returns the codes of errors.go, which do not come from rules.
func gavelCodes() []struct{ code, when string } {
	return []struct{ code, when string }{
		{gavel.CodePolicyError, "the policy failed to evaluate"},
		{gavel.CodeEvaluationTimeout, "the time limit of a decision passed (`gavel serve --timeout`)"},
		{gavel.CodeEvaluatorsDiffer, "`gavel serve --evaluator both`: the two evaluators of the policy have different results"},
		{gavel.CodeInternal, "a bug in Gavel; the server's log has the details"},
		{gavel.CodeNoPolicy, "no policy has been loaded yet"},
		{gavel.CodeLogUnavailable, "the decision could not be recorded in the decision log"},
		{gavel.CodeOverloaded, "too many evaluations run already"},
		{gavel.CodeUnverified, "a verifier must agree to the call, but exec.approval.request cannot wait for it"},
		{gavel.CodeNoApprovals, "the call needs a person's answer, and there is none for it: the approvals store failed, the question was withdrawn, or the answer was used or covers something else"},
	}
}
