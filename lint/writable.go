package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel"
	"gavel/bundles/config"
)

// Agents returns how many agents a configuration lists.
func Agents(document *config.Document) int { return len(agents(document)) }

// AgentIDs returns the ids of the configured agents, sorted.
func AgentIDs(document *config.Document) []string { return slices.Sorted(maps.Keys(agents(document))) }

// agents returns the configured agents by id.
func agents(document *config.Document) map[string]map[string]any {
	found := map[string]map[string]any{}
	section, _ := document.Data["agents"].(map[string]any)
	for id, value := range section {
		if agent, ok := value.(map[string]any); ok && id != "defaults" && id != "list" {
			found[id] = agent
		}
	}
	return found
}

// writable warns about allowlist entries in directories that other users can write to: an agent could
// put its own program there under an allowed name (R27). The same holds for directories that come
// before PATH, and for trusted directories.
func (f Files) writable(document *config.Document) []gavel.Problem {
	var warnings []gavel.Problem
	warn := func(e entry, directory, message, fix string) {
		if why := f.replaceable(directory); why != "" {
			p := gavel.Problem{Path: e.path, File: document.File, Message: fmt.Sprintf(message, e.pattern, why), Fix: fix}
			p.Line, p.Column, _ = document.Locate(e.path)
			warnings = append(warnings, p)
		}
	}
	for _, e := range entries(document.Data, "", "allowlist") {
		warn(e, e.pattern, "pattern %q: %s, so a program there can be replaced", "list programs in directories that only administrators can write to")
	}
	for _, e := range entries(document.Data, "", "pathPrepend") {
		warn(e, e.pattern+"/", "directory %q: %s, so a program there can hide another one of the same name", "put only directories before PATH that only administrators can write to")
	}
	for _, e := range entries(document.Data, "", "trustedDirs") {
		if strings.HasPrefix(f.replaceable(e.pattern+"/"), everybody) { // that the owner can write there is the purpose of the setting
			warn(e, e.pattern+"/", "directory %q: %s, so everybody can decide which program a name means", "list only directories that you alone can write to")
		}
	}
	return warnings
}

// entry is one allowlist pattern or one directory, with its path in the configuration.
type entry struct{ path, pattern string }

// entries returns the elements of every list of a given name below a section, ordered by path.
func entries(section map[string]any, path, name string) []entry {
	var found []entry
	for _, key := range sorted(section) {
		below := strings.TrimPrefix(path+"."+key, ".")
		switch value := section[key].(type) {
		case map[string]any:
			found = append(found, entries(value, below, name)...)
		case []any:
			if key == name {
				found = append(found, patterns(value, below)...)
			}
		}
	}
	return found
}

func patterns(list []any, path string) []entry {
	var found []entry
	for i, item := range list {
		if object, ok := item.(map[string]any); ok {
			item = object["pattern"]
		}
		if pattern, ok := item.(string); ok {
			found = append(found, entry{fmt.Sprintf("%s[%d]", path, i), strings.TrimSpace(pattern)})
		}
	}
	return found
}
