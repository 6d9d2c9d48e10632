package bundles

import (
	"context"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// nowhere is what is said when the policy cannot say: an empty entry ends every search,
// and a workspace that is not absolute is unknown.
func nowhere() gavel.Search { return gavel.Search{First: []string{""}, Workspace: "?"} }

// SearchFirst implements gavel.Snapshot. Nothing is evaluated for agents whose
// configuration puts no directory before PATH, and nothing looked up where none says
// anything of directories.
func (s *Snapshot) SearchFirst(ctx context.Context, facts *gavel.Facts) gavel.Search {
	if !s.prepends {
		return gavel.Search{}
	}
	frozen, err := s.frozen(ctx, facts)
	if err != nil {
		return nowhere()
	}
	workspace := getText(get(get(frozen.frozen, "exec"), "workspace"), "value")
	if home := facts.Environment.Home; home != "" && strings.HasPrefix(workspace, "~/") {
		workspace = home + workspace[1:]
	}
	if !frozen.prepends {
		return gavel.Search{Workspace: workspace}
	}
	term, err := s.eval(ctx, queryFirst, factsInput(facts, frozen, nil))
	if err != nil || term == nil {
		return nowhere()
	}
	list := []string{}
	if err := each(term, func(element *ast.Term) {
		dir, _ := element.Value.(ast.String) // what is not text ends a search, as "" does
		list = append(list, string(dir))
	}); err != nil {
		return nowhere()
	}
	return gavel.Search{First: list, Workspace: workspace}
}

// mentions reports whether a configuration has a key somewhere.
func mentions(node any, key string) bool {
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			if name == key || mentions(child, key) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(node, func(child any) bool { return mentions(child, key) })
	}
	return false
}
