package analyzer

import (
	"fmt"
	"strings"

	"gavel"
)

// command parses the command, takes the wrappers off, looks up the programs and
// renders it. It returns the protected places that the command names.
func (p *place) command(facts *gavel.ExecFacts, dir string, given []assignment) []gavel.Touch {
	if strings.TrimSpace(facts.Command) == "" {
		facts.Refusal = &gavel.Refusal{Kind: kindParameters, Construct: "missing or empty command",
			Start: 0, End: len(facts.Command), Line: 1, Column: 1}
		return p.textTouches(facts, dir)
	}
	script := p.parsers.parse(facts.Command, facts.Shell)
	if script.refusal != nil {
		facts.Refusal = script.refusal
		sets(facts, script.names)
		return p.textTouches(facts, dir)
	}
	u := unfolder{place: *p, dir: dir, shell: facts.Shell, text: facts.Command,
		list: facts.Segments, constructs: facts.Constructs, files: facts.Redirects, values: given}
	whole := u.script(script, call{dir: dir})
	u.computed()
	u.complete(dir)
	if p.budget.over() && u.refusal == nil {
		u.refusal = refusal(facts.Command, kindLimit, "command that takes too long to analyse", 0, len(facts.Command))
	}
	r := renderer{proof: proof{p.parsers, p.builtins}}
	if u.refusal == nil {
		facts.Rendered = r.render(whole)
	}
	switch {
	case r.long:
		u.refusal = refusal(facts.Command, kindLimit, "text of a shell that is too long once it is quoted", 0, len(facts.Command))
	case r.wrong && !r.missing:
		u.refusal = refusal(facts.Command, kindRendering, "what was printed of it, read once more,", 0, len(facts.Command))
	}
	if construct := beyond(&u); construct != "" {
		u.refusal = refusal(facts.Command, kindLimit, construct, 0, len(facts.Command))
	}
	sets(facts, u.names)
	facts.Assigned = assignments(u.values, u.exportsAll)
	if facts.Refusal != nil { // there are too many of them
		facts.Assigned = assignments(given, false)
		return p.textTouches(facts, dir)
	}
	if u.refusal != nil {
		facts.Refusal = u.refusal
		return p.textTouches(facts, dir)
	}
	u.settled()
	facts.Parsed, facts.Segments, facts.Constructs, facts.Redirects = true, u.list, u.constructs, u.files
	return u.touches(facts, dir)
}

// beyond says of which things a command has more than is judged.
func beyond(u *unfolder) string {
	switch {
	case len(u.files) > maxRedirects:
		return fmt.Sprintf("more than %d redirections", maxRedirects)
	case len(u.constructs) > maxConstructs:
		return fmt.Sprintf("more than %d constructs", maxConstructs)
	}
	return ""
}

// sets notes variables that the text of a command sets or takes away.
func sets(facts *gavel.ExecFacts, names []string) {
	names = tidy(names)
	if len(names) > maxVariables {
		names = names[:maxVariables]
		if facts.Refusal == nil || facts.Refusal.Kind != kindLimit {
			facts.Refusal = refusal(facts.Command, kindLimit, fmt.Sprintf("more than %d variables", maxVariables), 0, len(facts.Command))
		}
	}
	facts.Env, facts.Variables = tidy(append(facts.Env, upper(names)...)), names
}

// upper returns names in upper case.
func upper(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = strings.ToUpper(name)
	}
	return list
}
