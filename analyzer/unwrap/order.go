package unwrap

import (
	"cmp"
	"slices"

	"gavel"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// Paths are looked up before anything runs. A command that creates, moves or removes links and
// directories may change where a path leads for commands that run after it or at the same time. A
// table lists the commands that do not. This file records which of the others may run before a segment.

// flow says how the commands of a script run.
type flow struct {
	parallel bool // at the same time
	again    bool // more than once, or elsewhere than where they are written
}

// order is the order in which segments run and files are opened.
type order struct {
	flow
	ranges []segmentRange
	opens  []openedFile
}

// segmentRange is a range of segments, by index, and how they run.
type segmentRange struct {
	shell.Span
	flow
	beside []shell.Span // later segments that may run before, or at the same time
}

// openedFile is the file of a redirection. Every segment before upto may run before it is opened,
// except those of its own command.
type openedFile struct {
	file, upto int
	own        shell.Span
	beside     []shell.Span
	flow
}

// inside adds the flow of a script to the flow of its surroundings, which it returns. elsewhere
// is true for a text that runs later.
func (o *order) inside(s shell.Script, elsewhere bool) flow {
	outside := o.flow
	o.parallel = o.parallel || s.Parallel
	o.again = o.again || s.MayRepeat || elsewhere
	return outside
}

// ran records the segments of the commands of a script. ranges has those of each command. Those of
// scripts inside are already recorded, with a flow that is at least as strict.
func (o *order) ran(commands []shell.SimpleCommand, ranges []shell.Span) {
	for i, own := range ranges {
		o.ranges = append(o.ranges, segmentRange{own, o.flow, segmentsOf(commands[i].Beside, ranges)})
	}
}

// segmentsOf returns the segments of ranges of commands.
func segmentsOf(commands, ranges []shell.Span) (list []shell.Span) {
	for _, item := range commands {
		if item.Start < len(ranges) && item.Start < item.End {
			list = append(list, shell.Span{Start: ranges[item.Start].Start, End: ranges[min(item.End, len(ranges))-1].End})
		}
	}
	return list
}

// opened records the file of a redirection. ranges has the segments of each command.
func (o *order) opened(file int, f *shell.Redirection, ranges []shell.Span) {
	item := openedFile{file: file, flow: o.flow, beside: segmentsOf(f.Beside, ranges)}
	if f.Owner >= 0 && f.Owner < len(ranges) {
		item.own = ranges[f.Owner]
	}
	if f.Upto > 0 && f.Upto <= len(ranges) {
		item.upto = ranges[f.Upto-1].End
	}
	o.opens = append(o.opens, item)
}

// recordEarlierChanges records for every segment and every file what may have run before it.
func (u *unwrapper) recordEarlierChanges() {
	changing := []changer{}
	for i := range u.list {
		if !u.PathEffects.leavesAlone(&u.list[i]) {
			changing = append(changing, changer{i, u.codeOfWorkspace(&u.list[i])})
		}
	}
	before := make([][]changer, len(u.list))
	for _, r := range u.order.ranges {
		for k := r.Start; k < r.End && k < len(u.list); k++ {
			before[k] = append(before[k], r.after(changing, k)...)
		}
	}
	for k := range u.list {
		u.list[k].After, u.list[k].AfterCode = changeFacts(before[k])
	}
	for _, o := range u.order.opens {
		u.files[o.file].After, u.files[o.file].AfterCode = changeFacts(after(changing, o.flow, o.upto, o.own, o.beside))
	}
}

// changer is a segment that may change where paths lead, and the code of the workspace that it runs;
// nil if it does anything else.
type changer struct {
	at   int
	code []string
}

// changeFacts returns the facts about the changers that may run before something.
func changeFacts(before []changer) (after bool, code []string) {
	code = []string{}
	for _, one := range before {
		if len(one.code) == 0 {
			return true, []string{}
		}
		code = append(code, one.code...)
	}
	return len(before) > 0, spelling.Tidy(code)
}

// codeOfWorkspace returns the files and directories of the workspace whose code a segment runs, by
// their real paths: the program itself, or the script that it is given, or for a tool of the project
// the directory; and each file that says what is to run, such as a makefile, wherever it is. It is
// nil if the segment may do anything besides.
func (u *unwrapper) codeOfWorkspace(s *gavel.Segment) []string {
	at := u.Surroundings("")
	code := ""
	switch {
	case s.Opaque != "" || s.Builtin != "":
		return nil
	case at.InRealWorkspace(s.Executable.Real) && s.Executable.Link == "":
		code = s.Executable.Real
	case len(s.Scripts) > 0 && s.Scripts[0].Role == roleScript && s.Scripts[0].Found:
		code = s.Scripts[0].Real
	case u.PathEffects.runsProject(s):
		code = s.Cwd
		if real, ok := u.Host.Resolve(code); ok {
			code = real
		}
	}
	if !at.InRealWorkspace(code) {
		return nil
	}
	all := []string{code}
	for _, script := range s.Scripts {
		if script.Role != roleInterpreter && script.Role != roleFile {
			all = append(all, cmp.Or(script.Real, script.Path))
		}
	}
	return all
}

// after returns those of some segments that may run before a segment of the range, or at the same
// time.
func (r segmentRange) after(changing []changer, segment int) []changer {
	return after(changing, r.flow, segment, shell.Span{Start: segment, End: segment + 1}, r.beside)
}

// after returns those of some segments that may run before, or at the same time as, what is at a
// position. Segments of the same command do not count.
func after(changing []changer, f flow, position int, own shell.Span, beside []shell.Span) (found []changer) {
	in := func(i int, s shell.Span) bool { return s.Start <= i && i < s.End }
	for _, item := range changing {
		if f.again || !in(item.at, own) && (f.parallel || item.at < position || slices.ContainsFunc(beside, func(s shell.Span) bool { return in(item.at, s) })) {
			found = append(found, item)
		}
	}
	return found
}
