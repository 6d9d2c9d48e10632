package analyzer

import (
	"slices"
	"strings"
	"unicode"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
	"gavel/analyzer/unwrap"
)

// analyzeProcess reads the parameters of the tool process. A line for a shell is analyzed as a command.
func (e *environment) analyzeProcess(all *gavel.Facts, claims *gavel.Environment, tool *ProcessTool, policy *gavel.AnalyzerSettings) {
	read := parameters{params: all.Tool.Params}
	facts := &all.Process
	facts.Action, facts.Session = gavel.Fold(read.text("action")), read.text("sessionId")
	texts := map[string]string{"data": read.text("data"), "text": read.text("text"), "literal": read.text("literal")}
	keys, bytes := read.texts("keys"), read.texts("hex")
	_, bracketed := all.Tool.Params["bracketed"]
	bracketed = read.flag("bracketed") || !bracketed
	read.flag("eof")
	for _, name := range []string{"offset", "limit", "timeout"} {
		read.number(name, 1)
	}
	_, all.Tool.Misfits = read.misfits()
	for name := range all.Tool.Params {
		all.Tool.Parameters = append(all.Tool.Parameters, name)
	}
	all.Tool.Parameters = spelling.Tidy(all.Tool.Parameters)

	parameter, types := tool.Texts[facts.Action]
	line := texts[parameter]
	delete(texts, parameter)
	rest := texts["data"] + texts["text"] + texts["literal"]
	others := len(keys)+len(bytes)+len(rest) > 0
	facts.Input, facts.Keys = "none", []string{}
	switch {
	case types && !others && isLine(line) && (parameter == "data" || !bracketed):
		facts.Input = "line"
	case types:
		facts.Input = "text"
	case slices.Contains(tool.Keys, facts.Action), others:
		facts.Input = "keys"
		if len(bytes)+len(rest) == 0 && keys != nil {
			facts.Keys = keys
		}
	}
	if claims == nil || claims.Process == nil || facts.Session == "" || claims.Process.Session != facts.Session {
		return
	}
	e.recordSession(facts, claims.Process)
	if facts.Input == "line" && facts.Shell != "" && facts.Waiting {
		e.analyzeLine(all, strings.TrimRight(line, "\r\n"), host.Absolute(claims.Process.Cwd), policy)
	}
}

// recordSession records what the gateway states about the session.
func (e *environment) recordSession(facts *gavel.ProcessFacts, session *gavel.Process) {
	facts.Stated, facts.Waiting = true, session.Waiting
	facts.Agent, facts.Host, facts.Node = gavel.Fold(session.Agent), gavel.Fold(session.Host), gavel.Fold(session.Node)
	facts.Program = host.Absolute(session.Program)
	if name := shell.Dialect(facts.Program); facts.Program != "" {
		if _, known := shell.Grammar(name); known {
			facts.Shell = name
		}
	}
}

// analyzeLine analyzes a line for a shell in this directory as a command. The line runs in
// the shell of the session, and not wherever exec would run it.
func (e *environment) analyzeLine(all *gavel.Facts, line, dir string, policy *gavel.AnalyzerSettings) {
	facts := newExec(all.Process.Shell)
	all.Exec = facts
	facts.Request = gavel.ExecRequest{Host: all.Process.Host, Node: all.Process.Node, Declined: true}
	facts.Command, facts.Workdir, facts.Env, facts.Unknown = line, dir, []string{}, []string{}
	e.shell, e.namedShell = facts.Shell, facts.Shell
	if policy != nil {
		settings := policy.ForCall(all.Agent.ID, facts.Request.Host, e.Facts.Home)
		e.SearchFirst(settings.First)
		e.SetFileLists(settings)
		all.Environment = e.Facts
	}
	facts.Directory, facts.Place = e.StartDirectory(dir)
	site := e.Site
	command := unwrap.Command{Site: &site, Tables: e.tables, Parsers: e.parsers, NamedShell: e.namedShell, Terminal: true,
		WithoutWords: policy != nil && policy.WithoutWords, Dir: dir, Assigned: []shell.Assignment{}}
	all.Touches = append(all.Touches, command.Observe(facts)...)
}

// isLine reports whether a text is one complete line of printable characters, none of which has a
// special meaning for a line editor: ! recalls earlier lines.
func isLine(text string) bool {
	line := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	return line != text && !strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || r == '!' || r == unicode.ReplacementChar })
}
