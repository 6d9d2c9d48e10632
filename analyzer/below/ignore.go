package below

import (
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// Some programs leave out what git ignores. Of the files that say so, only lines about plain names
// are read, and about paths of such names; what other lines ignore is looked at.

// maxIgnoreFile is how many bytes of such a file are read.
const maxIgnoreFile = 64 << 10

// maxAbove is how many directories above the one that is searched are looked at.
const maxAbove = 32

// ignores are the rules that hold in a directory.
type ignores struct {
	repository bool // git ignores something only in a repository
	rules      []ignoring
	kept       []Names // what is not ignored after all, nor left out as hidden
}

// ignoring is one rule.
type ignoring struct {
	pattern   string // of a name; or of names in directories, of which the first is in its own directory
	directory bool   // it is about directories only
	here      bool   // it holds in its own directory only
}

// has reports whether something is ignored for certain.
func (i ignores) has(file string, one host.Entry) bool {
	if !i.repository || i.keeps(file, one) {
		return false
	}
	return slices.ContainsFunc(i.rules, func(r ignoring) bool {
		return (!r.directory || one.Kind == host.KindDirectory) && matches(r.pattern, one.Name)
	})
}

// keeps reports whether something may be kept by a line that begins with an exclamation mark.
func (i ignores) keeps(file string, one host.Entry) bool { return mayBeOf(i.kept, file, one) }

// with adds the rules of a directory.
func (i ignores) with(own ignores) ignores {
	return ignores{i.repository || own.repository, slices.Concat(i.rules, own.rules), slices.Concat(i.kept, own.kept)}
}

// inside are the rules that hold in a directory of this name.
func (i ignores) inside(name string) ignores {
	rules := make([]ignoring, 0, len(i.rules))
	for _, r := range i.rules {
		first, rest, deeper := strings.Cut(r.pattern, "/")
		switch {
		case deeper && matches(first, name):
			r.pattern, r.here = rest, true
			rules = append(rules, r)
		case !deeper && !r.here:
			rules = append(rules, r)
		}
	}
	i.rules = rules
	return i
}

// anywhere are the rules that hold in every directory below. Of paths in a directory above the one that
// it is given, ripgrep 13 does not know what they are relative to.
func (i ignores) anywhere() ignores {
	i.rules = slices.DeleteFunc(slices.Clone(i.rules), func(r ignoring) bool { return r.here || strings.Contains(r.pattern, "/") })
	return i
}

// above returns the rules of the directories that a directory is in, up to the repository's own.
func (w *walker) above(dir string) ignores {
	var all ignores
	if !w.out.Ignored {
		return all
	}
	for range maxAbove {
		if dir == "/" {
			return ignores{}
		}
		if dir = path.Dir(dir); dir == "/" {
			return all
		}
		own := w.rulesIn(dir, []host.Entry{{Name: ".gitignore"}, {Name: ".ignore"}, {Name: ".rgignore"}})
		own.repository = w.Host.Kind(host.Join(dir, ".git")) == host.KindDirectory
		all = own.anywhere().with(all)
		if own.repository {
			return all
		}
	}
	return all
}

// rulesIn reads the rules of a directory with these entries.
func (w *walker) rulesIn(dir string, list []host.Entry) ignores {
	var own ignores
	for _, one := range list {
		switch one.Name {
		case ".git":
			own.repository = one.Kind == host.KindDirectory
		case ".gitignore", ".ignore", ".rgignore":
			text, ok := w.Host.Text(host.Join(dir, one.Name), maxIgnoreFile)
			if len(text) == maxIgnoreFile || !ok && w.Host.Kind(host.Join(dir, one.Name)) != host.KindMissing {
				own.kept = append(own.kept, Names{}) // the rest may keep anything
			}
			own.read(text)
		}
	}
	return own
}

// read adds the lines of one file.
func (i *ignores) read(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		pattern, kept := strings.CutPrefix(line, "!")
		switch {
		case line == "" || line[0] == '#':
		case kept:
			i.kept = append(i.kept, NamesOf(pattern))
		default:
			rule := ignoring{pattern: strings.TrimPrefix(line, "**/")}
			rule.pattern, rule.here = strings.CutPrefix(rule.pattern, "/")
			rule.pattern, rule.directory = strings.CutSuffix(rule.pattern, "/")
			if !slices.ContainsFunc(strings.Split(rule.pattern, "/"), func(name string) bool { return !plain(name) }) {
				i.rules = append(i.rules, rule)
			}
		}
	}
}
