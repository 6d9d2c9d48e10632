package hazard

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/treescan"
)

// The names of hazards of programs that read directories with everything in them.
const (
	OptionDenied = "denied" // it is a file that the policy denies to read
	OptionBelow  = "below"  // such a file is in a directory
	optionInside = "inside" // such a directory is
	OptionBound  = "bound"  // there is more in a directory than was looked at
	OptionUnseen = "unseen" // nobody could look at what is in a directory
)

// walk finds denied files in the directories that a program reads. args are its words.
func (f *finder) walk(v *Vocabulary, name string, args argv.Reading, at int) {
	w := v.walks
	if f.at.Scanner == nil || w == nil || args.Has(w.NamesOnly) || !w.AlwaysAs(name) && !surely(args, w.With) {
		return
	}
	out := leftOut(w, args)
	first := v.text.First
	if args.Has(v.text.Unless) {
		first = 0
	}
	paths := args.Operands[min(first, len(args.Operands)):]
	if len(paths) == 0 && w.Here && !(w.Input && f.at.Piped) {
		f.through(".", at, out, w.Follows)
	}
	for _, o := range paths {
		f.through(o.Text, o.Index, out, w.Follows)
	}
}

// given reports whether one of these options, NAME or NAME=VALUE, is present or may be.
func given(args argv.Reading, with []string) bool {
	return len(args.AnyOption) > 0 || surely(args, with)
}

// surely reports whether one of them is present. A word that is produced at run time, and may be
// one, is something else that the rules object to.
func surely(args argv.Reading, with []string) bool {
	return slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool {
		return slices.Contains(with, g.Name) || slices.Contains(with, g.Name+"="+g.Value) || strings.Contains(g.Value, argv.Unknown)
	})
}

// through looks for denied files in a directory. Files that are named are looked at as paths.
func (f *finder) through(text string, index int, out treescan.Exclusions, follows bool) {
	full := f.places.full(text, f.at)
	kind := host.KindUnknown
	if full != "" && !strings.Contains(text, argv.Unknown) {
		kind = f.at.Host.Kind(full)
	}
	var found treescan.Result
	switch kind {
	case host.KindFile, host.KindMissing:
		return
	case host.KindDirectory:
		found = f.at.Scanner.Scan(full, out, follows)
	default:
		found.Incomplete = true
	}
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

// leftOut is what a program leaves out, as far as it is certain. Of the patterns of files to
// read and to leave out, the first kind decides about the files that neither names.
func leftOut(w *programs.Walks, args argv.Reading) treescan.Exclusions {
	out := treescan.Exclusions{Hidden: len(w.HiddenWith) > 0 && !given(args, w.HiddenWith), Ignored: len(w.IgnoredWith) > 0 && !given(args, w.IgnoredWith)}
	out.OnlyFiles, out.Unmatched = slices.Clone(w.Only), len(w.Only) > 0
	some, anyCase := false, given(args, w.AnyCase)
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
				patterns = []string{unclear}
			}
		}
		out.Unhidden = append(out.Unhidden, hiddenOf(w, g)...)
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

// unclear is a pattern that may stand for any name.
const unclear = "["

// hiddenOf are the hidden names of the types of files that an option chooses or adds to.
func hiddenOf(w *programs.Walks, g argv.GivenOption) (list []treescan.NamePattern) {
	var patterns []string
	switch _, names, added := strings.Cut(g.Value, ":"); {
	case slices.Contains(w.Types, g.Name):
		patterns = w.HiddenNames(g.Value)
	case !slices.Contains(w.TypesAdded, g.Name):
	case added && !strings.Contains(names, ":"):
		patterns = alternatives(names)
	default: // another type, or something else
		patterns = []string{unclear}
	}
	for _, pattern := range patterns {
		list = append(list, treescan.ParsePattern(pattern))
	}
	return list
}

// alternatives are the patterns that one with a single {a,b} stands for.
func alternatives(pattern string) []string {
	before, rest, found := strings.Cut(pattern, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !found || !closed || strings.ContainsAny(inside+after, "{}") {
		return []string{pattern}
	}
	var list []string
	for one := range strings.SplitSeq(inside, ",") {
		list = append(list, before+one+after)
	}
	return list
}
