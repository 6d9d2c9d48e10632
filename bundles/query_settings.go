package bundles

import (
	"context"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/pathglob"
)

// AnalyzerSettings implements gavel.Snapshot.
func (s *Snapshot) AnalyzerSettings() *gavel.AnalyzerSettings { return s.analyzerSettings }

// readAnalyzerSettings evaluates what the analyzer needs to know of the policy before it looks anything
// up. A policy of shipped rules without any of the settings below is not evaluated, to save time.
// If a policy that replaces the gavel root defines nothing, no program is found.
func (s *Snapshot) readAnalyzerSettings(ctx context.Context) error {
	withoutWords := !s.ownRego && !hasKey(s.document.Data, "rules") && !hasKey(s.document.Data, "packs")
	s.analyzerSettings = &gavel.AnalyzerSettings{WithoutWords: withoutWords, Agents: map[string]gavel.AgentSettings{},
		Others: gavel.AgentSettings{Hosts: map[string]bool{}}}
	if !s.replacesRoot && !slices.ContainsFunc([]string{"pathPrepend", "workspace", "deny", "write", "workspaceOnly"}, func(key string) bool { return hasKey(s.document.Data, key) }) {
		return nil
	}
	s.analyzerSettings.Others = gavel.AgentSettings{}
	table, err := s.eval(ctx, querySearches, ast.NewObject())
	if err != nil || table == nil {
		return err
	}
	s.analyzerSettings.Others = readAgentSettings(get(table, "others"))
	agents, _ := get(table, "agents").Value.(ast.Object)
	if agents == nil {
		return nil
	}
	agents.Foreach(func(id, row *ast.Term) {
		if name, ok := id.Value.(ast.String); ok {
			s.analyzerSettings.Agents[string(name)] = readAgentSettings(row)
		}
	})
	return nil
}

// readAgentSettings reads a row of the table. With a malformed row no program is found.
func readAgentSettings(row *ast.Term) gavel.AgentSettings {
	settings := gavel.AgentSettings{Workspace: getString(row, "workspace")}
	if err := each(get(row, "first"), func(element *ast.Term) {
		dir, _ := element.Value.(ast.String) // "" ends a search, so anything but a string does
		settings.First = append(settings.First, string(dir))
	}); err != nil {
		return gavel.AgentSettings{}
	}
	var failed error
	settings.Denied = readFilePatterns(get(row, "denied"), &failed)
	settings.Unwritable = readFilePatterns(get(row, "unwritable"), &failed)
	if err := each(get(row, "writable"), func(list *ast.Term) {
		if files := readFilePatterns(list, &failed); files != nil {
			settings.Writable = append(settings.Writable, files)
		}
	}); err != nil || failed != nil {
		return gavel.AgentSettings{}
	}
	hosts := get(row, "hosts")
	settings.Hosts = map[string]bool{}
	if err := eachKey(hosts, func(host string) error {
		settings.Hosts[host] = getBool(hosts, host)
		return nil
	}); err != nil {
		return gavel.AgentSettings{}
	}
	return settings
}

// readFilePatterns reads a list of file patterns. It returns nil for an empty list. Anything but a
// list sets *failed.
func readFilePatterns(list *ast.Term, failed *error) gavel.Files {
	var patterns []string
	if err := each(list, func(element *ast.Term) {
		pattern, _ := element.Value.(ast.String)
		patterns = append(patterns, string(pattern))
	}); err != nil {
		*failed = err
		return nil
	}
	if len(patterns) == 0 {
		return nil
	}
	return pathglob.NewFiles(patterns)
}

// hasKey reports whether a configuration has a key, at any depth.
func hasKey(node any, key string) bool {
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			if name == key || hasKey(child, key) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(node, func(child any) bool { return hasKey(child, key) })
	}
	return false
}
