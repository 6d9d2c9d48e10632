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

// ruleWarnings warns about rules that name a link, a program that this machine does not have, or words
// that the catalog does not have.
func (l *Linter) ruleWarnings(document *config.Document, tables analyzer.Tables, kinds map[string]string) []gavel.Problem {
	found := ruleLint{findings: findings{document: document}, hazards: tables.Hazards}
	for _, r := range rulesOf(document) {
		if to := l.Files.LinkTarget(r.program); to != "" {
			found.add(r.path, "name the program that it leads to, or check that the name is what you mean",
				"program %q is a link: the rule is about its target when the policy was loaded, %s", r.program, to)
		}
		if l.Files.absent(r.program) {
			found.add(r.path, "correct the path, or delete the rule if no machine has the program", "there is no %q on this machine", r.program)
		}
		program := path.Base(r.program)
		if !found.hazards.Described(program) {
			continue
		}
		found.unknownHazards(r, program, kinds)
		for _, option := range r.options {
			if !slices.Contains(found.hazards.Options(program), option) {
				found.add(r.path+".options", "see what gavel programs "+program+" lists", "the catalog entry of %s does not have %s: the rule matches only that spelling", program, option)
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
				"the catalog entry of %s does not have %s: it may be an alias, so no rule that allows matches it", program, strings.Join(words[:i+1], " "))
		}
		return
	}
}
