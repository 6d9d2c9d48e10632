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

// analyzeExec reads the parameters of the exec tool and analyzes its command. In between, it asks the
// policy for its settings for this call.
func (e *environment) analyzeExec(all *gavel.Facts, claimed *gavel.Environment, policy *gavel.AnalyzerSettings) {
	stated := ""
	if claimed != nil {
		stated = claimed.Workspace
	}
	facts := newExec(e.shell)
	all.Exec = facts
	read := parameters{params: all.Tool.Params, names: make([]string, 0, 12)}
	facts.Request = gavel.ExecRequest{
		Host:     gavel.Fold(read.text("host")),
		Security: gavel.Fold(read.text("security")),
		Ask:      gavel.Fold(read.text("ask")),
		Node:     gavel.Fold(read.text("node")),
		Elevated: read.flag("elevated"),
	}
	_, given := all.Tool.Params["elevated"]
	facts.Request.Declined = given && !facts.Request.Elevated
	facts.Run = gavel.ExecRun{Background: read.flag("background"), Pty: read.flag("pty"),
		Timeout: read.number("timeout", 1000), YieldMs: read.number("yieldMs", 1)}
	var assigned []shell.Assignment
	facts.Env, assigned = read.env("env")
	variables := len(facts.Env)
	facts.Env, assigned = facts.Env[:min(variables, shell.MaxVariables)], assigned[:min(len(assigned), shell.MaxVariables)]
	dir := e.workdir(&read)
	facts.Workdir = host.Absolute(dir)
	facts.Command = read.text("command")
	facts.Unknown, all.Tool.Misfits = read.misfits()
	if policy != nil {
		settings := policy.ForCall(all.Agent.ID, cmp.Or(facts.Request.Host, all.Session.Exec.Host, all.SessionValues.Own.Host), e.Facts.Home)
		e.SearchFirst(settings.First)
		if settings.Workspace != "" {
			e.StateWorkspace(stated, settings.Workspace)
		}
		e.SetFileLists(settings)
		all.Environment = e.Facts
	}
	facts.Directory, facts.Place = e.StartDirectory(dir)
	site := e.Site // a copy, so that other tools allocate nothing for it
	command := unwrap.Command{Site: &site, Tables: e.tables, Parsers: e.parsers, NamedShell: e.namedShell, Terminal: facts.Run.Pty,
		WithoutWords: policy != nil && policy.WithoutWords, Dir: dir, Assigned: assigned}
	all.Touches = command.Observe(facts)
	e.skills(facts.Segments, claimed)
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

// workdir returns where the command runs: absolute but not yet clean, or "" if unknown. A tilde is not
// expanded, because the tool might expand it differently.
func (e *environment) workdir(read *parameters) string {
	if _, given := read.params["workdir"]; !given {
		return e.Facts.Cwd
	}
	dir := strings.TrimSpace(read.text("workdir"))
	switch {
	case !e.Host.FitsPath(e.Facts.Cwd + "/" + dir):
		return ""
	case strings.HasPrefix(dir, "/"):
		return dir
	case read.isWrong("workdir"), strings.HasPrefix(dir, "~"), e.Facts.Cwd == "":
		return ""
	default:
		return strings.TrimSuffix(e.Facts.Cwd+"/"+dir, "/")
	}
}
