package server

import "gavel"

// spare leaves out of an answer what its reader may not see. Whoever may only ask for
// decisions gets the facts that the call itself tells, and none that was looked up: those
// say which files there are, where links lead, and what is in them.
func (c caller) spare(d *gavel.Decision) {
	if d.Facts == nil || c.rights()&gavel.RightFacts != 0 {
		return
	}
	f := d.Facts // the log may still read it: it is copied, never changed
	told := gavel.Facts{Caller: f.Caller, Stated: f.Stated, Pause: f.Pause, Agent: f.Agent, Session: f.Session, Model: f.Model,
		Sender: f.Sender, Group: f.Group, Tool: f.Tool, Plugins: f.Plugins, Resources: []gavel.Resource{},
		ApprovalsFile: gavel.ApprovalsFileFacts{Settings: []gavel.ApprovalsFileSetting{}}}
	for _, r := range f.Resources {
		told.Resources = append(told.Resources, gavel.Resource{Access: r.Access, Given: r.Given})
	}
	if e := f.Exec; e != nil {
		told.Exec = &gavel.ExecFacts{Command: e.Command, Shell: e.Shell, Parsed: e.Parsed, Refusal: e.Refusal, Constructs: e.Constructs,
			Redirects: []gavel.Redirect{}, Request: e.Request, Env: e.Env, Variables: e.Variables, Unknown: e.Unknown, Segments: []gavel.Segment{}}
		for i := range e.Segments {
			s := &e.Segments[i]
			told.Exec.Segments = append(told.Exec.Segments, gavel.Segment{Argv: s.Argv, Start: s.Start, End: s.End, Wrappers: []gavel.Wrapper{},
				Builtin: s.Builtin, Opaque: s.Opaque, SubCommand: s.SubCommand, Hazards: []gavel.Hazard{}, Dynamic: s.Dynamic, Numbered: s.Numbered,
				Scripts: []gavel.Script{}})
		}
	}
	d.Facts = &told
}
