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
	"gavel/analyzer/spelling"
)

// Commands such as git add take files into a repository that git does not ignore. An earlier command may
// change what is ignored, or bring other files. Then any denied file of the working tree may be taken in. But
// a line that is appended to .gitignore and ignores more changes nothing.

// maxIgnored limits how many bytes are read of a file to which lines are appended.
const maxIgnored = 64 << 10

// markTakenIn adds a hazard to a segment that takes files into a repository, if what that takes in may have
// changed. It reports whether the segment is one.
func (u *unwrapper) markTakenIn(from reader, s *gavel.Segment, line hazard.Line, looking []*programs.Grammar, places []pathChange) bool {
	takes, whole := false, false
	for _, g := range looking {
		takes, whole = takes || g.Walks.Untracked != nil, whole || g.Walks.Untracked != nil && g.Walks.Untracked.Whole
	}
	if !takes {
		return false
	}
	if len(places) == 1 && places[0].moves {
		return true
	}
	if !whole && len(line.Operands) > 0 && line.OptionsKnown == exact && !slices.ContainsFunc(line.Operands, func(o gavel.GivenOperand) bool {
		return o.Dynamic || u.Host.Kind(o.Path) != host.KindFile
	}) {
		return true // it names files
	}
	files := gavel.GivenOperand{Text: "."}
	if len(line.Operands) > 0 {
		files = line.Operands[0]
	}
	for _, name := range s.Executable.Programs {
		dir := from.dir
		if r := u.PathEffects.repositories[name]; r == nil || slices.ContainsFunc(line.Options, func(o gavel.GivenOption) bool { return o.Name == r.In }) {
			dir = ""
		}
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
	switch {
	case u.Wrappers.printsWords[s.Builtin], u.Wrappers.printsWords[s.Executable.Name] && u.Wrappers.printsWords[s.Executable.RealName]:
		return !slices.ContainsFunc(s.Argv, func(word string) bool { return strings.ContainsAny(strings.ReplaceAll(word, `\n`, ""), `!\`) })
	case u.Code.emits[s.Executable.Name] && u.Code.emits[s.Executable.RealName]:
		return len(s.Argv) == 1 && slices.ContainsFunc(files, func(here shell.Redirection) bool {
			return here.Owner == f.Owner && here.Here != nil && !here.Dynamic && !strings.Contains(here.Here.Body(), "!")
		})
	}
	return false
}

// changesIgnored reports whether a segment may change a file that says what git ignores: a word ends in its
// name, or may name it at run time. perhaps is true, too, for a repository's own file of ignore rules, which
// searches do not read.
func (u *unwrapper) changesIgnored(s *gavel.Segment, line hazard.Line, dir string) (certain, perhaps bool) {
	for _, file := range append(realPaths(u.Host, line.Operands), dir) {
		perhaps = perhaps || u.PathEffects.mayHoldIgnoreFile(file)
	}
	for i, word := range s.Argv[1:] {
		perhaps = perhaps || u.PathEffects.mayHoldIgnoreFile(word)
		for name := range u.PathEffects.ignoring {
			certain = certain || strings.HasSuffix(strings.ToLower(word), name)
		}
		if slices.Contains(s.Dynamic, i+1) {
			perhaps = perhaps || !slices.Contains(s.Patterns, i+1) || slices.ContainsFunc(strings.Split(strings.TrimPrefix(word, "/"), "/"), mayBeHidden)
		}
	}
	return certain, perhaps
}

// movesNothingDenied reports whether a command certainly only moves files and directories, none of them a
// repository's own, and none has a denied file before or after that. A command before it may create the
// directory into which they are moved.
func (u *unwrapper) movesNothingDenied(b programs.ChangesPaths, dir string, line hazard.Line) bool {
	around, last := u.Surroundings(dir), len(line.Operands)-1
	if around.Scanner == nil || len(b.MovesOnlyWith) == 0 || last < 1 || line.OptionsKnown != exact || !onlyOptions(line.Options, b.MovesOnlyWith) || line.Operands[last].Dynamic {
		return false
	}
	target, ok := u.Host.Resolve(line.Operands[last].Path)
	if !ok || u.PathEffects.mayHoldIgnoreFile(target) {
		return false
	}
	for _, o := range line.Operands[:last] {
		real, ok := u.Host.Resolve(o.Path)
		if o.Dynamic || !ok || real != path.Clean(o.Path) || u.PathEffects.mayHoldIgnoreFile(real) {
			return false
		}
		for _, into := range []string{target, host.Join(target, path.Base(real))} {
			switch u.Host.Kind(real) {
			case host.KindMissing: // a command before it may create anything there
				return false
			case host.KindDirectory:
				if around.Scanner.HasDenied(real, into) {
					return false
				}
			default:
				if around.Scanner.Denies(real) || around.Scanner.Denies(into) {
					return false
				}
			}
		}
	}
	return true
}

// realPaths returns the real paths of operands, as far as they are known.
func realPaths(h *host.Limited, operands []gavel.GivenOperand) (list []string) {
	for _, o := range operands {
		if o.Dynamic || host.PathTooLong(o.Path) { // no file has a path that is too long
			continue
		}
		if real, ok := h.Resolve(o.Path); ok {
			list = append(list, real)
		}
	}
	return list
}

// mayHoldIgnoreFile reports whether a word may name a repository's own file of ignore rules, or a directory
// with it. Other files in the repository's directory, such as index.lock, do not count.
func (s *PathEffects) mayHoldIgnoreFile(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(s.ignoreFiles, func(file string) bool {
		own, rest, _ := strings.Cut(file, "/")
		at := strings.LastIndex(word+"/", own+"/")
		if at < 0 || at > 0 && spelling.NameByte(word[at-1]) {
			return false
		}
		inside := strings.Trim(word[at+len(own):], "/")
		first, _, _ := strings.Cut(inside, "/")
		return inside == "" || strings.HasPrefix(rest, first) || strings.Contains(inside, "..") || strings.ContainsAny(first, "*?[{$`+@!(\\")
	})
}

// mayBeHidden reports whether a pattern may match a name that begins with a dot.
func mayBeHidden(pattern string) bool {
	return pattern == "" || strings.ContainsAny(pattern[:1], ".[{$`+@!?(\\")
}
