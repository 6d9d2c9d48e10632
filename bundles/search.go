package bundles

import (
	"context"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/pathglob"
)

// Searches implements gavel.Snapshot.
func (s *Snapshot) Searches() *gavel.Searches { return s.searches }

// readSearches evaluates, once for a snapshot, what the analyzer has to know before it looks
// anything up. A policy that says nothing about directories is not asked. Where the policy of
// an own root says nothing, no program is found.
func (s *Snapshot) readSearches(ctx context.Context) error {
	unread := !s.ownRego && !mentions(s.document.Data, "rules") && !mentions(s.document.Data, "packs")
	s.searches = &gavel.Searches{WithoutWords: unread, Agents: map[string]gavel.AgentSearch{},
		Others: gavel.AgentSearch{Hosts: map[string]bool{}}}
	if !s.ownRoot && !slices.ContainsFunc([]string{"pathPrepend", "workspace", "deny", "write", "workspaceOnly"}, func(key string) bool { return mentions(s.document.Data, key) }) {
		return nil
	}
	s.searches.Others = gavel.AgentSearch{}
	table, err := s.eval(ctx, querySearches, ast.NewObject())
	if err != nil || table == nil {
		return err
	}
	s.searches.Others = searchOf(get(table, "others"))
	agents, _ := get(table, "agents").Value.(ast.Object)
	if agents == nil {
		return nil
	}
	agents.Foreach(func(id, row *ast.Term) {
		if name, ok := id.Value.(ast.String); ok {
			s.searches.Agents[string(name)] = searchOf(row)
		}
	})
	return nil
}

// searchOf reads a row of the table. One that is not as it should be finds no program.
func searchOf(row *ast.Term) gavel.AgentSearch {
	search := gavel.AgentSearch{Workspace: getText(row, "workspace")}
	if err := each(get(row, "first"), func(element *ast.Term) {
		dir, _ := element.Value.(ast.String) // what is not text ends a search, as "" does
		search.First = append(search.First, string(dir))
	}); err != nil {
		return gavel.AgentSearch{}
	}
	var wrong error
	search.Denied = filesOf(get(row, "denied"), &wrong)
	search.Unwritable = filesOf(get(row, "unwritable"), &wrong)
	if err := each(get(row, "writable"), func(list *ast.Term) {
		if files := filesOf(list, &wrong); files != nil {
			search.Writable = append(search.Writable, files)
		}
	}); err != nil || wrong != nil {
		return gavel.AgentSearch{}
	}
	hosts := get(row, "hosts")
	search.Hosts = map[string]bool{}
	if err := eachKey(hosts, func(host string) error {
		search.Hosts[host] = getFlag(hosts, host)
		return nil
	}); err != nil {
		return gavel.AgentSearch{}
	}
	return search
}

// filesOf reads a list of patterns; nil for an empty one. It records an error if it is none.
func filesOf(list *ast.Term, wrong *error) gavel.Files {
	var patterns []string
	if err := each(list, func(element *ast.Term) {
		pattern, _ := element.Value.(ast.String)
		patterns = append(patterns, string(pattern))
	}); err != nil {
		*wrong = err
		return nil
	}
	if len(patterns) == 0 {
		return nil
	}
	return pathglob.NewFiles(patterns)
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
