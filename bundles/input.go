package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Facts become AST values directly: a round trip through JSON types costs more
// than the decision itself.

func text(s string) *ast.Term {
	if s == "" {
		return ast.InternedEmptyString
	}
	return ast.StringTerm(s)
}

func flag(b bool) *ast.Term { return ast.InternedTerm(b) }

func number(n int) *ast.Term { return ast.InternedTerm(n) }

func texts(list []string) *ast.Term {
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i, s := range list {
		terms[i] = ast.StringTerm(s)
	}
	return ast.ArrayTerm(terms...)
}

// field is one member of an object.
func field(key string, value *ast.Term) [2]*ast.Term {
	return [2]*ast.Term{ast.InternedTerm(key), value}
}

// factsInput is the input of a decision: the facts and the frozen part. The terms
// that the frozen part was computed from are taken from where it is remembered.
func factsInput(facts *gavel.Facts, known *remembered, params *ast.Term) ast.Value {
	return newInput(facts, known, params, false)
}

// leanInput is the same without facts that differ from call to call and only say
// more of what is judged by others: the words, sub-commands and places of segments, those
// of hazards and of a filter's arguments, the text of the command, the name of the
// session, the files of a tool. Taking a fact away never permits more
// (rego/gavel/decision/properties_test.rego), so what the policy permits without them it
// permits.
func leanInput(facts *gavel.Facts, known *remembered) ast.Value {
	return newInput(facts, known, nil, true)
}

func newInput(facts *gavel.Facts, known *remembered, params *ast.Term, lean bool) ast.Value {
	fields := append(make([][2]*ast.Term, 0, len(known.fields)+10), known.fields...)
	fields = append(fields,
		field("caller", callerTerm(&facts.Caller)), field("pause", pauseTerm(&facts.Pause)),
		field("session", sessionTerm(facts.Session, lean)),
		field("sender", senderTerm(facts.Sender)),
		field("tool", toolTerm(facts.Tool, params, lean)),
		field("environment", ast.ObjectTerm(
			field("cwd", text(facts.Environment.Cwd)),
			field("home", text(facts.Environment.Home)),
			field("platform", text(facts.Environment.Platform)),
			field("workspace", text(facts.Environment.Workspace)),
			field("claimed", flag(facts.Environment.Claimed)),
			field("pathPrepend", texts(facts.Environment.PathPrepend)))),
		field("frozen", known.frozen), field("touches", touchesTerm(facts.Touches)), field("exceeded", texts(facts.Exceeded)),
		approvalField(&facts.Approval, known), fileField(&facts.ApprovalsFile, known))
	if !lean {
		fields = append(fields, field("resources", resourcesTerm(facts.Resources)))
	}
	if facts.Exec != nil {
		fields = append(fields, field("exec", execTerm(facts.Exec, lean)))
	}
	return ast.NewObject(fields...)
}

// contextInput is the input of the frozen part: what it may depend on, no more.
func contextInput(facts *gavel.Facts, fields [][2]*ast.Term, tool string, custom *ast.Term) ast.Value {
	return ast.NewObject(append(slices.Clone(fields),
		field("sender", senderTerm(contextSender(facts))),
		field("tool", ast.ObjectTerm(field("name", text(tool)))),
		field("snapshot", ast.ObjectTerm(field("custom", custom))))...)
}

// contextSender is what the frozen part may know of the sender: who it is matters
// to group policies only.
func contextSender(facts *gavel.Facts) gavel.SenderFacts {
	if facts.Group.Channel == "" || len(facts.Group.IDs) == 0 {
		return gavel.SenderFacts{Owner: facts.Sender.Owner}
	}
	return facts.Sender
}

func contextFields(facts *gavel.Facts) [][2]*ast.Term {
	parents := make([]*ast.Term, len(facts.Agent.Parents))
	for i, parent := range facts.Agent.Parents {
		parents[i] = ast.ObjectTerm(field("id", text(parent.ID)), field("depth", number(parent.Depth)))
	}
	plugins := make([][2]*ast.Term, 0, len(facts.Plugins))
	for id, tools := range facts.Plugins {
		plugins = append(plugins, [2]*ast.Term{text(id), texts(tools)})
	}
	return [][2]*ast.Term{
		field("agent", ast.ObjectTerm(
			field("id", text(facts.Agent.ID)),
			field("parents", ast.ArrayTerm(parents...)),
			field("depth", number(facts.Agent.Depth)),
			field("maxDepth", number(facts.Agent.MaxDepth)),
			field("sandboxed", flag(facts.Agent.Sandboxed)))),
		field("model", ast.ObjectTerm(
			field("provider", text(facts.Model.Provider)),
			field("id", text(facts.Model.ID)))),
		field("group", ast.ObjectTerm(
			field("channel", text(facts.Group.Channel)),
			field("account", text(facts.Group.Account)),
			field("ids", texts(facts.Group.IDs)))),
		field("plugins", ast.ObjectTerm(plugins...)),
		field("stated", statedTerm(&facts.Stated)),
	}
}

func senderTerm(s gavel.SenderFacts) *ast.Term {
	return ast.ObjectTerm(
		field("channel", text(s.Channel)), field("id", text(s.ID)), field("name", text(s.Name)),
		field("username", text(s.Username)), field("tag", text(s.Tag)), field("from", text(s.From)),
		field("e164", text(s.E164)), field("owner", flag(s.Owner)))
}

func sessionTerm(s gavel.SessionFacts, lean bool) *ast.Term {
	fields := [][2]*ast.Term{
		field("exec", ast.ObjectTerm(
			field("security", text(s.Exec.Security)), field("ask", text(s.Exec.Ask)),
			field("host", text(s.Exec.Host)), field("node", text(s.Exec.Node)))),
		field("elevated", text(s.Elevated)), field("inline", text(s.Inline)),
	}
	if !lean {
		fields = append(fields, field("key", text(s.Key)))
	}
	return ast.ObjectTerm(fields...)
}

// toolTerm leaves the parameters out where no rule of the policy could read them.
func toolTerm(t gavel.ToolFacts, params *ast.Term, lean bool) *ast.Term {
	fields := [][2]*ast.Term{field("name", text(t.Name)), field("plugin", text(t.Plugin)), field("parameters", texts(t.Parameters)), field("odd", texts(t.Odd))}
	if !lean {
		fields = append(fields, field("given", text(t.Given)))
	}
	if params != nil {
		fields = append(fields, field("params", params))
	}
	return ast.ObjectTerm(fields...)
}

func execTerm(e *gavel.ExecFacts, lean bool) *ast.Term {
	segments := make([]*ast.Term, len(e.Segments))
	for i := range e.Segments {
		segments[i] = segmentTerm(&e.Segments[i], lean)
	}
	fields := [][2]*ast.Term{
		field("shell", text(e.Shell)), field("workdir", text(e.Workdir)),
		field("directory", text(e.Directory)), field("place", text(e.Place)),
		field("parsed", flag(e.Parsed)), field("segments", ast.ArrayTerm(segments...)),
		field("constructs", constructsTerm(e.Constructs)), field("redirects", redirectsTerm(e.Redirects)),
		field("request", ast.ObjectTerm(
			field("host", text(e.Request.Host)), field("security", text(e.Request.Security)),
			field("ask", text(e.Request.Ask)), field("node", text(e.Request.Node)),
			field("elevated", flag(e.Request.Elevated)))),
		field("env", texts(e.Env)), field("variables", texts(e.Variables)),
		field("assigned", termsOf(e.Assigned, func(a *gavel.Assignment) *ast.Term {
			return ast.ObjectTerm(field("name", text(a.Name)), field("form", text(a.Form)), field("exported", flag(a.Exported)), field("shell", text(a.Shell)))
		})),
		field("unknown", texts(e.Unknown)),
	}
	if !lean {
		fields = append(fields, field("command", text(e.Command)), field("rendered", text(e.Rendered)))
	}
	if r := e.Refusal; r != nil {
		fields = append(fields, field("refusal", ast.ObjectTerm(
			field("kind", text(r.Kind)), field("construct", text(r.Construct)),
			field("start", number(r.Start)), field("end", number(r.End)),
			field("line", number(r.Line)), field("column", number(r.Column)))))
	}
	return ast.ObjectTerm(fields...)
}

func segmentTerm(s *gavel.Segment, lean bool) *ast.Term {
	wrappers := make([]*ast.Term, len(s.Wrappers))
	for i := range s.Wrappers {
		wrappers[i] = wrapperTerm(&s.Wrappers[i], lean)
	}
	fields := [][2]*ast.Term{
		field("executable", executableTerm(s.Executable)),
		field("wrappers", ast.ArrayTerm(wrappers...)), field("opaque", text(s.Opaque)),
		field("builtin", text(s.Builtin)), field("directory", text(s.Directory)), field("after", flag(s.After)),
		field("hazards", hazardsTerm(s.Hazards, lean)),
		field("dynamic", numbers(s.Dynamic)), field("numbered", numbers(s.Numbered)),
		field("made", termsOf(s.Made, func(m *gavel.MadeWord) *ast.Term {
			return ast.ObjectTerm(field("index", number(m.Index)), field("variables", texts(m.Variables)), field("known", flag(m.Known)))
		})),
		field("scripts", scriptsTerm(s.Scripts)),
		field("unbound", unboundTerm(s.Unbound)), field("cwd", text(s.Cwd)), field("known", flag(s.Known)),
	}
	if !lean {
		fields = append(fields, field("argv", texts(s.Argv)), field("start", number(s.Start)), field("end", number(s.End)),
			field("subCommand", text(s.SubCommand)))
	}
	if s.Class != nil {
		fields = append(fields, field("class", classTerm(s.Class, lean)))
	}
	return ast.ObjectTerm(withMatch(fields, s.Match, s.Listed)...)
}

func wrapperTerm(w *gavel.Wrapper, lean bool) *ast.Term {
	fields := [][2]*ast.Term{field("executable", executableTerm(w.Executable)), field("kind", text(w.Kind)),
		field("hazards", hazardsTerm(w.Hazards, lean))}
	if !lean {
		fields = append(fields, field("argv", texts(w.Argv)))
	}
	return ast.ObjectTerm(withMatch(fields, w.Match, w.Listed)...)
}

func executableTerm(e gavel.Executable) *ast.Term {
	return ast.ObjectTerm(
		field("name", text(e.Name)), field("path", text(e.Path)),
		field("real", text(e.Real)), field("realName", text(e.RealName)),
		field("programs", observed(e.Programs)), field("link", text(e.Link)),
		field("found", flag(e.Found)),
		field("device", text(e.Device)), field("inode", text(e.Inode)),
		field("writable", observed(e.Writable)),
		field("sha256", text(e.SHA256)), field("interpreter", text(e.Interpreter)))
}

// unboundTerm is null where nobody looked.
func unboundTerm(list []gavel.Unbound) *ast.Term {
	if list == nil {
		return ast.NullTerm()
	}
	return termsOf(list, func(u *gavel.Unbound) *ast.Term {
		return ast.ObjectTerm(field("what", text(u.What)), field("why", text(u.Why)))
	})
}

func scriptsTerm(list []gavel.Script) *ast.Term {
	return termsOf(list, func(s *gavel.Script) *ast.Term {
		return ast.ObjectTerm(field("role", text(s.Role)), field("path", text(s.Path)), field("real", text(s.Real)),
			field("device", text(s.Device)), field("inode", text(s.Inode)),
			field("sha256", text(s.SHA256)), field("found", flag(s.Found)))
	})
}

// observed is null where nobody looked: nothing seen is an empty list.
func observed(list []string) *ast.Term {
	if list == nil {
		return ast.NullTerm()
	}
	return texts(list)
}

// numbers is null where nobody looked, as observed.
func numbers(list []int) *ast.Term {
	if list == nil {
		return ast.NullTerm()
	}
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i, n := range list {
		terms[i] = number(n)
	}
	return ast.ArrayTerm(terms...)
}

func withMatch(fields [][2]*ast.Term, match, listed *gavel.Match) [][2]*ast.Term {
	if match != nil {
		fields = append(fields, field("match", matchTerm(match)))
	}
	if listed != nil {
		fields = append(fields, field("listed", matchTerm(listed)))
	}
	return fields
}

func matchTerm(m *gavel.Match) *ast.Term {
	return ast.ObjectTerm(
		field("found", flag(m.Found)), field("pattern", text(m.Pattern)), field("path", text(m.Path)),
		field("args", texts(m.Args)))
}

func hazardsTerm(list []gavel.Hazard, lean bool) *ast.Term {
	return termsOf(list, func(h *gavel.Hazard) *ast.Term {
		fields := [][2]*ast.Term{field("kind", text(h.Kind)), field("option", text(h.Option)), field("real", text(h.Real))}
		if !lean {
			fields = append(fields, field("argument", text(h.Argument)), field("index", number(h.Index)))
		}
		return ast.ObjectTerm(fields...)
	})
}
