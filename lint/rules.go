package lint

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/programs"
	"gavel/bundles"
	"gavel/bundles/config"
	"gavel/internal/nearest"
)

// configuredRule is one rule about commands, with its settings.
type configuredRule struct {
	path, agent     string
	program, effect string
	commands        []string
	options         []string
	given           map[string]any
}

// rulesOf returns every rule of a configuration.
func rulesOf(document *config.Document) []configuredRule {
	var found []configuredRule
	for _, place := range execSections(document.Data) {
		list, _ := place.section["rules"].([]any)
		for i, item := range list {
			given, ok := item.(map[string]any)
			if !ok {
				continue
			}
			found = append(found, newRule(fmt.Sprintf("%s.rules[%d]", place.path, i), place.agent, given))
		}
	}
	return found
}

func newRule(path, agent string, given map[string]any) configuredRule {
	rule := configuredRule{path: path, agent: agent, given: given, commands: textsOf(given["commands"]), options: textsOf(given["options"])}
	rule.program, _ = given["program"].(string)
	rule.effect, _ = given["effect"].(string)
	if options, isMap := given["options"].(map[string]any); isMap {
		rule.options = sorted(options)
	}
	return rule
}

// execSection is a section of exec settings, with the agent to which it applies.
type execSection struct {
	path, agent string
	section     map[string]any
}

func execSections(data map[string]any) []execSection {
	all, _ := data["agents"].(map[string]any)
	ids := slices.DeleteFunc(sorted(all), func(id string) bool { return id == "defaults" || id == "list" })
	anyone := "main"
	if len(ids) > 0 {
		anyone = ids[0]
	}
	tools, _ := data["tools"].(map[string]any)
	shared, _ := tools["exec"].(map[string]any)
	sections := []execSection{{"tools.exec", anyone, shared}}
	for _, id := range append([]string{"defaults"}, ids...) {
		agent, _ := all[id].(map[string]any)
		own, _ := agent["exec"].(map[string]any)
		who := id
		if id == "defaults" {
			who = "any-other-agent"
		}
		sections = append(sections, execSection{"agents." + id + ".exec", who, own})
	}
	return sections
}

func textsOf(value any) []string {
	list, _ := value.([]any)
	var texts []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// CheckRules checks the rules and allowlists of a policy against the tables of programs, and
// tries the examples of its rules. Loading a policy includes this check.
func (l *Linter) CheckRules(ctx context.Context, snapshot *bundles.Snapshot) error {
	document := snapshot.Document()
	found, err := l.Mistakes(document)
	if err == nil && len(found) == 0 {
		found, err = l.tryExamples(ctx, snapshot, rulesOf(document))
	}
	if err == nil && len(found) > 0 {
		return &gavel.PolicyError{Problems: found}
	}
	return err
}

// Mistakes returns the mistakes in the rules and allowlists of a configuration that the tables of
// programs show. A policy with one is not loaded.
func (l *Linter) Mistakes(document *config.Document) ([]gavel.Problem, error) {
	rules := rulesOf(document)
	entries := slices.DeleteFunc(allowlistEntries(document.Data, ""), func(e allowlistEntry) bool {
		return len(e.args) == 0 || slices.Contains(e.args, "any")
	})
	if len(rules)+len(entries) == 0 {
		return nil, nil
	}
	tables, err := l.Tables()
	if err != nil {
		return nil, err
	}
	found := ruleLint{findings: findings{document: document}, hazards: tables.Hazards}
	for _, entry := range entries {
		found.entry(entry)
	}
	for _, rule := range rules {
		found.rule(rule)
	}
	return found.list, nil
}

// ruleLint collects mistakes in rules.
type ruleLint struct {
	findings
	hazards *hazard.Table
}

// entry checks the args of an allowlist entry, which are the hazards that it accepts. If args
// names no hazard, the author meant something else, usually a list of permitted arguments.
func (l *ruleLint) entry(e allowlistEntry) {
	program := path.Base(e.pattern)
	if strings.ContainsAny(program, "*?") {
		return
	}
	var others []string
	for _, name := range e.args {
		known := l.hazards.MayBeHazard(program, name)
		if !l.hazards.Described(program) {
			known = strings.HasPrefix(name, "-") || name == "dynamic" || name == "secret" || name == "closed" || strings.Contains(name, " ")
		}
		switch {
		case known:
		case slices.Contains(programs.Kinds(), name):
			l.add(e.path, "put this under rules instead of the entry: {program: "+e.pattern+", accepts: ["+name+"], effect: allow}",
				"args lists hazards by name, and %s is a kind of hazard: only a rule accepts a whole kind", name)
		default:
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		l.add(e.path, "delete args; to permit these arguments and no others, put this under rules instead of the entry: "+l.intendedRule(e.pattern, others),
			"args lists hazards that the entry accepts, and %s names none of %s: the entry permits every argument that is not a hazard",
			strings.Join(others, ", "), program)
	}
}

// intendedRule returns the rule that permits what the author of a list of args seems to mean.
func (l *ruleLint) intendedRule(pattern string, args []string) string {
	var options, words []string
	for _, name := range args {
		if strings.HasPrefix(name, "-") {
			options = append(options, name)
		} else {
			words = append(words, name)
		}
	}
	rule := []string{"program: " + pattern}
	if len(words) > 0 {
		key := "operands"
		if len(l.hazards.Subcommands(path.Base(pattern))) > 0 {
			key = "commands"
		}
		rule = append(rule, fmt.Sprintf("%s: [%s]", key, strings.Join(words, ", ")))
	}
	if len(options) > 0 {
		rule = append(rule, fmt.Sprintf("options: [%s]", strings.Join(options, ", ")))
	}
	return "{" + strings.Join(append(rule, "effect: allow"), ", ") + "}"
}

// rule checks the words of a rule against its program's grammar.
func (l *ruleLint) rule(r configuredRule) {
	for _, key := range []string{"commands", "operands", "approvers"} {
		if list, there := r.given[key].([]any); there && len(list) == 0 && (key != "operands" || r.effect != "allow") {
			l.add(r.path+"."+key, "leave it out, or name one", "the list is empty, so the rule would match nothing")
		}
	}
	if options, there := r.given["options"].(map[string]any); there && len(options) == 0 {
		l.add(r.path+".options", "leave it out, or name an option", "the map is empty, so the rule would match nothing")
	}
	if list, there := r.given["options"].([]any); there && len(list) == 0 && r.effect != "allow" {
		l.add(r.path+".options", "leave it out, or name an option", "the list is empty, so the rule would match nothing")
	}
	if _, there := r.given["accepts"]; there && r.effect != "allow" {
		l.add(r.path+".accepts", "delete it", "only a rule that allows accepts hazards")
	}
	for _, name := range textsOf(r.given["accepts"]) {
		if now := programs.RenamedKind(name); now != "" {
			l.add(r.path+".accepts", "write "+now, "the kind of hazard %q is now called %q", name, now)
		}
	}
	for _, key := range []string{"approvers", "quorum", "timeout"} {
		if _, there := r.given[key]; there && r.effect != "ask" {
			l.add(r.path+"."+key, "delete it, or set effect: ask", "only a rule that asks has people who answer")
		}
	}
	program := path.Base(r.program)
	if strings.ContainsAny(program, "*?") {
		program = ""
	}
	if len(r.options) > 0 && !l.hazards.Described(program) {
		l.add(r.path+".options", "leave options out; operands of such a program are all of its words",
			"the options of %q are unknown, so Gavel cannot tell which of them a command has", path.Base(r.program))
		return
	}
	if program == "" || !l.hazards.Described(program) {
		return
	}
	l.words(r, program)
}

// words looks for names that the program does not have and that are probably misspelt.
func (l *ruleLint) words(r configuredRule, program string) {
	if len(r.commands) > 0 && len(l.hazards.Subcommands(program)) == 0 {
		l.add(r.path+".commands", "use operands instead", "%s has no sub-commands", program)
		return
	}
	for i, command := range r.commands {
		words := strings.Fields(command)
		for j, word := range words {
			names := l.hazards.Subcommands(program, words[:j]...)
			if len(names) == 0 || slices.Contains(names, word) {
				continue
			}
			if near := nearest.Name(word, names); near != "" {
				l.add(fmt.Sprintf("%s.commands[%d]", r.path, i), "correct the name; gavel programs "+program+" lists them",
					"%s has no sub-command %q", program, word).Nearest = near
			}
		}
	}
	for _, option := range r.options {
		names := l.hazards.Options(program)
		for _, command := range r.commands {
			if len(r.commands) == 1 {
				names = l.hazards.Options(program, strings.Fields(command)...)
			}
		}
		if slices.Contains(names, option) {
			continue
		}
		if single := singleLetters(option, names); len(single) > 0 {
			l.add(r.path+".options", "write "+strings.Join(single, ", "),
				"%q is several options of %s in one word; a rule names each of them, and matches every spelling", option, program)
			continue
		}
		if near := nearest.Name(option, names); near != "" && len(option) > 2 {
			l.add(r.path+".options", "correct the name; gavel programs "+program+" lists them",
				"%s has no option %q", strings.Join(append([]string{program}, r.commands...), " "), option).Nearest = near
		}
	}
}
