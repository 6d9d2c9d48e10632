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

// Names are resolved, and searches are simulated, before anything runs. Some commands create or move
// links, create directories, or change files such as .gitignore. If a command that reads such a path may
// run later or at the same time, it is unknown what it reads.

// The names of hazards of reading what an earlier command may have changed, of kind reads.
const (
	optionLinked  = "linked"  // it may be a link by then
	optionChanged = "changed" // it may hold other files by then, or files may no longer be left out
)

// reader is a segment, with what is needed to determine which files it reads.
type reader struct {
	segment int
	line    func() hazard.Line
	dir     string
	piped   bool // its input comes from a pipe
}

// pathChange is a path whose meaning a command may change.
type pathChange struct {
	segment int    // index of the segment that changes it; -1 for a redirection
	file    int    // index of the redirection; -1 for a segment
	root    string // everything at and below this path; "" is any path
	ignores bool   // only what searches leave out there changes
	perhaps bool   // it is about files that git ignores, and may be about none
	// settings is true if it changes a file with settings of programs, and nothing else.
	settings bool
	moves    bool // it only moves directories that have no denied file
}

// recordReader records how the words of a segment are read, for markChangedReads.
func (u *unwrapper) recordReader(c call, s *gavel.Segment, readings [][]string) {
	executable, dir, at := s.Executable, c.dir, len(u.list)-1
	for len(u.readers) > 0 && u.readers[len(u.readers)-1].segment >= at { // of words that were read in another way
		u.readers = u.readers[:len(u.readers)-1]
	}
	u.readers = append(u.readers, reader{segment: at, dir: dir, piped: c.fromPipe, line: func() hazard.Line { return u.Hazards.Line(readings, executable, dir) }})
}

// markChangedReads adds hazards to segments that read paths which other segments may change before.
func (u *unwrapper) markChangedReads() {
	if len(u.files) == 0 && len(u.readers) < 2 {
		return
	}
	places := u.changesByRedirections()
	for _, item := range u.readers {
		places = append(places, u.changesBySegment(item)...)
	}
	for _, item := range u.readers {
		s := &u.list[item.segment]
		u.markReader(item, s, slices.DeleteFunc(slices.Clone(places), func(d pathChange) bool {
			return d.segment == item.segment && d.file < 0 || !u.mayPrecede(d, item.segment)
		}))
	}
}

// markReader adds these hazards to one segment.
func (u *unwrapper) markReader(from reader, s *gavel.Segment, places []pathChange) {
	line := from.line()
	u.markSettings(from, s, line, places)
	if places = slices.DeleteFunc(places, func(d pathChange) bool { return d.settings }); len(places) == 0 {
		return
	}
	looking := u.PathEffects.looking(s, line)
	if u.markTakenIn(from, s, line, looking, places) {
		return
	}
	if places = slices.DeleteFunc(places, func(d pathChange) bool { return d.perhaps }); len(places) == 0 {
		return
	}
	if !u.PathEffects.readsFiles(s) && len(looking) == 0 {
		return
	}
	searches, list := leavesOut(looking, line), u.pathsRead(from, s, line)
	if from.dir != "" && here(looking, line, from.piped) {
		list = append(list, gavel.GivenOperand{Text: ".", Path: path.Clean(from.dir)})
	}
	for _, o := range list {
		full := o.Path
		at := slices.IndexFunc(places, func(d pathChange) bool {
			return (!d.ignores || searches) && (d.root == "" || full == "" || host.Within(full, d.root) || host.Within(d.root, full))
		})
		if at < 0 {
			continue
		}
		option := optionLinked
		if places[at].ignores || u.Host.Kind(full) == host.KindDirectory {
			option = optionChanged
		}
		s.Hazards = addHazard(s.Hazards, gavel.Hazard{Kind: "reads", Option: option, Argument: o.Text, Index: o.Index, Real: full})
	}
}

// pathsRead returns the paths that a segment reads: its operands, and the directories in which its globs are
// expanded.
func (u *unwrapper) pathsRead(from reader, s *gavel.Segment, line hazard.Line) (list []gavel.GivenOperand) {
	for _, o := range line.Operands[u.PathEffects.texts(s, line):] {
		switch {
		case o.Dynamic && slices.Contains(s.Patterns, o.Index) && o.Index < len(s.Argv):
			dir, _ := path.Split(s.Argv[o.Index][:strings.IndexAny(s.Argv[o.Index]+"*", "*?[$`")])
			list = append(list, gavel.GivenOperand{Text: s.Argv[o.Index], Path: path.Clean(host.In(from.dir, dir)), Index: o.Index})
		case !o.Dynamic && o.Path != "":
			list = append(list, o)
		}
	}
	for _, o := range line.Options { // such as --from-file
		if o.HasValue && !o.Dynamic && strings.Contains(o.Name, "file") {
			list = append(list, gavel.GivenOperand{Text: o.Value, Path: path.Clean(host.In(from.dir, o.Value)), Index: o.Index})
		}
	}
	return list
}

// mayPrecede reports whether a change may happen before a segment runs, or at the same time.
func (u *unwrapper) mayPrecede(d pathChange, segment int) bool {
	if d.file >= 0 {
		o := u.order.opens[slices.IndexFunc(u.order.opens, func(o openedFile) bool { return o.file == d.file })]
		return o.again || o.parallel || o.own.Start <= segment || slices.ContainsFunc(o.beside, func(s shell.Span) bool { return s.Start <= segment && segment < s.End })
	}
	return slices.ContainsFunc(u.order.ranges, func(r segmentRange) bool {
		return r.Start <= segment && segment < r.End && len(r.after([]changer{{at: d.segment}}, segment)) > 0
	})
}

// changesByRedirections returns the directories in which redirections change what searches leave out.
func (u *unwrapper) changesByRedirections() (list []pathChange) {
	for i, f := range u.files {
		if real, ok := u.Host.Resolve(f.Path); f.Writes && u.Hazards.Stores(f.Target) && f.Path != "" && (!ok || u.PathEffects.mayHoldIgnoreFile(real) || u.PathEffects.mayHoldIgnoreFile(f.Path)) {
			list = append(list, pathChange{segment: -1, file: i, ignores: true, perhaps: true})
		}
		if f.Writes && u.Hazards.Stores(f.Target) && (f.Path == "" || u.PathEffects.settings[path.Base(f.Path)]) {
			list = append(list, pathChange{segment: -1, file: i, settings: true})
		}
		if f.Writes && u.Hazards.Stores(f.Target) && (f.Path == "" || u.PathEffects.ignoring[path.Base(f.Path)]) && !slices.Contains(u.ignoring, i) {
			list = append(list, pathChange{segment: -1, file: i, root: ignoreRoot(f.Path), ignores: true})
		}
	}
	return list
}

// ignoreRoot returns the directory to which an ignore file applies.
func ignoreRoot(file string) string {
	if file == "" {
		return ""
	}
	return path.Dir(file)
}

// changesBySegment returns the paths that one segment may change.
func (u *unwrapper) changesBySegment(from reader) (list []pathChange) {
	s := &u.list[from.segment]
	add := func(root string, ignores bool) {
		list = append(list, pathChange{segment: from.segment, file: -1, root: root, ignores: ignores})
	}
	for _, unpacked := range u.unpacks {
		if unpacked.segment == from.segment {
			for _, root := range unpacked.links {
				add(root, false)
			}
			for _, root := range unpacked.ignoring {
				add(root, true)
			}
			if unpacked.settings {
				list = append(list, pathChange{segment: from.segment, file: -1, settings: true})
			}
		}
	}
	if s.Builtin != "" || u.PathEffects.reads(s) {
		return list
	}
	line := from.line()
	for _, o := range line.Operands {
		switch {
		case o.Dynamic:
			continue
		case u.PathEffects.ignoring[path.Base(o.Text)]:
			root := ignoreRoot(o.Path)
			if len(line.Operands) > 1 {
				root = "" // another operand may say where it comes to be
			}
			add(root, true)
		}
	}
	if u.changesSettings(s) {
		list = append(list, pathChange{segment: from.segment, file: -1, settings: true})
	}
	switch certain, perhaps := u.changesIgnored(s, line, from.dir); {
	case certain && !slices.ContainsFunc(list, func(d pathChange) bool { return d.ignores }):
		add("", true)
	case perhaps:
		list = append(list, pathChange{segment: from.segment, file: -1, ignores: true, perhaps: true})
	}
	for _, b := range u.PathEffects.pathChanges(s) {
		if u.mayChangePaths(b, s, line) {
			root := ""
			if last := len(line.Operands) - 1; b.DestinationLast && last >= 0 && !line.Operands[last].Dynamic && !hasOption(line, b.DestinationOptions) {
				root = line.Operands[last].Path
			}
			list = append(list, pathChange{segment: from.segment, file: -1, root: root, moves: u.movesNothingDenied(b, from.dir, line)})
		}
	}
	return list
}

// mayChangePaths reports whether a command may do what an entry of the catalog describes.
func (u *unwrapper) mayChangePaths(b programs.ChangesPaths, s *gavel.Segment, line hazard.Line) bool {
	if len(b.Subcommands) > 0 && line.CommandsKnown == exact && !slices.Contains(b.Subcommands, strings.Join(line.Commands, " ")) {
		return false
	}
	if len(b.Subcommands) > 0 && line.CommandsKnown != exact && s.SubCommand != "" && !slices.Contains(b.Subcommands, s.SubCommand) {
		return false
	}
	if len(b.WithOneOf) > 0 && line.OptionsKnown == exact && !hasOption(line, b.WithOneOf) {
		return false
	}
	if at := slices.IndexFunc(line.Options, func(o gavel.GivenOption) bool { return slices.Contains(b.UnlessNewBranch, o.Name) }); at >= 0 {
		words := len(line.Operands) // the name of the branch, and where it begins
		if line.Options[at].HasValue {
			words++
		}
		if words < 2 {
			return false
		}
	}
	return !b.OnlyLinksAndDirectories || slices.ContainsFunc(line.Operands, u.mayBeLinkOrDirectory)
}

// mayBeLinkOrDirectory reports whether an operand may be a link or a directory.
func (u *unwrapper) mayBeLinkOrDirectory(o gavel.GivenOperand) bool {
	if o.Dynamic || o.Path == "" {
		return true
	}
	real, known := u.Host.Resolve(o.Path)
	return !known || real != path.Clean(o.Path) || u.Host.Kind(real) == host.KindDirectory
}
