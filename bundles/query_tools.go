package bundles

import (
	"context"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Tools implements gavel.Snapshot.
func (s *Snapshot) Tools(ctx context.Context, facts gavel.Facts) gavel.ToolReport {
	report, err := s.toolReport(ctx, &facts)
	if err != nil {
		return gavel.ToolReport{Reasons: s.denyFailed(ctx, err).Reasons, Revision: s.revision}
	}
	return report
}

// toolReport makes a report from the frozen part: one verdict for each tool, sorted by name.
func (s *Snapshot) toolReport(ctx context.Context, facts *gavel.Facts) (gavel.ToolReport, error) {
	report := gavel.ToolReport{Revision: s.revision}
	frozen, err := s.frozenPartFor(ctx, facts)
	if err != nil {
		return report, err
	}
	refused, err := s.eval(ctx, queryCallerRefused, newInputBuilder(frozen).input(facts))
	if err != nil {
		return report, err
	}
	if report.Reasons, err = s.readReasons(refused); err != nil || len(report.Reasons) > 0 {
		return report, err // a caller that does not speak for the agent learns nothing about it
	}
	agent, err := s.eval(ctx, queryAgentDeny, newInputBuilder(frozen).input(facts))
	if err != nil {
		return report, err
	}
	if report.Reasons, err = s.readReasons(agent); err != nil {
		return report, err
	}
	tools := get(frozen.term, "tools")
	visible, removed := get(tools, "visible"), get(tools, "removed")
	if err := eachKey(visible, func(name string) error {
		report.Tools = append(report.Tools, gavel.ToolVerdict{Name: name, Visible: len(report.Reasons) == 0})
		return nil
	}); err != nil {
		return report, err
	}
	if err := eachKey(removed, func(name string) error {
		verdict, err := s.removedTool(ctx, facts, frozen, name, get(removed, name))
		report.Tools = append(report.Tools, verdict)
		return err
	}); err != nil {
		return report, err
	}
	slices.SortFunc(report.Tools, func(a, b gavel.ToolVerdict) int { return strings.Compare(a.Name, b.Name) })
	report.Allowlists, err = s.readResolutions(get(tools, "resolutions"))
	return report, err
}

// removedTool evaluates the tools layer as if the tool had been called, so that the report has the
// reason that a call would get.
func (s *Snapshot) removedTool(ctx context.Context, facts *gavel.Facts, frozen *frozenPart, name string, why *ast.Term) (gavel.ToolVerdict, error) {
	called := *facts
	called.Tool = gavel.ToolFacts{Name: name, Given: name}
	verdict := gavel.ToolVerdict{Name: name, Step: getString(why, "step")}
	term, err := s.eval(ctx, queryToolDeny, newInputBuilder(frozen).input(&called))
	if err != nil {
		return verdict, err
	}
	reasons, err := s.readReasons(term)
	if len(reasons) > 0 {
		verdict.Reason = &reasons[0]
	}
	return verdict, err
}

// readResolutions reads what became of each allow list of tools.
func (s *Snapshot) readResolutions(term *ast.Term) ([]gavel.AllowlistResolution, error) {
	var list []gavel.AllowlistResolution
	err := each(term, func(element *ast.Term) {
		list = append(list, gavel.AllowlistResolution{
			Step: getString(element, "step"), Source: s.locate(getString(element, "path"), ""),
			Policy:            getStrings(element, "policy"),
			UnknownAllowlist:  getStrings(element, "unknownAllowlist"),
			StrippedAllowlist: getBool(element, "strippedAllowlist"),
		})
	})
	return list, err
}
