package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer"
	"gavel/bundles/config"
)

// rulesToSee warns about rules: a followed link, a program that is not installed here, and
// words that the catalog does not have.
func (l *Linter) rulesToSee(document *config.Document, tables analyzer.Tables, kinds map[string]string) []gavel.Problem {
	found := ruleLint{findings: findings{document: document}, hazards: tables.Hazards}
	for _, r := range rulesOf(document) {
		if to := l.Files.Leads(r.program); to != "" {
			found.add(r.path, "name the program that it leads to, or check that the name is what you mean",
				"program %q is a link: the rule is about %s, to which it led when the policy was loaded", r.program, to)
		}
		if l.Files.absent(r.program) {
			found.add(r.path, "correct the path, or delete the rule if no machine has the program", "there is no %q on this machine", r.program)
		}
		program := path.Base(r.program)
		if !found.hazards.Described(program) {
			continue
		}
		found.accepted(r, program, kinds)
		for _, option := range r.options {
			if !slices.Contains(found.hazards.Options(program), option) {
				found.add(r.path+".options", "see what gavel programs "+program+" lists", "the table of %s does not have %s: only that spelling of it is known", program, option)
			}
		}
		for _, command := range r.commands {
			found.unlisted(r, program, strings.Fields(command))
		}
	}
	return found.list
}

// unlisted warns about the first word of a sub-command that the catalog does not have. Behind a
// sub-command that has none of its own, the word is probably an operand. A rule that asks or
// denies needs no warning about a word further in: it matches that word.
func (l *ruleLint) unlisted(r configuredRule, program string, words []string) {
	for i, word := range words {
		names := l.hazards.Subcommands(program, words[:i]...)
		switch {
		case slices.Contains(names, word):
			continue
		case i > 0 && len(names) == 0:
			l.add(r.path+".commands", fmt.Sprintf("write commands: [%s], operands: [%s]", strings.Join(words[:i], " "), strings.Join(words[i:], " ")),
				"%s %s has no sub-commands, so %s is an operand and the rule does not match it", program, strings.Join(words[:i], " "), word)
		case i == 0 || r.effect == "allow":
			l.add(r.path+".commands", "see what gavel programs "+program+" lists",
				"the table of %s does not have %s: it may be an alias, so no rule that allows matches it", program, strings.Join(words[:i+1], " "))
		}
		return
	}
}
