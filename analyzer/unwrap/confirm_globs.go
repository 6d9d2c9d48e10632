package unwrap

import (
	"slices"

	"gavel"
	"gavel/analyzer/programs"
)

// What is known about the files of globs and supplied names is true as long as no command of the same
// text changes files before. That is a fixed point: assume at first that it is true for all segments;
// find the segments that change files under this assumption; drop it for segments that may run after
// one of them; and repeat until nothing is dropped. What remains is true, because the first command to
// change a file would have got its words from unchanged files.

// confirmProvisionals applies what is known about globs and supplied names to the segments before which
// nothing changes the files.
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
func (u *unwrapper) changesTracked(t *programs.ListsTrackedFiles) bool {
	return slices.ContainsFunc(u.list, func(s gavel.Segment) bool { return slices.Contains(t.ChangedBy, s.SubCommand) })
}

// segmentsAfterChanges returns the indexes of segments before which others may change files, if everything that
// is still assumed is true.
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
		if !u.PathEffects.reads(&item) && !(e.asks && len(item.Hazards) == 0) {
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

// apply changes a segment to what it is if the files are known.
func (e provisional) apply(s *gavel.Segment) {
	s.Hazards = e.without(s.Hazards)
	if l := e.line; l != nil {
		s.Commands, s.CommandsKnown, s.Options, s.OptionsKnown, s.Operands = l.Commands, l.CommandsKnown, l.Options, l.OptionsKnown, l.Operands
	}
	if e.asks {
		s.Opaque, s.Hazards = "", slices.DeleteFunc(withoutRuns(s.Hazards), func(h gavel.Hazard) bool { return h.Kind == "inline" && h.Index == fileAsked })
	}
}

// without returns the hazards without those that none of the files causes.
func (e provisional) without(list []gavel.Hazard) []gavel.Hazard {
	return slices.DeleteFunc(slices.Clone(list), func(h gavel.Hazard) bool {
		return slices.ContainsFunc(e.drop, func(other gavel.Hazard) bool { return sameHazard(h, other) && h.Argument == other.Argument })
	})
}
