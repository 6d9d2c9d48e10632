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

// The warnings in this file are about what an allowlist permits without showing it: links, programs
// without a catalog entry, and accepted hazards that run other programs.

// broad returns warnings about the entries of all allowlists that permit less or more than they seem
// to.
func (l *Linter) broad(document *config.Document, tables analyzer.Tables) []gavel.Problem {
	f := findings{document: document}
	entries := allowlistEntries(document.Data, "")
	for i, entry := range entries {
		if why, what := dead(entries, i); why != "" {
			f.add(entry.path, what, "%s", why)
		}
		program := filepath.Base(entry.pattern)
		if strings.ContainsAny(program, "*?") {
			continue
		}
		if rule := commandLine(entry.pattern, tables); rule != "" {
			f.add(entry.path, "put this under rules instead of the entry: "+rule, "an entry names a program, and %q has arguments", entry.pattern)
			continue
		}
		if l.Files.absent(entry.pattern) {
			f.add(entry.path, "correct the path, or delete the entry if no machine has the program",
				"there is no %q on this machine", entry.pattern)
		}
		to := l.Files.LinkTarget(entry.pattern)
		if to != "" {
			f.add(entry.path, "list the program that it leads to, or check the name",
				"pattern %q is a link, and programs are compared by their real path: it leads to %s", entry.pattern, to)
		}
		if len(entry.args) == 0 && to == "" && strings.Contains(entry.pattern, "/") && !tables.Knows(program) {
			f.add(entry.path, "check what its options do, or limit its arguments with a custom rule",
				"Gavel does not know the options of %q, so the entry permits every argument", program)
		}
		for _, option := range entry.args {
			if kinds := tables.Hazards.Means(program, option); slices.Contains(kinds, "runs") || slices.Contains(kinds, "inline") {
				f.add(entry.path, "leave the option out of args",
					"args %s of %q permits any program that the agent names", option, program)
			}
		}
	}
	return f.list
}

// commandLine returns a rule for a pattern that is a program with arguments, or "".
func commandLine(pattern string, tables analyzer.Tables) string {
	program, arguments, found := strings.Cut(pattern, " ")
	if !found || !tables.Knows(filepath.Base(program)) {
		return ""
	}
	words := strings.Fields(arguments)
	if slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") }) {
		return fmt.Sprintf("{program: %s, options: […], effect: allow}", program)
	}
	return fmt.Sprintf("{program: %s, commands: [%s], effect: allow}", program, strings.Join(words, " "))
}

// allowlistEntry is one entry of an allowlist. args are the hazards that it accepts, by name.
type allowlistEntry struct {
	path, pattern string
	args          []string
}

// allowlistEntries returns the entries of every allowlist below a section. An entry that accepts every
// hazard has the name any among its args.
func allowlistEntries(section map[string]any, path string) []allowlistEntry {
	var found []allowlistEntry
	for _, key := range sorted(section) {
		below := strings.TrimPrefix(path+"."+key, ".")
		switch value := section[key].(type) {
		case map[string]any:
			found = append(found, allowlistEntries(value, below)...)
		case []any:
			if key != "allowlist" {
				continue
			}
			for i, item := range value {
				entry := allowlistEntry{path: fmt.Sprintf("%s[%d]", below, i)}
				switch item := item.(type) {
				case string:
					entry.pattern = strings.TrimSpace(item)
				case map[string]any:
					pattern, _ := item["pattern"].(string)
					entry.pattern, entry.args = strings.TrimSpace(pattern), argsOf(item["args"])
				}
				found = append(found, entry)
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
		for _, item := range value {
			if text, ok := item.(string); ok {
				list = append(list, text)
			}
		}
		return list
	default:
		return nil
	}
}

// unlimited warns if an agent may write every file: because a list permits it, or because the policy
// limits what may be read but not what may be written.
func unlimited(ctx context.Context, document *config.Document, pdp *gavel.PDP) []gavel.Problem {
	f := findings{document: document}
	const fix = `name directories, such as ["./**"]`
	tools, _ := document.Data["tools"].(map[string]any)
	for i, pattern := range allowedFiles(tools, "write") {
		if text, ok := pattern.(string); ok && (text == "**" || text == "/**") {
			f.add(fmt.Sprintf("tools.write.allow[%d]", i), fix, "every file may be written")
		}
	}
	if len(allowedFiles(tools, "write")) > 0 || len(allowedFiles(tools, "read")) == 0 {
		return f.list
	}
	var who []string
	for id, agent := range agents(document) {
		own, _ := agent["tools"].(map[string]any)
		if len(allowedFiles(own, "write")) == 0 && writes(ctx, pdp, id) {
			who = append(who, id)
		}
	}
	if slices.Sort(who); len(who) > 0 {
		f.add("tools.write", fix, "a list limits the files that agents may read, but none limits those they may write: %s", strings.Join(who, ", "))
	}
	return f.list
}

// allowedFiles returns the allow list of an access (read or write) in a section of tools.
func allowedFiles(tools map[string]any, access string) []any {
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
