package hazard

import (
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/analyzer/argv"
	"gavel/analyzer/host"
)

// Some programs show files that their settings name, as kustomize does. Every text in a file of settings may be
// the name of one, relative to it, or of a directory with further settings.

// maxMentioned limits how many files of settings are read for one command.
const maxMentioned = 200

// mentioned is the search for the files that settings name.
type mentioned struct {
	*finder
	settings *settings
	at       int
	seen     map[string]bool
}

// checkMentioned records the hazards of the files that settings name, from the directories that are operands.
func (f *finder) checkMentioned(s *settings, args argv.Reading, at int) {
	m := mentioned{f, s, at, map[string]bool{}}
	if len(args.Operands) == 0 {
		m.readDirectory(f.absolute("."))
	}
	for _, o := range args.Operands {
		if !strings.Contains(o.Text, argv.Unknown) { // that is another hazard
			m.readDirectory(f.absolute(o.Text))
		}
	}
}

// readDirectory reads the settings in a directory. "" is an unknown one.
func (m *mentioned) readDirectory(dir string) {
	real, known := m.around.Host.Resolve(dir)
	if dir == "" || !known {
		m.add(m.settings.Means, m.settings.HazardName, dir, m.at)
		return
	}
	for _, name := range m.settings.Files {
		m.readFile(host.Join(real, name), real, true)
	}
}

// readFile reads a file of settings, or one that settings in a directory name: that may hold settings, too, which
// are relative to either directory, but need not.
func (m *mentioned) readFile(file, dir string, whole bool) {
	if m.seen[file] || m.around.Host.Kind(file) == host.KindMissing {
		return
	}
	m.seen[file] = true
	real, known := m.around.Host.Resolve(file)
	text, ok := m.around.Host.Text(real, maxSettings)
	if !known || !ok || len(text) == maxSettings || len(m.seen) > maxMentioned {
		m.add(m.settings.Means, m.settings.HazardName, file, m.at)
		return
	}
	reader := yaml.NewDecoder(strings.NewReader(text))
	for {
		var document yaml.Node
		switch err := reader.Decode(&document); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			if whole {
				m.add(m.settings.Means, m.settings.HazardName, file, m.at)
			}
			return
		}
		m.readNode(&document, dir, 0)
		if own := path.Dir(file); own != dir {
			m.readNode(&document, own, 0)
		}
	}
}

// readNode looks at every text in a part of a document.
func (m *mentioned) readNode(node *yaml.Node, dir string, depth int) {
	if depth == maxSettingsDepth {
		m.add(m.settings.Means, m.settings.HazardName, dir, m.at)
		return
	}
	if node.Kind == yaml.ScalarNode {
		m.readText(node.Value, dir)
	}
	for i, item := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && slices.Contains(m.settings.EnvironmentLines, item.Value) {
			m.readEnvironment(node.Content[i+1], dir)
		}
		m.readNode(item, dir, depth+1)
	}
}

// readText looks at one text: NAME, or KEY=NAME.
func (m *mentioned) readText(text, dir string) {
	_, value, _ := strings.Cut(text, "=")
	for _, name := range []string{text, value} {
		if name == "" || strings.ContainsAny(name, "\n\x00") {
			continue
		}
		switch full := path.Clean(host.In(dir, name)); m.around.Host.Kind(full) {
		case host.KindDirectory:
			if name != "." && !m.seen[full] {
				m.seen[full] = true
				m.readDirectory(full)
			}
		case host.KindFile:
			m.checkPath(full, m.at)
			m.readFile(full, dir, false)
		}
	}
}

// readEnvironment looks for lines without an equals sign in the files that a value names.
func (m *mentioned) readEnvironment(value *yaml.Node, dir string) {
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	for _, n := range append([]*yaml.Node{value}, value.Content...) {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		file := path.Clean(host.In(dir, n.Value))
		if n.Kind != yaml.ScalarNode || m.around.Host.Kind(file) != host.KindFile {
			continue
		}
		real, _ := m.around.Host.Resolve(file)
		text, ok := m.around.Host.Text(real, maxSettings)
		lines := strings.Split(text, "\n")
		if !ok || len(text) == maxSettings || slices.ContainsFunc(lines, namesVariable) {
			m.add(m.settings.Means, m.settings.HazardName, file, m.at)
		}
	}
}

// namesVariable reports whether a line of such a file is only the name of a variable.
func namesVariable(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '#' && !strings.Contains(line, "=")
}
