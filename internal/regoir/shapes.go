package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// How an array, set or object comes about. What is being built must not be seen before it is
// finished, and a finished value never changes.
type mode int

const (
	literal   mode = iota // made at once, where its last member is known
	collected             // its members are collected, and it is made after the last one
	nestedIn              // a part of the value of a rule such as a.b[x][y]
)

// kind of a composite.
type kind int

const (
	array kind = iota
	object
	set
)

// making is a composite, from the statement that makes it to the last one that adds to it.
// Statements that add to something else copy it.
type making struct {
	local ir.Local
	kind  kind
	mode  mode
	last  ir.Stmt   // that adds a member; nil if none does
	ks    []operand // members so far, of a literal
	vs    []operand
}

// shapes says for the statements of a function what they build.
type shapes struct {
	made map[ir.Stmt]*making
	part map[ir.Stmt]*making   // statements that add a member
	ends map[ir.Stmt][]*making // what is finished after a statement
	tree map[ir.Stmt]bool      // lookups in a value that is being built
}

func newShapes() *shapes {
	return &shapes{made: map[ir.Stmt]*making{}, part: map[ir.Stmt]*making{}, ends: map[ir.Stmt][]*making{}, tree: map[ir.Stmt]bool{}}
}

func shapesOf(f *ir.Func) *shapes {
	s := newShapes()
	whole := s.result(f)
	for _, b := range f.Blocks {
		exposed := map[ir.Local]bool{f.Return: true}
		exposedReads(b, map[ir.Local]int{}, exposed)
		s.block(b, exposed)
	}
	if whole {
		s.family(f)
	}
	return s
}

func makes(s ir.Stmt) (ir.Local, kind, bool) {
	switch s := s.(type) {
	case *ir.MakeArrayStmt:
		return s.Target, array, true
	case *ir.MakeObjectStmt:
		return s.Target, object, true
	case *ir.MakeSetStmt:
		return s.Target, set, true
	}
	return 0, 0, false
}

// exposedReads finds the locals that are read where no statement before, in the same block or
// one around it, has written them.
func exposedReads(b *ir.Block, known map[ir.Local]int, exposed map[ir.Local]bool) {
	var here []ir.Local
	for _, s := range b.Stmts {
		uses(s, func(l ir.Local, how use) {
			if how != writes && known[l] == 0 {
				exposed[l] = true
			}
		})
		var own []ir.Local
		uses(s, func(l ir.Local, how use) {
			if how == writes {
				own = append(own, l)
				known[l]++
			}
		})
		for _, n := range nested(s) {
			exposedReads(n, known, exposed)
		}
		here = append(here, own...)
	}
	for _, l := range here {
		known[l]--
	}
}

// event is how a statement of a block uses a local, with all that is inside the statement.
type event struct {
	at                   int
	read, write, changed bool
	inside               bool // a change by a statement inside
}

func eventsOf(b *ir.Block) map[ir.Local][]event {
	events := map[ir.Local][]event{}
	note := func(l ir.Local, how use, at int, inside bool) {
		list := events[l]
		if n := len(list); n == 0 || list[n-1].at != at {
			list = append(list, event{at: at})
		}
		e := &list[len(list)-1]
		e.read, e.write, e.changed = e.read || how == reads, e.write || how == writes, e.changed || how == changes
		e.inside = e.inside || inside && how == changes
		events[l] = list
	}
	for i, s := range b.Stmts {
		uses(s, func(l ir.Local, how use) { note(l, how, i, false) })
		for _, n := range nested(s) {
			each(n.Stmts, func(x ir.Stmt) { uses(x, func(l ir.Local, how use) { note(l, how, i, true) }) })
		}
	}
	return events
}

// block finds what the statements of a block make.
func (s *shapes) block(b *ir.Block, exposed map[ir.Local]bool) {
	var events map[ir.Local][]event
	for i, stmt := range b.Stmts {
		for _, n := range nested(stmt) {
			s.block(n, exposed)
		}
		l, k, ok := makes(stmt)
		if !ok || exposed[l] {
			continue
		}
		if events == nil {
			events = eventsOf(b)
		}
		if m := s.making(b, i, l, k, events[l]); m != nil {
			s.made[stmt] = m
		}
	}
}

// making describes what statement i makes, or returns nil if it is not known to be unseen
// while it grows.
func (s *shapes) making(b *ir.Block, i int, l ir.Local, k kind, events []event) *making {
	m := &making{local: l, kind: k}
	last, mixed := i, false
	for _, e := range events {
		if e.at <= i {
			continue
		}
		if e.write && !e.changed {
			break
		}
		if e.changed {
			if mixed || e.read || e.write {
				return nil
			}
			last, m.last = e.at, b.Stmts[e.at]
			if e.inside {
				m.mode = collected
			}
			continue
		}
		mixed = true // it is read: nothing may be added any more
	}
	if m.mode == literal && !steady(b.Stmts[i+1:last+1], l) {
		m.mode = collected
	}
	each(b.Stmts[i+1:last+1], func(x ir.Stmt) {
		uses(x, func(other ir.Local, how use) {
			if other == l && how == changes {
				s.part[x] = m
			}
		})
	})
	if m.mode == collected {
		s.ends[m.last] = append(s.ends[m.last], m)
	}
	return m
}

// steady reports whether the members that statements add to a local still have their values
// after the last of the statements.
func steady(stmts []ir.Stmt, l ir.Local) bool {
	members := map[ir.Local]bool{}
	for _, s := range stmts {
		adds := false
		uses(s, func(other ir.Local, how use) { adds = adds || other == l && how == changes })
		again := false
		written([]ir.Stmt{s}, func(other ir.Local) { again = again || other != l && members[other] })
		if again {
			return false
		}
		if _, once := s.(*ir.ObjectInsertOnceStmt); adds && once {
			return false // conflicts are found where members are collected
		}
		if adds {
			uses(s, func(other ir.Local, how use) {
				if how == reads {
					members[other] = true
				}
			})
		}
	}
	return true
}

// result finds how the value of a partial rule is built: it is made once, and only read by the
// statement that returns it. It reports whether parts of it are looked up while it grows.
func (s *shapes) result(f *ir.Func) bool {
	m := &making{local: f.Return, mode: collected}
	var made ir.Stmt
	whole, lookedUp := true, false
	var parts []ir.Stmt
	eachOf(f.Blocks, func(x ir.Stmt) {
		uses(x, func(l ir.Local, how use) {
			if l != f.Return {
				return
			}
			_, k, isMake := makes(x)
			dot, isDot := x.(*ir.DotStmt)
			_, isReturn := x.(*ir.ReturnLocalStmt)
			switch {
			case how == changes:
				parts = append(parts, x)
			case isMake && made == nil:
				made, m.kind = x, k
			case isDot && how == reads && dot.Source.Value == ir.Val(f.Return):
				lookedUp = true
			case !isReturn:
				whole = false
			}
		})
	})
	if made == nil || !whole {
		return false
	}
	if lookedUp {
		m.mode = nestedIn
	}
	s.made[made] = m
	for _, x := range parts {
		s.part[x] = m
	}
	return lookedUp
}
