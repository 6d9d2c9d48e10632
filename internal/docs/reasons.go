package main

import (
	"fmt"
	"strings"

	"gavel/bundles"
)

// reasonsPage documents every reason that a rule can give.
func reasonsPage(rules []bundles.Rule) string {
	var b strings.Builder
	b.WriteString("# Reasons\n\n" +
		"Every decision says why, in a code that does not change and in words that may. This page is made from the METADATA of\n" +
		"the rules (`make generate`); `%s` and its like stand for what the call brought. Codes of layer `gavel` come from Gavel\n" +
		"itself, when no rule could decide: `gavel.policy_error`, `gavel.evaluation_timeout`, `gavel.internal`, `gavel.no_policy`,\n" +
		"`gavel.log_unavailable`, `gavel.overloaded`. They all deny.\n")
	layer := ""
	for _, rule := range rules {
		if name, _, _ := strings.Cut(rule.Code, "."); name != layer {
			layer = name
			fmt.Fprintf(&b, "\n## %s\n\n| code | when | message | what to do |\n|---|---|---|---|\n", layer)
		}
		fmt.Fprintf(&b, "| [`%s`](../rego/%s) | %s | %s | %s |\n",
			rule.Code, rule.File, cell(rule.Description), cell(rule.Message), cell(rule.Fix))
	}
	return b.String()
}

// cell makes text fit a table cell.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
