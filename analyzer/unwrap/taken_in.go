package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
)

// Commands such as git add take files into a repository that git does not ignore. An earlier command may
// change what is ignored, or bring other files. Then any denied file of the working tree may be taken in. But
// a line that is appended to .gitignore and ignores more changes nothing.

// maxIgnored limits how many bytes are read of a file to which lines are appended.
const maxIgnored = 64 << 10

// markTakenIn adds a hazard to a segment that takes files into a repository, if what that takes in may have
// changed. It reports whether the segment is one.
func (u *unwrapper) markTakenIn(from reader, s *gavel.Segment, line hazard.Line, looking []*programs.Grammar) bool {
	takes, whole := false, false
	for _, g := range looking {
		takes, whole = takes || g.Walks.Untracked != nil, whole || g.Walks.Untracked != nil && g.Walks.Untracked.Whole
	}
	if !takes {
		return false
	}
	if !whole && len(line.Operands) > 0 && line.OptionsKnown == exact && !slices.ContainsFunc(line.Operands, func(o gavel.GivenOperand) bool {
		return o.Dynamic || u.Host.Kind(o.Path) != host.KindFile
	}) {
		return true // it names files
	}
	dir := from.dir
	if slices.ContainsFunc(line.Options, func(o gavel.GivenOption) bool { return o.Name == "-C" }) {
		dir = ""
	}
	files := gavel.GivenOperand{Text: "."}
	if len(line.Operands) > 0 {
		files = line.Operands[0]
	}
	for _, name := range s.Executable.Programs {
		if may, known := u.Hazards.TakesIn(name, line.Commands, dir, u.Surroundings(dir)); known && may {
			s.Hazards = addHazard(s.Hazards, gavel.Hazard{Kind: "reads", Option: optionChanged, Argument: files.Text, Index: files.Index})
		}
	}
	return true
}

// ignoresMore reports whether a redirection only appends lines to a file that say what git ignores more. own
// are the segments of its command, and files all redirections of the script.
func (u *unwrapper) ignoresMore(f *shell.Redirection, own shell.Span, files []shell.Redirection) bool {
	if f.Operator != ">>" || !u.PathEffects.ignoring[path.Base(f.Path)] || f.Descriptor != "" && f.Descriptor != "1" || own.End != own.Start+1 || len(u.list[own.Start].Wrappers) > 0 {
		return false
	}
	text, ok := u.Host.Text(f.Path, maxIgnored)
	if !ok && u.Host.Kind(f.Path) != host.KindMissing || len(text) == maxIgnored || text != "" && !strings.HasSuffix(text, "\n") {
		return false // the first line may become part of the last one
	}
	s := &u.list[own.Start]
	if len(s.Dynamic) > 0 {
		return false
	}
	switch path.Base(s.Argv[0]) {
	case "echo", "printf":
		return !slices.ContainsFunc(s.Argv, func(word string) bool { return strings.ContainsAny(strings.ReplaceAll(word, `\n`, ""), `!\`) })
	case "cat":
		return len(s.Argv) == 1 && slices.ContainsFunc(files, func(here shell.Redirection) bool {
			return here.Owner == f.Owner && here.Here != nil && !here.Dynamic && !strings.Contains(here.Here.Body(), "!")
		})
	}
	return false
}

// changesIgnored reports whether a segment may change a file that says what git ignores: a word ends in its
// name, or may name it at run time.
func (u *unwrapper) changesIgnored(s *gavel.Segment) (certain, perhaps bool) {
	for i, word := range s.Argv[1:] {
		for name := range u.PathEffects.ignoring {
			certain = certain || strings.HasSuffix(strings.ToLower(word), name)
		}
		if slices.Contains(s.Dynamic, i+1) {
			perhaps = perhaps || !slices.Contains(s.Patterns, i+1) || mayBeHidden(path.Base(word))
		}
	}
	return certain, perhaps
}

// mayBeHidden reports whether a pattern may match a name that begins with a dot.
func mayBeHidden(pattern string) bool {
	return pattern == "" || strings.ContainsAny(pattern[:1], ".[{$`+@!?(\\")
}
