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
	"gavel/analyzer/programs"
)

// Some programs look for settings in the directory where they run, and in those above. A file of the workspace
// then decides which other files they read, or which machines they reach.

// maxSettings limits the bytes that are read of a file of settings, and maxSettingsDepth how deep it is.
const (
	maxSettings      = 256 << 10
	maxSettingsDepth = 64
)

// checkSettings records the files of settings that a program would find. Where no lookups are possible, there
// are none.
func (f *finder) checkSettings(v *Vocabulary, args argv.Reading, at int) {
	s := v.settings
	if s == nil || f.around.NoLookups || args.Has(s.Unless) {
		return
	}
	if s.MentionsFiles {
		f.checkMentioned(s, args, at)
		return
	}
	named := false
	for _, g := range args.Options {
		if g.HasValue && slices.Contains(s.ValueOf, g.Name) {
			named = true
			if file := f.absolute(g.Value); file == "" || strings.Contains(g.Value, argv.Unknown) || f.mayDecide(s, file) {
				f.add(s.Means, s.HazardName, g.Value, g.Index)
			}
		}
	}
	if named {
		return
	}
	for _, file := range s.found(f.around, f.workDir) {
		if f.workDir == "" || f.mayDecide(s, file) {
			f.add(s.Means, s.HazardName, file, at)
		}
	}
}

// settings are the files in which a program finds its settings.
type settings struct{ *programs.Settings }

// found returns the paths at which a program in a directory would find settings that an agent may have written:
// up to the top of the workspace, or to the root if it is elsewhere. If the directory is unknown, they are relative.
func (s settings) found(at Surroundings, dir string) (list []string) {
	real, known := at.Host.Resolve(dir)
	if dir == "" || !known {
		return s.Files[:1]
	}
	for range maxSettingsDepth {
		for _, name := range s.Files {
			list = append(list, host.Join(real, name))
		}
		if real == "/" || real == at.Workspaces[0] {
			return list
		}
		real = path.Dir(real)
	}
	return list
}

// mayDecide reports whether a file of settings is there, and may have a setting that counts.
func (f *finder) mayDecide(s *settings, file string) bool {
	if f.around.Host.Kind(file) == host.KindMissing {
		return false
	}
	real, known := f.around.Host.Resolve(file)
	text, ok := f.around.Host.Text(real, maxSettings)
	if !known || !ok || len(text) == maxSettings || s.Only == nil {
		return true
	}
	reader := yaml.NewDecoder(strings.NewReader(text))
	for {
		var document yaml.Node
		if err := reader.Decode(&document); err != nil {
			return !errors.Is(err, io.EOF)
		}
		if s.mayHaveKey(&document, 0) {
			return true
		}
	}
}

// mayHaveKey reports whether a key of a mapping in a document counts.
func (s settings) mayHaveKey(node *yaml.Node, depth int) bool {
	if depth == maxSettingsDepth {
		return true
	}
	for i, item := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && s.counts(item, node.Content[i+1]) || s.mayHaveKey(item, depth+1) {
			return true
		}
	}
	return false
}

// counts reports whether a key counts with this value. An alias stands for another node.
func (s settings) counts(key, value *yaml.Node) bool {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	harmless, listed := s.Only[key.Value]
	if key.Kind != yaml.ScalarNode || !listed {
		return key.Kind != yaml.ScalarNode
	}
	values := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		values = value.Content
	}
	return slices.ContainsFunc(values, func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode || !slices.Contains(harmless, n.Value) })
}
