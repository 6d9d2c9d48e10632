package lint

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer"
	"gavel/bundles/config"
)

// These warnings are about permissions that a list does not show: what limits a
// path, and what the catalog knows or does not know of a program. Like the warnings of the
// policy itself, they concern only what is allowed.

// broad returns these warnings for the entries of all allowlists.
func (l *Linter) broad(document *config.Document, tables analyzer.Tables) []gavel.Problem {
	f := findings{document: document}
	entries := detailed(document.Data, "")
	for i, at := range entries {
		if why, what := dead(entries, i); why != "" {
			f.add(at.path, what, "%s", why)
		}
		program := filepath.Base(at.pattern)
		if strings.ContainsAny(program, "*?") {
			continue
		}
		if l.Files.absent(at.pattern) {
			f.add(at.path, "correct the path, or delete the entry if no machine has the program",
				"there is no %q on this machine", at.pattern)
		}
		to := l.Files.Leads(at.pattern)
		if to != "" {
			f.add(at.path, "list the program that it leads to, or check the name",
				"pattern %q is a link, and programs are compared by their real path: it leads to %s", at.pattern, to)
		}
		if len(at.args) == 0 && to == "" && strings.Contains(at.pattern, "/") && !tables.Knows(program) {
			f.add(at.path, "check what its options do, or limit its arguments with a custom rule",
				"Gavel does not know the options of %q, so the entry permits every argument", program)
		}
		for _, option := range at.args {
			if kinds := tables.Hazards.Means(program, option); slices.Contains(kinds, "runs") || slices.Contains(kinds, "inline") {
				f.add(at.path, "leave the option out of args",
					"args %s of %q permits any program that the agent names", option, program)
			}
		}
	}
	return f.list
}

// detailedEntry is one entry of an allowlist with the hazards that it accepts by name.
type detailedEntry struct {
	path, pattern string
	args          []string
}

// detailed finds the entries of every allowlist below a section. An entry that accepts any
// argument has the name any among its args.
func detailed(section map[string]any, path string) []detailedEntry {
	var found []detailedEntry
	for _, key := range sorted(section) {
		below := strings.TrimPrefix(path+"."+key, ".")
		switch value := section[key].(type) {
		case map[string]any:
			found = append(found, detailed(value, below)...)
		case []any:
			if key != "allowlist" {
				continue
			}
			for i, item := range value {
				one := detailedEntry{path: fmt.Sprintf("%s[%d]", below, i)}
				switch item := item.(type) {
				case string:
					one.pattern = strings.TrimSpace(item)
				case map[string]any:
					pattern, _ := item["pattern"].(string)
					one.pattern, one.args = strings.TrimSpace(pattern), argsOf(item["args"])
				}
				found = append(found, one)
			}
		}
	}
	return found
}

func argsOf(value any) []string {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		var list []string
		for _, one := range value {
			if text, ok := one.(string); ok {
				list = append(list, text)
			}
		}
		return list
	default:
		return nil
	}
}

// unlimited warns when an agent may write every file: because a list says so, or because there
// is no list although the policy limits what may be read.
func unlimited(ctx context.Context, document *config.Document, pdp *gavel.PDP) []gavel.Problem {
	f := findings{document: document}
	const fix = `name directories, such as ["./**"]`
	tools, _ := document.Data["tools"].(map[string]any)
	for i, pattern := range listed(tools, "write") {
		if text, ok := pattern.(string); ok && (text == "**" || text == "/**") {
			f.add(fmt.Sprintf("tools.write.allow[%d]", i), fix, "every file may be written")
		}
	}
	if len(listed(tools, "write")) > 0 || len(listed(tools, "read")) == 0 {
		return f.list
	}
	var who []string
	for id, agent := range agents(document) {
		own, _ := agent["tools"].(map[string]any)
		if len(listed(own, "write")) == 0 && writes(ctx, pdp, id) {
			who = append(who, id)
		}
	}
	if slices.Sort(who); len(who) > 0 {
		f.add("tools.write", fix, "a list limits the files that agents may read, but none limits those they may write: %s", strings.Join(who, ", "))
	}
	return f.list
}

// listed returns the files that a section of tools allows for an access.
func listed(tools map[string]any, access string) []any {
	files, _ := tools[access].(map[string]any)
	allow, _ := files["allow"].([]any)
	return allow
}

// writes reports whether an agent has a tool that writes files.
func writes(ctx context.Context, pdp *gavel.PDP, id string) bool {
	report := pdp.Tools(ctx, gavel.Call{Agent: gavel.Agent{ID: id}})
	return slices.ContainsFunc(report.Tools, func(tool gavel.ToolVerdict) bool {
		return tool.Visible && (tool.Name == "write" || tool.Name == "edit" || tool.Name == "apply_patch")
	})
}
