package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gavel"
	"gavel/bundles/config"
)

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

// writable warns about allowlist entries in directories that others may write: an agent could
// put its own program there under an allowed name (R27). The same is true of a directory that
// comes before PATH.
func (a *app) writable(document *config.Document) []gavel.Problem {
	var warnings []gavel.Problem
	warn := func(at entry, directory, message, fix string) {
		if why := a.replaceable(directory); why != "" {
			p := gavel.Problem{Path: at.path, File: document.File, Message: fmt.Sprintf(message, at.pattern, why), Fix: fix}
			p.Line, p.Column, _ = document.Locate(at.path)
			warnings = append(warnings, p)
		}
	}
	for _, at := range entries(document.Data, "", "allowlist") {
		warn(at, at.pattern, "pattern %q: %s, so a program there can be replaced", "list programs in directories that only administrators can write to")
	}
	for _, at := range entries(document.Data, "", "pathPrepend") {
		warn(at, at.pattern+"/", "directory %q: %s, so a program there can hide another one of the same name", "put only directories before PATH that only administrators can write to")
	}
	return warnings
}

// entry is one allowlist pattern or one directory, with its path in the configuration.
type entry struct{ path, pattern string }

// entries finds every list of a given name below a section, ordered by path.
func entries(section map[string]any, path, name string) []entry {
	var found []entry
	for _, key := range sortedKeys(section) {
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

// replaceable explains why others may replace what a pattern names, or returns "". It checks
// the directory before the first wildcard and its parents, as far as they exist on this
// machine.
func (a *app) replaceable(pattern string) string {
	literal := pattern
	if home := a.getenv("HOME"); strings.HasPrefix(literal, "~/") && filepath.IsAbs(home) {
		literal = home + literal[1:]
	}
	if i := strings.IndexAny(literal, "*?"); i >= 0 {
		literal = literal[:i]
	}
	if !filepath.IsAbs(literal) {
		return ""
	}
	dir := filepath.Clean(literal[:strings.LastIndexByte(literal, '/')+1])
	for _, shared := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		if dir == shared || strings.HasPrefix(dir, shared+"/") {
			return "everybody can write below " + shared
		}
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		switch mode := info.Mode(); {
		case mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0:
			return fmt.Sprintf("everybody can write to %s", dir)
		case mode.Perm()&0o020 != 0:
			return fmt.Sprintf("a group can write to %s", dir)
		}
	}
	return ""
}
