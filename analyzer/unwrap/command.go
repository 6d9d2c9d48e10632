// Package unwrap splits a [Command] into segments. It unwraps wrappers, layer by layer, as far as the
// tables list their words, looks up the programs, finds their argument hazards and the code that they
// would run, and renders the command so that every shell reads it as it was judged. The command and
// where it runs go in; segments, redirections, variables, touches and the rendered command come out
// ([Command.Observe]).
//
// If it is uncertain what a wrapper would run, the segment is the wrapper itself, with the reason.
// Segments are what the policy judges; this package judges nothing.
//
// unwrap.go and wrap.go turn commands into nodes and segments (segment.go). The kinds of command have
// files of their own: wrappers (wrappers.go, wrapper_words.go, dispatcher_words.go,
// parameters_passed_on.go, questions.go), builtins (builtin.go, unwrap_builtin.go, source_builtin.go),
// programs with commands among their words (embed.go), runners (runner.go), shells that run files
// (script.go), and programs that act by their name (acts_by_name.go). render.go renders nodes, and
// round_trip.go parses the result again.
//
// Values that are known before run time: variables (choices.go, variables.go, variable_values.go), the
// working directory (directories.go), files that globs match (glob.go, glob_hazards.go,
// glob_facts.go, patterns.go), and names that find, git or a file supplies to another command
// (find_names.go, tracked_names.go, loop_names.go, printed_names.go, name_hazards.go).
// confirm_globs.go keeps them only if no command changes the files before. order.go, path_effects.go and
// earlier_changes.go say what may change before a command runs, unpack.go what archives create, and
// repository.go in which repository a program would work. code.go, code_files.go, code_words.go and
// code_stdin.go find code files, and touch.go the protected paths and addresses that are named.
package unwrap

import (
	"fmt"
	"strings"

	"gavel"
	"gavel/analyzer/shell"
	"gavel/analyzer/site"
	"gavel/analyzer/spelling"
)

// Command is the command of an exec call, with everything that is needed to unwrap it.
type Command struct {
	Site    *site.Site
	Tables  *Tables
	Parsers *shell.Parsers
	// NamedShell is the shell that reads the command, or "" if the call and the configuration name none.
	NamedShell string
	Terminal   bool // the command runs on a terminal
	// WithoutWords skips reading how programs read their words.
	WithoutWords bool
	Dir          string             // working directory, absolute but not yet clean; "" if unknown
	Assigned     []shell.Assignment // the variables that the call sets
}

// Observe parses the command in facts, unwraps it, looks up the programs and renders it. It
// returns the protected places that the command names.
func (c *Command) Observe(facts *gavel.ExecFacts) []gavel.Touch {
	facts.Assigned = assignments(assignedValues(c.Assigned), false)
	if strings.TrimSpace(facts.Command) == "" {
		facts.Refusal = &gavel.Refusal{Kind: shell.KindParameters, Construct: "missing or empty command",
			Start: 0, End: len(facts.Command), Line: 1, Column: 1}
		return c.textTouches(facts)
	}
	script := c.Parsers.Parse(facts.Command, facts.Shell)
	if script.Refusal != nil {
		facts.Refusal = script.Refusal
		recordVariables(facts, script.Names)
		return c.textTouches(facts)
	}
	u := unwrapper{Site: c.Site, Tables: c.Tables, parsers: c.Parsers, namedShell: c.NamedShell, terminal: c.Terminal, withoutWords: c.WithoutWords, dir: c.Dir,
		shell: facts.Shell, text: facts.Command, list: facts.Segments, constructs: facts.Constructs, files: facts.Redirects, values: assignedValues(c.Assigned)}
	whole := u.script(script, call{dir: c.Dir})
	u.refuseArithmetic()
	u.bindCodeFiles(c.Dir)
	u.render(whole, facts)
	recordVariables(facts, u.names)
	facts.Expanded = spelling.Tidy(u.expands)
	u.completeValues()
	facts.Assigned = assignments(u.values, u.exportsAll)
	if facts.Refusal != nil { // there are too many commands
		facts.Assigned = assignments(assignedValues(c.Assigned), false)
		return c.textTouches(facts)
	}
	if u.refusal != nil {
		facts.Refusal = u.refusal
		return c.textTouches(facts)
	}
	u.confirmProvisionals()
	u.recordEarlierChanges()
	u.checkUnpackedLater()
	u.markChangedReads()
	facts.Parsed, facts.Segments, facts.Constructs, facts.Redirects = true, u.list, u.constructs, u.files
	return u.touches(facts, c.Dir)
}

// render renders a command that was understood. It refuses a command that exceeds a limit, or that
// cannot be rendered as it was judged.
func (u *unwrapper) render(whole *unwrappedScript, facts *gavel.ExecFacts) {
	refuse := func(kind, construct string) {
		u.refusal = shell.Refuse(facts.Command, kind, construct, 0, len(facts.Command))
	}
	if u.Host.TimedOut() && u.refusal == nil {
		refuse(shell.KindLimit, "command that takes too long to analyze")
	}
	r := renderer{roundTrip: roundTrip{u.parsers, u.Builtins}}
	if u.refusal == nil {
		facts.Rendered = r.render(whole)
	}
	switch {
	case r.long:
		refuse(shell.KindLimit, "shell text that is too long after quoting")
	case r.wrong && !r.missing:
		refuse(shell.KindRendering, "its printed form, parsed again,")
	}
	if construct := exceededLimit(u); construct != "" {
		refuse(shell.KindLimit, construct)
	}
}

// exceededLimit names the limit that a command exceeds, or returns "".
func exceededLimit(u *unwrapper) string {
	switch {
	case len(u.files) > shell.MaxRedirects:
		return fmt.Sprintf("more than %d redirections", shell.MaxRedirects)
	case len(u.constructs) > shell.MaxConstructs:
		return fmt.Sprintf("more than %d constructs", shell.MaxConstructs)
	}
	return ""
}

// recordVariables records variables that the text of a command sets or unsets.
func recordVariables(facts *gavel.ExecFacts, names []string) {
	names = spelling.Tidy(names)
	if len(names) > shell.MaxVariables {
		names = names[:shell.MaxVariables]
		if facts.Refusal == nil || facts.Refusal.Kind != shell.KindLimit {
			facts.Refusal = shell.Refuse(facts.Command, shell.KindLimit, fmt.Sprintf("more than %d variables", shell.MaxVariables), 0, len(facts.Command))
		}
	}
	facts.Env, facts.Variables = spelling.Tidy(append(facts.Env, upper(names)...)), names
}

// upper returns names in upper case.
func upper(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = strings.ToUpper(name)
	}
	return list
}
