package hazard

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/treescan"
)

// The names of hazards of programs that read directories recursively.
const (
	OptionDenied = "denied" // it is a file that the policy denies to read
	OptionBelow  = "below"  // such a file is in a directory
	optionInside = "inside" // a directory that the policy denies to read is in a directory
	OptionBound  = "bound"  // the search of a directory reached its limit
	OptionUnseen = "unseen" // the contents of a directory could not be read
)

// checkRecursiveRead finds denied files in the directories that a program reads. args are its words.
func (f *finder) checkRecursiveRead(v *Vocabulary, name string, args argv.Reading, at int) {
	w := v.walks
	if f.around.Scanner == nil || w == nil || args.Has(w.NamesOnly) {
		return
	}
	if w.OutsideRepository != "" {
		if args.Has(w.With) || name == w.OutsideRepository && f.mayLeaveRepository(v, args) {
			f.scanKnown(args.Operands)
		}
		return
	}
	if !w.AlwaysRecursive(name) && !hasOption(args, w.With) {
		return
	}
	if w.Untracked != nil {
		f.checkUntracked(v, args, at)
		return
	}
	out := exclusionsOf(w, args)
	first := v.operandText.First
	if args.Has(v.operandText.Unless) {
		first = 0
	}
	paths := args.Operands[min(first, len(args.Operands)):]
	if len(paths) == 0 && w.WorkingDirectory && !(w.UnlessPiped && f.around.Piped) {
		f.scan(".", at, out, w.Follows)
	}
	for _, o := range paths {
		f.scan(o.Text, o.Index, out, w.Follows)
	}
}

// mayHaveOption reports whether one of these options, NAME or NAME=VALUE, is or may be present.
func mayHaveOption(args argv.Reading, with []string) bool {
	return len(args.AnyOption) > 0 || hasOption(args, with)
}

// hasOption reports whether one of these options, NAME or NAME=VALUE, is present. A word that is produced at
// run time and may be one is reported as another hazard.
func hasOption(args argv.Reading, with []string) bool {
	return slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool {
		return slices.Contains(with, g.Name) || slices.Contains(with, g.Name+"="+g.Value) || strings.Contains(g.Value, argv.Unknown)
	})
}

// scan records the denied files in a directory. Other files that a text names are checked as paths.
func (f *finder) scan(text string, index int, out treescan.Exclusions, follows bool) {
	f.scanFrom(f.startDir, text, index, out, follows)
	for _, dir := range f.entered {
		if dir != f.startDir {
			f.scanFrom(dir, text, index, out, follows)
		}
	}
}

// scanFrom is scan for a text that is relative to a directory, or "" if that is unknown.
func (f *finder) scanFrom(dir, text string, index int, out treescan.Exclusions, follows bool) {
	at := f.around
	at.Dir = dir
	full := f.places.resolve(text, at)
	kind := host.KindUnknown
	if full != "" && !strings.Contains(text, argv.Unknown) {
		kind = f.around.Host.Kind(full)
	}
	var found treescan.Result
	switch kind {
	case host.KindFile, host.KindMissing:
		return
	case host.KindDirectory:
		found = f.around.Scanner.Scan(full, out, follows)
	default:
		found.Incomplete = true
	}
	f.addFound(found, text, index)
}

// addFound records what the search of a directory found.
func (f *finder) addFound(found treescan.Result, text string, index int) {
	for option, files := range map[string][]string{OptionBelow: found.Files, optionInside: found.Directories} {
		for _, file := range files {
			f.add("reads", option, text, index)
			f.found[len(f.found)-1].Real = file
		}
	}
	if found.LimitReached {
		f.add("reads", OptionBound, text, index)
	}
	if found.Incomplete {
		f.add("reads", OptionUnseen, text, index)
	}
}

// exclusionsOf returns what a program certainly leaves out. If the first of the patterns includes files, files
// that match no pattern are left out; if it excludes files, they are read.
func exclusionsOf(w *programs.Walks, args argv.Reading) treescan.Exclusions {
	out := treescan.Exclusions{Hidden: len(w.HiddenWith) > 0 && !mayHaveOption(args, w.HiddenWith), Ignored: len(w.IgnoredWith) > 0 && !mayHaveOption(args, w.IgnoredWith)}
	out.OnlyFiles, out.Unmatched = slices.Clone(w.Only), len(w.Only) > 0
	some, anyCase := false, mayHaveOption(args, w.AnyCase)
	for _, g := range args.Options {
		if !g.HasValue {
			continue
		}
		patterns, negated, globs := []string{g.Value}, false, slices.Contains(w.Globs, g.Name)
		if globs {
			pattern := g.Value
			pattern, negated = strings.CutPrefix(pattern, "!")
			patterns = alternatives(pattern)
			if anyCase {
				patterns = []string{anyPattern}
			}
		}
		out.Unhidden = append(out.Unhidden, hiddenPatterns(w, g)...)
		if globs && !negated {
			for _, pattern := range patterns {
				out.Exceptions = append(out.Exceptions, treescan.ParsePattern(pattern))
			}
		}
		switch {
		case slices.Contains(w.Include, g.Name), globs && !negated:
			out.Unmatched = out.Unmatched || !some
			out.OnlyFiles = append(out.OnlyFiles, patterns...)
		case globs, slices.Contains(w.ExcludeBoth, g.Name):
			out.Files, out.Directories = append(out.Files, patterns...), append(out.Directories, patterns...)
		case slices.Contains(w.Exclude, g.Name):
			out.Files = append(out.Files, patterns...)
		case slices.Contains(w.ExcludeDirectories, g.Name):
			out.Directories = append(out.Directories, patterns...)
			continue
		default:
			continue
		}
		some = true
	}
	return out
}

// anyPattern is a pattern that may match any name.
const anyPattern = "["

// hiddenPatterns returns the hidden names of the file type that an option selects or extends.
func hiddenPatterns(w *programs.Walks, g argv.GivenOption) (list []treescan.NamePattern) {
	var patterns []string
	switch _, names, added := strings.Cut(g.Value, ":"); {
	case slices.Contains(w.Types, g.Name):
		patterns = w.HiddenNames(g.Value)
	case !slices.Contains(w.TypesAdded, g.Name):
	case added && !strings.Contains(names, ":"):
		patterns = alternatives(names)
	default: // a type defined by other types, or something unknown
		patterns = []string{anyPattern}
	}
	for _, pattern := range patterns {
		list = append(list, treescan.ParsePattern(pattern))
	}
	return list
}

// alternatives returns the patterns to which a pattern with a single {a,b} expands.
func alternatives(pattern string) []string {
	before, rest, found := strings.Cut(pattern, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !found || !closed || strings.ContainsAny(inside+after, "{}") {
		return []string{pattern}
	}
	var list []string
	for item := range strings.SplitSeq(inside, ",") {
		list = append(list, before+item+after)
	}
	return list
}
