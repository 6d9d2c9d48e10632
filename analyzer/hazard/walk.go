package hazard

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/below"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
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
	if f.at.Look == nil || w == nil || args.Has(w.NamesOnly) || !w.Called(name) && !surely(args, w.With) {
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
	return len(args.Anything) > 0 || surely(args, with)
}

// surely reports whether one of them is present. A word that is produced at run time, and may be
// one, is something else that the rules object to.
func surely(args argv.Reading, with []string) bool {
	return slices.ContainsFunc(args.Options, func(g argv.Given) bool {
		return slices.Contains(with, g.Name) || slices.Contains(with, g.Name+"="+g.Value) || strings.Contains(g.Value, argv.Unknown)
	})
}

// through looks for denied files in a directory. Files that are named are looked at as paths.
func (f *finder) through(text string, index int, out below.Out, follows bool) {
	full := f.places.full(text, f.at)
	kind := host.KindUnknown
	if full != "" && !strings.Contains(text, argv.Unknown) {
		kind = f.at.Host.Kind(full)
	}
	var found below.Found
	switch kind {
	case host.KindFile, host.KindMissing:
		return
	case host.KindDirectory:
		found = f.at.Look.Through(full, out, follows)
	default:
		found.Unseen = true
	}
	for option, files := range map[string][]string{OptionBelow: found.Files, optionInside: found.Directories} {
		for _, file := range files {
			f.add("reads", option, text, index)
			f.found[len(f.found)-1].Real = file
		}
	}
	if found.Bound {
		f.add("reads", OptionBound, text, index)
	}
	if found.Unseen {
		f.add("reads", OptionUnseen, text, index)
	}
}

// leftOut is what a program leaves out, as far as it is certain. Of the patterns of files to
// read and to leave out, the first kind decides about the files that neither names.
func leftOut(w *programs.Walks, args argv.Reading) below.Out {
	out := below.Out{Hidden: len(w.HiddenWith) > 0 && !given(args, w.HiddenWith), Ignored: len(w.IgnoredWith) > 0 && !given(args, w.IgnoredWith)}
	out.Only, out.Rest = slices.Clone(w.Only), len(w.Only) > 0
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
		out.Shown = append(out.Shown, hiddenOf(w, g)...)
		if globs && !negated {
			for _, pattern := range patterns {
				out.Kept = append(out.Kept, below.NamesOf(pattern))
			}
		}
		switch {
		case slices.Contains(w.Include, g.Name), globs && !negated:
			out.Rest = out.Rest || !some
			out.Only = append(out.Only, patterns...)
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
func hiddenOf(w *programs.Walks, g argv.Given) (list []below.Names) {
	var patterns []string
	switch _, names, added := strings.Cut(g.Value, ":"); {
	case slices.Contains(w.Types, g.Name):
		patterns = w.Hidden(g.Value)
	case !slices.Contains(w.TypesAdded, g.Name):
	case added && !strings.Contains(names, ":"):
		patterns = alternatives(names)
	default: // another type, or something else
		patterns = []string{unclear}
	}
	for _, pattern := range patterns {
		list = append(list, below.NamesOf(pattern))
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
