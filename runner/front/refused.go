package front

import (
	"errors"
	"strings"

	"gavel"
	"gavel/runner"
)

// refusalText is what a person reads about a command that does not run: each reason on a line, and
// below it what helps.
func refusalText(err error) string {
	var refusal *runner.Refusal
	if !errors.As(err, &refusal) || refusal.Code != "" || refusal.Decision == nil || len(refusal.Decision.Reasons) == 0 {
		return strings.TrimPrefix(err.Error(), "gavel: ")
	}
	decision := refusal.Decision
	var lines []string
	for i, reason := range decision.Reasons {
		head := ""
		if i == 0 {
			head = decision.Effect.String() + ": "
		}
		lines = append(lines, head+inLine(reason.Message)+" ("+reason.Code+")")
		if reason.Fix != "" {
			lines = append(lines, "  "+inLine(reason.Fix))
		}
	}
	if refusal.Comment != "" {
		lines = append(lines, "a person said: "+inLine(refusal.Comment))
	}
	if decision.Effect == gavel.Ask && decision.Approval == nil {
		lines = append(lines, "nobody can be asked, because this process decided: start gavel serve, and run the command again")
	}
	return strings.Join(lines, "\n")
}

// inLine keeps a text, which may be an agent's, from looking like another line.
func inLine(text string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(text) }
