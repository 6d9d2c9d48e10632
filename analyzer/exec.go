package analyzer

import (
	"cmp"
	"fmt"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/unwrap"
)

// exec reads the parameters of the exec tool and analyzes its command. In between, it asks the
// policy for its settings for this call.
func (p *place) exec(all *gavel.Facts, claimed *gavel.Environment, searches *gavel.Searches) {
	stated := ""
	if claimed != nil {
		stated = claimed.Workspace
	}
	facts := newExec(p.shell)
	all.Exec = facts
	read := parameters{params: all.Tool.Params, asked: make([]string, 0, 12)}
	facts.Request = gavel.ExecRequest{
		Host:     gavel.Fold(read.text("host")),
		Security: gavel.Fold(read.text("security")),
		Ask:      gavel.Fold(read.text("ask")),
		Node:     gavel.Fold(read.text("node")),
		Elevated: read.flag("elevated"),
	}
	_, said := all.Tool.Params["elevated"]
	facts.Request.Declined = said && !facts.Request.Elevated
	facts.Run = gavel.ExecRun{Background: read.flag("background"), Pty: read.flag("pty"),
		Timeout: read.number("timeout", 1000), YieldMs: read.number("yieldMs", 1)}
	var given []shell.Assignment
	facts.Env, given = read.env("env")
	variables := len(facts.Env)
	facts.Env, given = facts.Env[:min(variables, shell.MaxVariables)], given[:min(len(given), shell.MaxVariables)]
	dir := p.workdir(&read)
	facts.Workdir = host.Absolute(dir)
	facts.Command = read.text("command")
	facts.Unknown, all.Tool.Misfits = read.unfit()
	if searches != nil {
		says := searches.Of(all.Agent.ID, cmp.Or(facts.Request.Host, all.Session.Exec.Host, all.SessionValues.Own.Host), p.Facts.Home)
		p.SearchFirst(says.First)
		if says.Workspace != "" {
			p.StateWorkspace(stated, says.Workspace)
		}
		p.Deny(says)
		all.Environment = p.Facts
	}
	facts.Directory, facts.Place = p.StartsIn(dir)
	here := p.Site // a copy, so that other tools allocate nothing for it
	command := unwrap.Command{Site: &here, Tables: p.tables, Parsers: p.parsers, Told: p.told, Terminal: facts.Run.Pty,
		WithoutWords: searches != nil && searches.WithoutWords, Dir: dir, Given: given}
	all.Touches = command.Observe(facts)
	p.skills(facts.Segments, claimed)
	if variables > shell.MaxVariables { // reported even if something else is wrong: the variables were not read to the end
		facts.Refusal = shell.Refuse(facts.Command, shell.KindLimit, fmt.Sprintf("more than %d environment variables", shell.MaxVariables), 0, len(facts.Command))
		facts.Parsed, facts.Segments, facts.Constructs, facts.Redirects = false, []gavel.Segment{}, []gavel.Construct{}, []gavel.Redirect{}
	}
}

// newExec returns exec facts with a shell and nothing else.
func newExec(shell string) *gavel.ExecFacts {
	return &gavel.ExecFacts{Shell: shell, Segments: []gavel.Segment{},
		Variables: []string{}, Assigned: []gavel.Assignment{}, Constructs: []gavel.Construct{}, Redirects: []gavel.Redirect{}}
}

// workdir is where the command runs: absolute but not yet clean, or "" if unknown. A tilde is not
// expanded, because the tool might expand it differently.
func (p *place) workdir(read *parameters) string {
	if _, given := read.params["workdir"]; !given {
		return p.Facts.Cwd
	}
	dir := strings.TrimSpace(read.text("workdir"))
	switch {
	case !p.Host.Fits(p.Facts.Cwd + "/" + dir):
		return ""
	case strings.HasPrefix(dir, "/"):
		return dir
	case read.isWrong("workdir"), strings.HasPrefix(dir, "~"), p.Facts.Cwd == "":
		return ""
	default:
		return strings.TrimSuffix(p.Facts.Cwd+"/"+dir, "/")
	}
}
