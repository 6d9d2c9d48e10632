package bundles

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"sync"

	"gavel"
)

// digest stands for all that the policy is given of some facts: two facts with the
// same digest have the same answer. Every text is written with its length and every
// list with its own, so that no two facts are written alike; a test changes each member
// of the facts, and sees the digest change.
type digest [sha256.Size]byte

// digester makes digests. Safe for concurrent use.
type digester struct{ buffers sync.Pool }

// whole returns the digest of facts. Parameters count where the policy may read
// them; those that cannot be written down have no digest, and no question of more than
// maxQuestion has one.
func (d *digester) whole(facts *gavel.Facts, params bool) (key digest, ok bool) {
	return d.of(facts, writer{}, params)
}

// lean returns the digest of facts without those that leanInput withholds.
func (d *digester) lean(facts *gavel.Facts) (key digest, ok bool) {
	return d.of(facts, writer{lean: true}, false)
}

func (d *digester) of(facts *gavel.Facts, w writer, params bool) (key digest, ok bool) {
	space, used := d.buffers.Get().(*[]byte)
	if !used {
		space = new([]byte)
	}
	w.buf = (*space)[:0]
	w.facts(facts)
	if params {
		text, err := json.Marshal(facts.Tool.Params) // keys come sorted
		if err != nil {
			return digest{}, false
		}
		w.texts(string(text))
	}
	if len(w.buf) > maxQuestion {
		return digest{}, false
	}
	key = sha256.Sum256(w.buf)
	*space = w.buf
	d.buffers.Put(space)
	return key, true
}

func (w *writer) facts(facts *gavel.Facts) {
	w.flags(w.lean)
	w.context(facts)
	w.sender(&facts.Sender)
	w.caller(&facts.Caller)
	w.texts(facts.Pause.State, facts.Pause.Agent, facts.Pause.Until, facts.Pause.Why)
	s := &facts.Session
	w.texts(s.Exec.Security, s.Exec.Ask, s.Exec.Host, s.Exec.Node, s.Elevated, s.Inline)
	w.texts(facts.Tool.Name, facts.Tool.Plugin)
	w.texts(facts.Environment.Cwd, facts.Environment.Home, facts.Environment.Platform, facts.Environment.Workspace)
	w.flags(facts.Environment.Claimed)
	w.words(facts.Environment.PathPrepend)
	w.words(facts.Tool.Parameters)
	w.words(facts.Tool.Odd)
	w.words(facts.Exceeded)
	listed(w, facts.Touches, func(t *gavel.Touch) {
		w.texts(t.Kind, t.Access, t.Given, t.Real, t.Program)
		w.flags(t.Holds)
	})
	if !w.lean {
		w.texts(s.Key, facts.Tool.Given)
		listed(w, facts.Resources, func(r *gavel.Resource) { w.texts(r.Access, r.Given, r.Path, r.Real) })
	}
	w.approval(&facts.Approval)
	w.texts(facts.ApprovalsFile.State)
	listed(w, facts.ApprovalsFile.Settings, func(s *gavel.ApprovalsFileSetting) { w.texts(s.Path, s.Security, s.Ask, s.AskFallback) })
	if w.flags(facts.Exec != nil); facts.Exec != nil {
		w.exec(facts.Exec)
	}
}

// writer writes members one behind another; lean leaves out what is withheld.
type writer struct {
	buf  []byte
	lean bool
}

func (w *writer) texts(list ...string) {
	for _, s := range list {
		w.buf = append(binary.AppendUvarint(w.buf, uint64(len(s))), s...)
	}
}

func (w *writer) numbers(list ...int) {
	for _, n := range list {
		w.buf = binary.AppendVarint(w.buf, int64(n))
	}
}

func (w *writer) flags(list ...bool) {
	for _, b := range list {
		if b {
			w.buf = append(w.buf, 1)
		} else {
			w.buf = append(w.buf, 0)
		}
	}
}

// listed writes a list. One that is missing is none, and not an empty one.
func listed[T any](w *writer, list []T, one func(*T)) {
	if list == nil {
		w.numbers(-1)
		return
	}
	w.numbers(len(list))
	for i := range list {
		one(&list[i])
	}
}

func (w *writer) words(list []string) { listed(w, list, func(s *string) { w.texts(*s) }) }

func (w *writer) positions(list []int) { listed(w, list, func(n *int) { w.numbers(*n) }) }

func (w *writer) context(f *gavel.Facts) {
	w.texts(f.Agent.ID, f.Model.Provider, f.Model.ID, f.Group.Channel, f.Group.Account)
	w.numbers(f.Agent.Depth, f.Agent.MaxDepth)
	w.flags(f.Agent.Sandboxed, f.Stated.Model, f.Stated.Group, f.Stated.Depth, f.Stated.Sandboxed, f.Stated.Sender, f.Stated.ByGateway)
	listed(w, f.Agent.Parents, func(p *gavel.ParentFacts) { w.texts(p.ID); w.numbers(p.Depth) })
	w.words(f.Group.IDs)
	w.numbers(len(f.Plugins))
	for _, id := range sortedKeys(f.Plugins) {
		w.texts(id)
		w.words(f.Plugins[id])
	}
}

func (w *writer) caller(c *gavel.CallerFacts) {
	w.texts(c.Kind, c.Name, c.SessionAgent)
	w.words(c.Agents)
	w.words(c.Sessions)
	w.flags(c.InSession)
	w.words(c.Claims)
}

func (w *writer) sender(s *gavel.SenderFacts) {
	w.texts(s.Channel, s.ID, s.Name, s.Username, s.Tag, s.From, s.E164)
	w.flags(s.Owner)
}

func (w *writer) approval(a *gavel.ApprovalFacts) {
	w.flags(a.Looked, a.Found)
	w.texts(a.Bound, a.ID, a.State, a.Decision, a.Binding, a.Expired, a.Seen, a.Trusted)
}

func (w *writer) exec(e *gavel.ExecFacts) {
	w.texts(e.Shell, e.Workdir, e.Directory, e.Place)
	if !w.lean {
		w.texts(e.Command, e.Rendered)
	}
	w.flags(e.Parsed, e.Request.Elevated, e.Refusal != nil)
	if r := e.Refusal; r != nil {
		w.texts(r.Kind, r.Construct)
		w.numbers(r.Start, r.End, r.Line, r.Column)
	}
	w.texts(e.Request.Host, e.Request.Security, e.Request.Ask, e.Request.Node)
	w.words(e.Env)
	w.words(e.Variables)
	listed(w, e.Assigned, func(a *gavel.Assignment) { w.texts(a.Name, a.Form, a.Shell); w.flags(a.Exported) })
	w.words(e.Unknown)
	listed(w, e.Constructs, func(c *gavel.Construct) { w.texts(c.Kind, c.Construct); w.numbers(c.Start, c.End) })
	listed(w, e.Redirects, func(r *gavel.Redirect) {
		w.texts(r.Operator, r.Descriptor, r.Target, r.Path, r.Real)
		w.flags(r.Reads, r.Writes, r.Dynamic, r.After)
		w.numbers(r.Start, r.End)
	})
	listed(w, e.Segments, w.segment)
}

func (w *writer) segment(s *gavel.Segment) {
	if !w.lean {
		w.words(s.Argv)
		w.texts(s.SubCommand)
		w.numbers(s.Start, s.End)
	}
	w.executable(&s.Executable)
	listed(w, s.Wrappers, func(wrapper *gavel.Wrapper) {
		w.executable(&wrapper.Executable)
		w.texts(wrapper.Kind)
		if !w.lean {
			w.words(wrapper.Argv)
		}
		w.hazards(wrapper.Hazards)
		w.match(wrapper.Match)
		w.match(wrapper.Listed)
	})
	w.texts(s.Builtin, s.Directory, s.Opaque)
	w.flags(s.After)
	w.hazards(s.Hazards)
	w.positions(s.Dynamic)
	w.positions(s.Numbered)
	listed(w, s.Made, func(m *gavel.MadeWord) { w.numbers(m.Index); w.words(m.Variables); w.flags(m.Known) })
	listed(w, s.Scripts, func(script *gavel.Script) {
		w.texts(script.Role, script.Path, script.Real, script.Device, script.Inode, script.SHA256)
		w.flags(script.Found)
	})
	listed(w, s.Unbound, func(u *gavel.Unbound) { w.texts(u.What, u.Why) })
	w.texts(s.Cwd)
	w.flags(s.Known)
	if w.flags(s.Class != nil); s.Class != nil {
		w.class(s.Class)
	}
	w.match(s.Match)
	w.match(s.Listed)
}

func (w *writer) executable(e *gavel.Executable) {
	w.texts(e.Name, e.Path, e.Real, e.RealName, e.Link, e.Device, e.Inode, e.SHA256, e.Interpreter)
	w.flags(e.Found)
	w.words(e.Programs)
	w.words(e.Writable)
}

func (w *writer) hazards(list []gavel.Hazard) {
	listed(w, list, func(h *gavel.Hazard) {
		w.texts(h.Kind, h.Option, h.Real)
		if !w.lean {
			w.texts(h.Argument)
			w.numbers(h.Index)
		}
	})
}

func (w *writer) match(m *gavel.Match) {
	if w.flags(m != nil); m != nil {
		w.flags(m.Found)
		w.texts(m.Pattern, m.Path)
		w.words(m.Args)
	}
}

func (w *writer) class(c *gavel.Class) {
	w.texts(c.Program)
	listed(w, c.Options, func(o *gavel.ClassOption) {
		w.texts(o.Name, o.Form)
		if !w.lean {
			w.texts(o.Value)
			w.numbers(o.Index)
		}
	})
	listed(w, c.Operands, func(o *gavel.ClassOperand) {
		w.texts(o.Form)
		w.flags(o.Ended)
		if !w.lean {
			w.texts(o.Text)
			w.numbers(o.Index)
		}
	})
	w.positions(c.Stdin)
	w.flags(c.Complete, c.Unread != nil, c.Filter != nil)
	if u := c.Unread; u != nil {
		w.texts(u.Option, u.Why)
		w.numbers(u.Index)
	}
	if f := c.Filter; f != nil {
		w.flags(f.Parsed)
		w.words(f.Names)
	}
}
