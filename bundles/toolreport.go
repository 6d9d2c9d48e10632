package bundles

import (
	"context"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// tools converts the frozen part into a report, one verdict per tool, sorted by name.
func (s *Snapshot) tools(ctx context.Context, facts *gavel.Facts) (gavel.ToolReport, error) {
	report := gavel.ToolReport{Revision: s.revision}
	frozen, err := s.frozen(ctx, facts)
	if err != nil {
		return report, err
	}
	refused, err := s.eval(ctx, queryRefused, newQuestion(frozen).input(facts))
	if err != nil {
		return report, err
	}
	if report.Reasons, err = s.reasons(refused); err != nil || len(report.Reasons) > 0 {
		return report, err // a caller that does not speak for the agent learns nothing about it
	}
	agent, err := s.eval(ctx, queryAgent, newQuestion(frozen).input(facts))
	if err != nil {
		return report, err
	}
	if report.Reasons, err = s.reasons(agent); err != nil {
		return report, err
	}
	tools := get(frozen.frozen, "tools")
	visible, removed := get(tools, "visible"), get(tools, "removed")
	if err := eachKey(visible, func(name string) error {
		report.Tools = append(report.Tools, gavel.ToolVerdict{Name: name, Visible: len(report.Reasons) == 0})
		return nil
	}); err != nil {
		return report, err
	}
	if err := eachKey(removed, func(name string) error {
		verdict, err := s.removal(ctx, facts, frozen, name, get(removed, name))
		report.Tools = append(report.Tools, verdict)
		return err
	}); err != nil {
		return report, err
	}
	slices.SortFunc(report.Tools, func(a, b gavel.ToolVerdict) int { return strings.Compare(a.Name, b.Name) })
	report.Allowlists, err = s.resolutions(get(tools, "resolutions"))
	return report, err
}

// removal asks the tools layer why a tool is not visible, so that the texts are those of the
// rule.
func (s *Snapshot) removal(ctx context.Context, facts *gavel.Facts, frozen *remembered, name string, why *ast.Term) (gavel.ToolVerdict, error) {
	asked := *facts
	asked.Tool = gavel.ToolFacts{Name: name, Given: name}
	verdict := gavel.ToolVerdict{Name: name, Step: getText(why, "step")}
	term, err := s.eval(ctx, queryTool, newQuestion(frozen).input(&asked))
	if err != nil {
		return verdict, err
	}
	reasons, err := s.reasons(term)
	if len(reasons) > 0 {
		verdict.Reason = &reasons[0]
	}
	return verdict, err
}

func (s *Snapshot) resolutions(term *ast.Term) ([]gavel.AllowlistResolution, error) {
	var list []gavel.AllowlistResolution
	err := each(term, func(element *ast.Term) {
		list = append(list, gavel.AllowlistResolution{
			Step: getText(element, "step"), Source: s.locate(getText(element, "path"), ""),
			Policy:            getTexts(element, "policy"),
			UnknownAllowlist:  getTexts(element, "unknownAllowlist"),
			StrippedAllowlist: getFlag(element, "strippedAllowlist"),
		})
	})
	return list, err
}
