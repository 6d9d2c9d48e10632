package lint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/programs"
	"gavel/bundles"
	"gavel/internal/nearest"
	"gavel/rego"
)

// unusableNames warns about rules that name a program without its path, if neither this machine nor the
// catalog has it, or if an allow rule does not apply to the directory in which the program is.
func unusableNames(ctx context.Context, snapshot *bundles.Snapshot, pdp *gavel.PDP) ([]gavel.Problem, error) {
	f := findings{document: snapshot.Document()}
	for _, rule := range rulesOf(f.document) {
		if !isName(rule.program) {
			continue
		}
		facts, err := pdp.Observe(ctx, gavel.Call{Agent: gavel.Agent{ID: rule.agent},
			Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": rule.program}}})
		if err != nil {
			return nil, fmt.Errorf("look for the program of %s: %w", rule.path, err)
		}
		if facts.Exec == nil || len(facts.Exec.Segments) != 1 {
			continue // the shell gives the word a meaning of its own
		}
		executable := facts.Exec.Segments[0].Executable
		if !executable.Found {
			if err := f.missing(rule); err != nil {
				return nil, err
			}
			continue
		}
		found, err := snapshot.MatchRules(ctx, facts)
		if err != nil {
			return nil, err
		}
		about := func(c bundles.RuleConditions) bool { return c.Path == rule.path && c.Program }
		if rule.effect == "allow" && !slices.ContainsFunc(found.Conditions, about) {
			f.add(rule.path, fmt.Sprintf("if you trust it, list its directory under tools.exec.trustedDirs, or write program: %s", executable.Path),
				"the rule does not permit the %s of this machine: by its name it permits a program that only root can change, "+
					"or one in a directory of tools.exec.trustedDirs; this one is %s", rule.program, executable.Path)
		}
	}
	return f.list, nil
}

// missing warns that a program is not on this machine, unless the catalog knows it: a policy
// may be written for many machines.
func (f *findings) missing(rule configuredRule) error {
	catalog, err := programs.Read(rego.Policy)
	if err != nil {
		return err
	}
	if entry, _ := catalog.Find(rule.program); entry != nil {
		return nil
	}
	var names []string
	for _, entry := range catalog.Entries() {
		names = append(names, entry.Name)
	}
	p := f.add(rule.path, "correct the name, or delete the rule if no machine has the program", "there is no program %q on this machine", rule.program)
	p.Nearest = nearest.Name(rule.program, names)
	return nil
}

// isName reports whether program is a plain name, without a directory and without characters that a
// shell or a pattern gives a meaning.
func isName(program string) bool {
	return program != "" && !strings.HasPrefix(program, "-") && strings.Trim(program, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-") == ""
}
