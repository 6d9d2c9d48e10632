package analyzer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
	"gavel/analyzer/unwrap"
)

// exec reads the parameters of the exec tool and analyzes its command. In between, it asks the
// policy for its settings for this call.
func (p *place) exec(all *gavel.Facts, stated string, searches *gavel.Searches) {
	facts := &gavel.ExecFacts{Shell: p.shell, Segments: []gavel.Segment{},
		Variables: []string{}, Assigned: []gavel.Assignment{}, Constructs: []gavel.Construct{}, Redirects: []gavel.Redirect{}}
	all.Exec = facts
	read := parameters{params: all.Tool.Params, asked: make([]string, 0, 12)}
	facts.Request = gavel.ExecRequest{
		Host:     spelling.Fold(read.text("host")),
		Security: spelling.Fold(read.text("security")),
		Ask:      spelling.Fold(read.text("ask")),
		Node:     spelling.Fold(read.text("node")),
		Elevated: read.flag("elevated"),
	}
	_, said := all.Tool.Params["elevated"]
	facts.Request.Declined = said && !facts.Request.Elevated
	read.flag("background")
	terminal := read.flag("pty")
	read.number("timeout")
	read.number("yieldMs")
	var given []shell.Assignment
	facts.Env, given = read.env("env")
	variables := len(facts.Env)
	facts.Env, given = facts.Env[:min(variables, shell.MaxVariables)], given[:min(len(given), shell.MaxVariables)]
	dir := p.workdir(&read)
	facts.Workdir = host.Absolute(dir)
	facts.Command = read.text("command")
	facts.Unknown = read.unknown()
	if searches != nil {
		says := searches.Of(all.Agent.ID, cmp.Or(facts.Request.Host, all.Session.Exec.Host, all.SessionValues.Own.Host), p.Facts.Home)
		p.SearchFirst(says.First)
		if says.Workspace != "" {
			p.StateWorkspace(stated, says.Workspace)
		}
		all.Environment = p.Facts
	}
	facts.Directory, facts.Place = p.StartsIn(dir)
	here := p.Site // a copy, so that other tools allocate nothing for it
	command := unwrap.Command{Site: &here, Tables: p.tables, Parsers: p.parsers, Told: p.told, Terminal: terminal,
		WithoutWords: searches != nil && searches.WithoutWords, Dir: dir, Given: given}
	all.Touches = command.Observe(facts)
	if variables > shell.MaxVariables { // reported even if something else is wrong: the variables were not read to the end
		facts.Refusal = shell.Refuse(facts.Command, shell.KindLimit, fmt.Sprintf("more than %d environment variables", shell.MaxVariables), 0, len(facts.Command))
		facts.Parsed, facts.Segments, facts.Constructs, facts.Redirects = false, []gavel.Segment{}, []gavel.Construct{}, []gavel.Redirect{}
	}
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
	case slices.Contains(read.wrong, "workdir"), strings.HasPrefix(dir, "~"), p.Facts.Cwd == "":
		return ""
	default:
		return strings.TrimSuffix(p.Facts.Cwd+"/"+dir, "/")
	}
}

// parameters reads the parameters of a tool by name, and collects the names of those that are
// unexpected or have the wrong type.
type parameters struct {
	params map[string]any
	asked  []string
	wrong  []string
}

// read returns the parameter as a T, or the zero T if it is missing.
func read[T any](p *parameters, name string) (value T) {
	p.asked = append(p.asked, name)
	given, ok := p.params[name]
	if !ok {
		return value
	}
	if value, ok = given.(T); !ok {
		p.wrong = append(p.wrong, name)
	}
	return value
}

func (p *parameters) text(name string) string { return read[string](p, name) }
func (p *parameters) flag(name string) bool   { return read[bool](p, name) }

// number checks that a parameter is a number. No decision depends on its value.
func (p *parameters) number(name string) {
	switch p.params[name].(type) {
	case float64, json.Number, int, int64, uint64:
		p.asked = append(p.asked, name)
	default:
		read[float64](p, name)
	}
}

// env returns the names of the variables in an object of strings, in upper case, and their
// assignments. A value that is not a string, or a name that is not portable, makes the whole
// parameter wrong. The names that can be read are returned all the same.
func (p *parameters) env(name string) ([]string, []shell.Assignment) {
	names, values := []string{}, []shell.Assignment{}
	for key, value := range read[map[string]any](p, name) {
		key = strings.TrimSpace(key)
		text, isText := value.(string)
		if spelling.Portable(key) {
			names = append(names, strings.ToUpper(key))
			values = append(values, shell.Assignment{Name: key, Form: shell.FormOf(text), Exported: true, Number: spelling.Digits(text)})
		}
		if !isText || !spelling.Portable(key) {
			p.wrong = append(p.wrong, name)
		}
	}
	return spelling.Tidy(names), values
}

// unknown returns the sorted names of unexpected parameters and of those with the wrong type.
func (p *parameters) unknown() []string {
	names := p.wrong
	for name := range p.params {
		if !slices.Contains(p.asked, name) {
			names = append(names, name)
		}
	}
	return spelling.Tidy(names)
}
