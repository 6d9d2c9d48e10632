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

// confirmProvisionals uses what is known of the files of patterns, for the segments before which nothing
// changes them.
func (u *unwrapper) confirmProvisionals() {
	if len(u.provisionals) == 0 || slices.ContainsFunc(u.files, func(f gavel.Redirect) bool { return f.Writes && u.Hazards.Stores(f.Target) }) {
		return
	}
	u.provisionals = slices.DeleteFunc(u.provisionals, func(e provisional) bool { return e.tracked != nil && u.changesTracked(e.tracked) })
	for {
		flows := u.segmentsAfterChanges()
		left := slices.DeleteFunc(slices.Clone(u.provisionals), func(e provisional) bool { return flows[e.segment] })
		if len(left) == len(u.provisionals) {
			break
		}
		u.provisionals = left
	}
	for _, e := range u.provisionals {
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

// changesTracked reports whether a command changes which files are tracked, and no file.
func (u *unwrapper) changesTracked(t *programs.PrintsTracked) bool {
	return slices.ContainsFunc(u.list, func(s gavel.Segment) bool { return slices.Contains(t.ChangedBy, s.SubCommand) })
}

// segmentsAfterChanges returns the segments before which others may change files, if every expansion that is
// left holds.
func (u *unwrapper) segmentsAfterChanges() map[int]bool {
	held := map[int]provisional{}
	for _, e := range u.provisionals {
		held[e.segment] = e
	}
	var changing []changer
	for i := range u.list {
		item := u.list[i]
		e, ok := held[i]
		if ok {
			e.apply(&item)
		}
		if !u.Steady.reads(&item) && !(e.asks && len(item.Hazards) == 0) {
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
func (e provisional) apply(s *gavel.Segment) {
	s.Hazards = e.without(s.Hazards)
	if l := e.line; l != nil {
		s.Commands, s.CommandsKnown, s.Options, s.OptionsKnown, s.Operands = l.Commands, l.CommandsKnown, l.Options, l.OptionsKnown, l.Operands
	}
	if e.asks {
		s.Opaque, s.Hazards = "", slices.DeleteFunc(withoutRuns(s.Hazards), func(h gavel.Hazard) bool { return h.Kind == "inline" && h.Index == fileAsked })
	}
}

// without returns hazards without those that the files of the patterns do not have.
func (e provisional) without(list []gavel.Hazard) []gavel.Hazard {
	return slices.DeleteFunc(slices.Clone(list), func(h gavel.Hazard) bool {
		return slices.ContainsFunc(e.drop, func(other gavel.Hazard) bool { return sameHazard(h, other) && h.Argument == other.Argument })
	})
}
