package analyzer

import (
	"slices"
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
	span
	flow
}

// opened is a file of a redirection: every segment before upto may run before it is
// opened, but for its own command.
type opened struct {
	file, upto int
	own        span
	flow
}

// inside takes the flow of a script into account, within that of what is around it, and
// returns the latter. elsewhere is true of a text that runs later.
func (o *order) inside(s script, elsewhere bool) flow {
	outside := o.flow
	o.parallel = o.parallel || s.parallel
	o.again = o.again || s.again || elsewhere
	return outside
}

// ran notes the segments of one command. Those of a script inside of it are noted
// already, within a flow that is no calmer.
func (o *order) ran(from, to int) { o.ranges = append(o.ranges, ran{span{from, to}, o.flow}) }

// opened notes the file of a redirection; ranges are the segments of each command.
func (o *order) opened(file int, f *file, ranges []span) {
	one := opened{file: file, flow: o.flow}
	if f.owner >= 0 && f.owner < len(ranges) {
		one.own = ranges[f.owner]
	}
	if f.upto > 0 && f.upto <= len(ranges) {
		one.upto = ranges[f.upto-1].end
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
		for k := r.start; k < r.end && k < len(u.list); k++ {
			u.list[k].After = u.list[k].After || after(changing, r.flow, k, span{k, k + 1})
		}
	}
	for _, o := range u.order.opens {
		u.files[o.file].After = after(changing, o.flow, o.upto, o.own)
	}
}

// after reports whether one of some segments may run before what stands at a position,
// or beside it. Its own run with it.
func after(changing []int, f flow, position int, own span) bool {
	return slices.ContainsFunc(changing, func(i int) bool {
		itself := own.start <= i && i < own.end
		return f.again || !itself && (f.parallel || i < position)
	})
}
