package lint

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/bundles"
)

// tryExamples checks the rules of a policy against their examples, and returns a problem for each
// example that is decided otherwise. Each program is assumed to be in a trusted directory, or at the
// path in the rule: an example is about its words, not about this machine.
func (l *Linter) tryExamples(ctx context.Context, snapshot *bundles.Snapshot, rules []configuredRule) ([]gavel.Problem, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	observer, err := l.Observer()
	if err != nil {
		return nil, err
	}
	to := findings{document: snapshot.Document()}
	for _, rule := range rules {
		examples, _ := rule.given["examples"].(map[string]any)
		for _, key := range []string{"match", "not"} {
			for i, example := range textsOf(examples[key]) {
				if err := ctx.Err(); err != nil {
					return nil, fmt.Errorf("try the examples of rules: %w", err)
				}
				call := gavel.Call{Agent: gavel.Agent{ID: rule.agent}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": example}},
					Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Platform: "linux",
						Executables: ProgramsIn(example, rule.program)}}
				facts := observer.Analyze(ctx, call, nil)
				found, err := snapshot.MatchRules(ctx, facts)
				if err != nil {
					return nil, err
				}
				if slices.Contains(found.Applied, rule.path) == (key == "match") {
					continue
				}
				to.add(fmt.Sprintf("%s.examples.%s[%d]", rule.path, key, i), "correct the example or the rule",
					"%s", explainExample(rule, example, key, &facts, found))
			}
		}
	}
	return to.list, nil
}

// ProgramsIn returns the executables of a call for an example: a path for every word that may be the
// name of a program.
func ProgramsIn(example, program string) map[string]string {
	programs := map[string]string{}
	for _, word := range strings.FieldsFunc(example, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`$();|&<>{}=", c) }) {
		switch {
		case strings.HasPrefix(word, "/"):
			programs[word] = word
		case strings.HasPrefix(word, "./"): // relative to the directory in which examples run
			programs["/srv/app"+word[1:]] = "/srv/app" + word[1:]
		case !strings.Contains(word, "/"):
			programs[word] = "/usr/bin/" + word
		}
	}
	if strings.Contains(program, "/") {
		file := strings.NewReplacer("**", "x", "*", "x", "?", "x", "~/", "/home/u/").Replace(program)
		programs[path.Base(file)], programs[file] = file, file
	}
	return programs
}

// explainExample explains word by word how an example was read, and which condition of the rule
// decided.
func explainExample(rule configuredRule, example, key string, facts *gavel.Facts, found bundles.RuleMatches) string {
	var b strings.Builder
	want, got := "must match, and does not", "it does not run "+rule.program
	if key == "not" {
		want, got = "must not match, and does", ""
	}
	fmt.Fprintf(&b, "example %q %s", example, want)
	if facts.Exec == nil || !facts.Exec.Parsed {
		return b.String() + ": it was not understood: " + notUnderstood(facts)
	}
	for _, conditions := range found.Conditions {
		if conditions.Path != rule.path || !conditions.Program {
			continue
		}
		got = ""
		if key == "not" {
			break
		}
		for _, c := range []struct {
			holds bool
			key   string
		}{{conditions.Commands, "commands"}, {conditions.Options, "options"}, {conditions.Operands, "operands"}} {
			if !c.holds {
				got = fmt.Sprintf("its words do not match %s", c.key)
			}
		}
	}
	if got != "" {
		b.WriteString(": " + got)
	}
	b.WriteString("; word by word: ")
	for i := range facts.Exec.Segments {
		s := &facts.Exec.Segments[i]
		if i > 0 {
			b.WriteString("; then ")
		}
		b.WriteString(wordByWord(s))
	}
	return b.String()
}

func notUnderstood(facts *gavel.Facts) string {
	if facts.Exec == nil || facts.Exec.Refusal == nil {
		return "it is not a command"
	}
	return facts.Exec.Refusal.Construct
}

// wordByWord explains how each word of a segment was read.
func wordByWord(s *gavel.Segment) string {
	var parts []string
	for _, w := range s.Wrappers {
		parts = append(parts, strings.Join(w.Argv, " ")+" = wrapper")
	}
	notes := map[int][]string{} // by the index of the word
	note := func(i int, format string, args ...any) { notes[i] = append(notes[i], fmt.Sprintf(format, args...)) }
	for _, o := range s.Options {
		names := strings.Join(o.Names, ", ")
		switch {
		case !o.Known:
			note(o.Index, "an option that the catalog does not have")
		case o.HasValue:
			note(o.Index, "option %s with the value %q", names, o.Value)
		default:
			note(o.Index, "option %s", names)
		}
	}
	for _, o := range s.Operands {
		note(o.Index, "operand")
	}
	commands := s.Commands
	for i, word := range s.Argv {
		switch {
		case i == 0:
			note(0, "program")
		case notes[i] == nil && len(commands) > 0 && word == commands[0]:
			note(i, "sub-command")
			commands = commands[1:]
		case notes[i] == nil:
			note(i, "value of the option before it")
		}
		if slices.Contains(s.Dynamic, i) {
			note(i, "produced at run time")
		}
		parts = append(parts, word+" = "+strings.Join(notes[i], " and "))
	}
	return strings.Join(parts, ", ")
}
