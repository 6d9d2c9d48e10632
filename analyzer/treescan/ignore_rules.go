package treescan

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// Some programs leave out what git ignores. Of .gitignore and similar files, only lines with plain names,
// or paths of plain names, are read. What any other line ignores is searched.

// maxIgnoreFile limits how many bytes of such a file are read.
const maxIgnoreFile = 64 << 10

// maxAbove limits how many directories above the searched one are read for rules.
const maxAbove = 32

// ignoreRules are the rules that apply in a directory.
type ignoreRules struct {
	repository bool // it is in a repository; git ignores nothing outside one
	rules      []ignoreRule
	exceptions []NamePattern // names that are neither ignored nor left out as hidden
	after      *ignoreRules  // rules for what these neither ignore nor keep, or nil
}

// ignoreRule is one rule.
type ignoreRule struct {
	pattern         string // of a name, or of a path relative to the directory of the rule
	directoriesOnly bool   // it applies to directories only
	anchored        bool   // it applies to the entries of its own directory only
}

// ignores reports whether an entry is certainly ignored.
func (i ignoreRules) ignores(file string, entry host.Entry) bool {
	if !i.repository || i.mayKeep(file, entry) {
		return false
	}
	return slices.ContainsFunc(i.rules, func(r ignoreRule) bool {
		return (!r.directoriesOnly || entry.Kind == host.KindDirectory) && matches(r.pattern, entry.Name)
	}) || i.after != nil && i.after.ignores(file, entry)
}

// mayKeep reports whether a line that begins with an exclamation mark may keep an entry.
func (i ignoreRules) mayKeep(file string, entry host.Entry) bool {
	return mayMatchAny(i.exceptions, file, entry)
}

// add returns the rules together with those of a directory below.
func (i ignoreRules) add(own ignoreRules) ignoreRules {
	return ignoreRules{i.repository || own.repository, slices.Concat(i.rules, own.rules), slices.Concat(i.exceptions, own.exceptions), cmp.Or(i.after, own.after)}
}

// inSubdirectory returns the rules that apply in a sub-directory of this name.
func (i ignoreRules) inSubdirectory(name string) ignoreRules {
	rules := make([]ignoreRule, 0, len(i.rules))
	for _, r := range i.rules {
		first, rest, deeper := strings.Cut(r.pattern, "/")
		switch {
		case deeper && matches(first, name):
			r.pattern, r.anchored = rest, true
			rules = append(rules, r)
		case !deeper && !r.anchored:
			rules = append(rules, r)
		}
	}
	i.rules = rules
	if i.after != nil {
		after := i.after.inSubdirectory(name)
		i.after = &after
	}
	return i
}

// unanchored returns the rules that apply in every directory below. Rules with paths are dropped: ripgrep 13
// resolves those of directories above its starting directory incorrectly.
func (i ignoreRules) unanchored() ignoreRules {
	i.rules = slices.DeleteFunc(slices.Clone(i.rules), func(r ignoreRule) bool { return r.anchored || strings.Contains(r.pattern, "/") })
	return i
}

// rulesAbove returns the rules of the directories above a directory, up to the top of the repository.
func (w *walker) rulesAbove(dir string) ignoreRules {
	var all ignoreRules
	if !w.exclude.Ignored {
		return all
	}
	for range maxAbove {
		if dir == "/" {
			return ignoreRules{}
		}
		if dir = path.Dir(dir); dir == "/" {
			return all
		}
		own := w.rulesIn(dir, []host.Entry{{Name: ".gitignore"}, {Name: ".ignore"}, {Name: ".rgignore"}})
		own.repository = w.Host.Kind(host.Join(dir, ".git")) == host.KindDirectory
		all = own.unanchored().add(all)
		if own.repository {
			return all
		}
	}
	return all
}

// rulesIn reads the rules of a directory with these entries.
func (w *walker) rulesIn(dir string, list []host.Entry) ignoreRules {
	if w.exclude.Repository != nil {
		return w.gitRulesIn(dir)
	}
	var own ignoreRules
	for _, entry := range list {
		switch entry.Name {
		case ".git":
			own.repository = entry.Kind == host.KindDirectory
		case ".gitignore", ".ignore", ".rgignore":
			w.readRules(&own, host.Join(dir, entry.Name))
		}
	}
	return own
}

// readRules adds the rules of one file.
func (w *walker) readRules(rules *ignoreRules, file string) {
	text, ok := w.Host.Text(file, maxIgnoreFile)
	if len(text) == maxIgnoreFile || !ok && w.Host.Kind(file) != host.KindMissing {
		rules.exceptions = append(rules.exceptions, NamePattern{}) // the rest may keep anything
	}
	rules.read(text)
}

// read adds the rules in the text of one file.
func (i *ignoreRules) read(text string) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), " ")
		pattern, kept := strings.CutPrefix(line, "!")
		switch {
		case line == "" || line[0] == '#':
		case kept:
			i.exceptions = append(i.exceptions, ParsePattern(pattern))
		default:
			rule := ignoreRule{pattern: line}
			if anywhere, deep := strings.CutPrefix(line, "**/"); deep {
				rule.pattern = anywhere
			} else {
				rule.pattern, rule.anchored = strings.CutPrefix(line, "/")
			}
			rule.pattern, rule.directoriesOnly = strings.CutSuffix(rule.pattern, "/")
			if !slices.ContainsFunc(strings.Split(rule.pattern, "/"), func(name string) bool { return !isPlain(name) }) {
				i.rules = append(i.rules, rule)
			}
		}
	}
}
