package unwrap

import (
	"slices"

	"gavel"
	"gavel/analyzer/programs"
)

// What is known of the files of patterns holds as long as no command of the same text changes
// them. A command changes nothing if neither its own words nor what its patterns stand for make it
// write. The latter is assumed of all commands at first, and given up for those that may run after
// one that changes something, until nothing is left to give up. What remains is true: the first
// command to change anything would have got its words from unchanged files, so it is known.

// settle uses what is known of the files of patterns, for the segments before which nothing
// changes them.
func (u *unfolder) settle() {
	if len(u.expansions) == 0 || slices.ContainsFunc(u.files, func(f gavel.Redirect) bool { return f.Writes && u.Hazards.Stores(f.Target) }) {
		return
	}
	u.expansions = slices.DeleteFunc(u.expansions, func(e expansion) bool { return e.tracked != nil && u.retracked(e.tracked) })
	for {
		flows := u.changed()
		left := slices.DeleteFunc(slices.Clone(u.expansions), func(e expansion) bool { return flows[e.segment] })
		if len(left) == len(u.expansions) {
			break
		}
		u.expansions = left
	}
	for _, e := range u.expansions {
		s := &u.list[e.segment]
		e.apply(s)
		for _, i := range e.words {
			if !slices.Contains(s.Patterns, i) {
				s.Patterns = append(s.Patterns, i)
			}
		}
		slices.Sort(s.Patterns)
	}
}

// retracked reports whether a command changes which files are tracked, and no file.
func (u *unfolder) retracked(t *programs.PrintsTracked) bool {
	return slices.ContainsFunc(u.list, func(s gavel.Segment) bool { return slices.Contains(t.ChangedBy, s.SubCommand) })
}

// changed returns the segments before which others may change files, if every expansion that is
// left holds.
func (u *unfolder) changed() map[int]bool {
	held := map[int]expansion{}
	for _, e := range u.expansions {
		held[e.segment] = e
	}
	var changing []changer
	for i := range u.list {
		one := u.list[i]
		e, ok := held[i]
		if ok {
			e.apply(&one)
		}
		if !u.Steady.reads(&one) && !(e.asks && len(one.Hazards) == 0) {
			changing = append(changing, changer{at: i})
		}
	}
	flows := map[int]bool{}
	for _, r := range u.order.ranges {
		for k := r.Start; k < r.End; k++ {
			flows[k] = flows[k] || len(r.after(changing, k)) > 0
		}
	}
	return flows
}

// apply makes a segment what it is if the files are known.
func (e expansion) apply(s *gavel.Segment) {
	s.Hazards = e.without(s.Hazards)
	if l := e.line; l != nil {
		s.Commands, s.CommandsKnown, s.Options, s.OptionsKnown, s.Operands = l.Commands, l.CommandsKnown, l.Options, l.OptionsKnown, l.Operands
	}
	if e.asks {
		s.Opaque, s.Hazards = "", slices.DeleteFunc(answering(s.Hazards), func(h gavel.Hazard) bool { return h.Kind == "inline" && h.Index == fileAsked })
	}
}

// without returns hazards without those that the files of the patterns do not have.
func (e expansion) without(list []gavel.Hazard) []gavel.Hazard {
	return slices.DeleteFunc(slices.Clone(list), func(h gavel.Hazard) bool {
		return slices.ContainsFunc(e.drop, func(other gavel.Hazard) bool { return sameHazard(h, other) && h.Argument == other.Argument })
	})
}
