package hazard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/hazard/lang"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// grammarWords is the grammar of texts that consist of listed words.
const grammarWords = "words"

// rule is a rule of the catalog about operands or values of options.
type rule struct{ programs.Rule }

// matchesOperand reports whether the rule applies to the operand with this number, from 1. With orGreater,
// the true number may be higher, because the number of words before it is unknown.
func (r rule) matchesOperand(number int, orGreater bool) bool {
	return (number >= r.OperandsFrom || orGreater) && (r.Operand == 0 || number == r.Operand || orGreater && number < r.Operand)
}

// checkGrammar returns an error for an unknown grammar, or one that does not fit the rule.
func checkGrammar(r programs.Rule) error {
	switch {
	case (r.Grammar == lang.NameJQ) != (len(r.Mentions) > 0):
		return errors.New("mentions belong to grammar jq, which needs them")
	case r.Grammar != "" && r.Grammar != lang.NameJQ && r.Grammar != grammarWords && harmlessBy(r.Grammar) == nil:
		return fmt.Errorf("unknown grammar %q", r.Grammar)
	default:
		return nil
	}
}

// checkRules checks the rules of a program and of its sub-commands.
func checkRules(g *programs.Grammar) error {
	for _, r := range g.Rules {
		if err := checkGrammar(r); err != nil {
			return fmt.Errorf("rule %q: %w", r.HazardName, err)
		}
	}
	for _, name := range g.SortedSubcommands() {
		if err := checkRules(&g.Subcommands[name].Grammar); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// harmless reports whether a text is plainly harmless by the grammar of the rule.
func (r rule) harmless(text string) bool {
	if r.Grammar == grammarWords {
		return onlyWords(text, r.Except)
	}
	if r.Grammar != lang.NameJQ {
		return harmlessBy(r.Grammar)(text)
	}
	filter := lang.JQ(text)
	return filter.Parsed && !slices.ContainsFunc(filter.Names, func(name string) bool { return slices.Contains(r.Mentions, name) })
}

// harmlessBy returns the check for plainly harmless texts of a grammar, or nil for an unknown
// grammar.
func harmlessBy(name string) func(string) bool {
	switch name {
	case "file":
		return plainFile
	case "away":
		return loopback
	case "foreign":
		return inWorkdir
	case "github":
		return onGitHub
	case "registry":
		return inRegistry
	case "assignment":
		return plainAssignment
	default:
		return lang.Plain(name)
	}
}

// kinds returns the kinds of hazard that the rule finds in a text. A text that the reader does
// not understand has a kind of its own, because its effects are unknown.
func (r rule) kinds(text string) []string {
	var effects lang.Effects
	switch dynamic := strings.Contains(text, argv.Unknown); {
	case r.Grammar != lang.NameSed && r.Grammar != lang.NameAwk && r.Grammar != lang.NameJQ:
		return []string{r.Means}
	case dynamic:
		effects = lang.Unread
	case r.Grammar == lang.NameSed:
		effects = lang.Sed(text)
	case r.Grammar == lang.NameAwk:
		effects = lang.Awk(text)
	case lang.JQ(text).Parsed:
		return []string{r.Means}
	default:
		effects = lang.Unread
	}
	kinds := []string{}
	for i, kind := range [...]string{"runs", "writes", "reads", kindUnread} {
		if effects&(1<<i) != 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// matchesText reports whether the rule applies to a text. A rule with a grammar applies to any text that
// is not plainly harmless. Plainly harmless are: a sed, awk, perl or python program without effects; a jq program that
// does not name its environment; a name that every way of opening files takes as a file (file); a
// URL of the local machine (away); what is on no other host than github.com (github); the name of a
// package in a registry (registry); a path inside the working directory that begins with a dot
// (foreign); a text of nothing but words of Except, ports, brackets and operators (words).
func (r rule) matchesText(text string) bool {
	if slices.Contains(r.Except, text) {
		return false
	}
	known, _, unknown := strings.Cut(text, argv.Unknown)
	switch {
	case unknown && (r.Grammar != "" || len(r.Contains)+len(r.HasWord) > 0 || r.LongerThan > 0):
		return true
	case unknown && len(r.BeginsWith)+len(r.Equals) > 0:
		known = strings.ToLower(known)
		return slices.ContainsFunc(slices.Concat(r.BeginsWith, r.Equals), func(p string) bool {
			return strings.HasPrefix(known, p) || strings.HasPrefix(p, known)
		})
	case r.Grammar != "":
		return !r.harmless(text)
	case len(r.BeginsWith)+len(r.Contains)+len(r.HasWord)+len(r.Equals)+r.LongerThan == 0:
		return true
	case slices.Contains(r.Equals, text):
		return true
	case r.LongerThan > 0 && len(text) > r.LongerThan:
		return true
	}
	lower := strings.ToLower(text)
	return slices.ContainsFunc(r.BeginsWith, func(p string) bool { return strings.HasPrefix(lower, p) }) ||
		slices.ContainsFunc(r.Contains, func(p string) bool { return strings.Contains(lower, p) }) ||
		slices.ContainsFunc(r.HasWord, func(p string) bool { return hasWord(lower, p) })
}

// hasWord reports whether text contains word as a whole name.
func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(word)
		if (at == 0 || !spelling.NameByte(text[at-1])) && (end == len(text) || !spelling.NameByte(text[end])) {
			return true
		}
		at++
	}
}
