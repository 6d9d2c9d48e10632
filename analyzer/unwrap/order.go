package unwrap

import (
	"slices"

	"gavel/analyzer/shell"
)

// Where a path leads is looked up before anything runs. A command that makes, moves or
// removes links and directories may change that for those that run after it, or beside
// it. Which commands do not is in a table; the order of the others is followed here.

// flow says how the commands of a script run.
type flow struct {
	parallel bool // beside one another
	again    bool // more than once, or elsewhere than they stand
}

// order is the order in which segments run and files are opened.
type order struct {
	flow
	ranges []ran
	opens  []opened
}

// ran are segments, by their positions, and how they run.
type ran struct {
	shell.Span
	flow
}

// opened is a file of a redirection: every segment before upto may run before it is
// opened, but for its own command.
type opened struct {
	file, upto int
	own        shell.Span
	flow
}

// inside takes the flow of a script into account, within that of what is around it, and
// returns the latter. elsewhere is true of a text that runs later.
func (o *order) inside(s shell.Script, elsewhere bool) flow {
	outside := o.flow
	o.parallel = o.parallel || s.Parallel
	o.again = o.again || s.Again || elsewhere
	return outside
}

// ran notes the segments of one command. Those of a script inside it are noted
// already, within a flow that is no calmer.
func (o *order) ran(from, to int) {
	o.ranges = append(o.ranges, ran{shell.Span{Start: from, End: to}, o.flow})
}

// opened notes the file of a redirection; ranges are the segments of each command.
func (o *order) opened(file int, f *shell.Redirection, ranges []shell.Span) {
	one := opened{file: file, flow: o.flow}
	if f.Owner >= 0 && f.Owner < len(ranges) {
		one.own = ranges[f.Owner]
	}
	if f.Upto > 0 && f.Upto <= len(ranges) {
		one.upto = ranges[f.Upto-1].End
	}
	o.opens = append(o.opens, one)
}

// settled says of every segment and every file what may have run before.
func (u *unfolder) settled() {
	changing := []int{}
	for i := range u.list {
		if !u.Steady.leavesAlone(&u.list[i]) {
			changing = append(changing, i)
		}
	}
	for _, r := range u.order.ranges {
		for k := r.Start; k < r.End && k < len(u.list); k++ {
			u.list[k].After = u.list[k].After || after(changing, r.flow, k, shell.Span{Start: k, End: k + 1})
		}
	}
	for _, o := range u.order.opens {
		u.files[o.file].After = after(changing, o.flow, o.upto, o.own)
	}
}

// after reports whether one of some segments may run before what stands at a position,
// or beside it. Its own run with it.
func after(changing []int, f flow, position int, own shell.Span) bool {
	return slices.ContainsFunc(changing, func(i int) bool {
		itself := own.Start <= i && i < own.End
		return f.again || !itself && (f.parallel || i < position)
	})
}
