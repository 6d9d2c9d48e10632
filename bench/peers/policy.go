package peers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Size describes how large a policy is.
type Size struct {
	Agents  int // at least 1
	Entries int // in the allowlist; those for the programs of the cases come last
	Modules int // Rego modules with functions that no rule calls
}

// Small is the policy for comparing servers.
func Small() Size { return Size{Agents: 1, Entries: 20} }

// configuration returns the configuration that Gavel reads, and that data.config of the bundle
// contains. Versions differ in the text, but not in their decisions.
func (s Size) configuration(version int) map[string]any {
	used := []string{"/usr/bin/cat", "/usr/bin/git", "/usr/bin/grep", "/usr/bin/head", "/usr/bin/rg"}
	var allowlist []string
	for i := range s.Entries - len(used) {
		allowlist = append(allowlist, fmt.Sprintf("/opt/tool%d/bin/*", i))
	}
	coding := func(name string) map[string]any {
		return map[string]any{"name": name, "tools": map[string]any{"profile": "coding"}}
	}
	agents := map[string]any{"coder": coding(fmt.Sprintf("version %d", version))}
	for i := 1; i < s.Agents; i++ {
		agents[fmt.Sprintf("agent%d", i)] = coding("another")
	}
	exec := map[string]any{"security": "allowlist", "ask": "on-miss", "allowlist": append(allowlist, used...)}
	return map[string]any{"tools": map[string]any{"exec": exec}, "agents": agents}
}

// WritePolicy writes a policy directory for Gavel.
func WritePolicy(dir string, size Size) error {
	for number := range size.Modules {
		if err := writeModule(dir, number, 0); err != nil {
			return err
		}
	}
	return WriteConfiguration(dir, size, 0)
}

// WriteConfiguration replaces the configuration of a policy directory by another version.
func WriteConfiguration(dir string, size Size, version int) error {
	return writeJSON(filepath.Join(dir, "config.json"), size.configuration(version))
}

// writeModule writes a Rego module, or replaces it by another version.
func writeModule(dir string, number, version int) error {
	text := fmt.Sprintf("package custom.library.m%[1]d\n\nversion := %[2]d\n\nknown(name) if name in {\"a%[1]d\", \"b%[1]d\"}\n\n"+
		"known(name) if {\n\tstartswith(name, \"x%[1]d\")\n\tnot endswith(name, \"y\")\n}\n", number, version)
	return write(filepath.Join(dir, "library", fmt.Sprintf("m%d.rego", number)), []byte(text))
}

// WriteBundle writes the configuration as an OPA bundle for the shipped policy.
func WriteBundle(dir string, size Size) error {
	if err := writeJSON(filepath.Join(dir, ".manifest"), map[string]any{"roots": []string{"config"}}); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "data.json"), map[string]any{"config": size.configuration(0)})
}

// writeTuned writes the data file for testdata/tuned.rego.
func writeTuned(path string) error {
	paths := map[string]bool{}
	for _, path := range programs() {
		paths[path] = true
	}
	tools := map[string]bool{"read": true, "write": true, "edit": true, "exec": true, "process": true}
	return writeJSON(path, map[string]any{"tools": tools, "programs": paths})
}

// writeJSON writes a file atomically.
func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return write(path, text)
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// Dot files are not part of a policy.
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
