package hazard

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
	"gavel/analyzer/treescan"
)

// changeRule is one change of the catalog, applied to the words of a command.
type changeRule struct {
	*programs.ChangedFiles
	args    argv.Reading
	words   []string
	base    int
	exclude treescan.Exclusions // of directories
}

// applies reports whether the conditions of the change hold.
func (c *changeRule) applies() bool {
	return !c.args.Has(c.Unless) && mayHave(c.args, c.WithOneOf) &&
		(c.FewerThan == 0 || len(c.args.Operands) < c.FewerThan || c.args.Uncertain) &&
		!slices.ContainsFunc(c.args.Operands, func(o argv.Operand) bool {
			return len(c.UnlessOperand) > 0 && hasPrefixIn(o.Text, c.UnlessOperand)
		})
}

// counts reports whether the change applies to the operand with an index. first is the index of the first
// operand that may become several words, or negative.
func (c *changeRule) counts(i, first int) bool {
	if last := i == len(c.args.Operands)-1; c.Last && !last || c.NotLast && last {
		return false
	}
	shifted := c.args.Uncertain || first >= 0 && i >= first
	return shifted || i+1 >= c.OperandsFrom && (c.Operand == 0 || i+1 == c.Operand)
}

// exclusions returns what the words leave out of directories.
func (c *changeRule) exclusions() (out treescan.Exclusions) {
	if slices.ContainsFunc(c.words, func(word string) bool {
		return slices.Contains(c.OnlyNamedUnless, word) || strings.Contains(word, argv.Unknown)
	}) {
		return out
	}
	for _, g := range c.args.Options {
		if slices.Contains(c.WithOneOf, g.Name) {
			return out // a name pattern after it has no effect
		}
		if g.HasValue && slices.Contains(c.OnlyNamed, g.Name) {
			if out.Unmatched {
				return treescan.Exclusions{} // several of them may be alternatives
			}
			out = treescan.Exclusions{OnlyFiles: []string{g.Value}, Unmatched: true, InsideDenied: true}
		}
	}
	return out
}

// hasPrefixIn reports whether a text begins with one of some prefixes, or there are none.
func hasPrefixIn(text string, with []string) bool {
	return len(with) == 0 || slices.ContainsFunc(with, func(p string) bool { return strings.HasPrefix(text, p) })
}

// pathspec returns the literal path with which a pathspec of git begins.
func pathspec(text string) string {
	if magic, ok := strings.CutPrefix(text, ":"); ok {
		if inside, long := strings.CutPrefix(magic, "("); long {
			_, text, _ = strings.Cut(inside, ")")
		} else {
			text = strings.TrimLeft(magic, "/:")
		}
	}
	if wild := strings.IndexAny(text, "*?["); wild >= 0 {
		text = text[:strings.LastIndexByte(text[:wild], '/')+1]
	}
	if text == "" {
		return "."
	}
	return text
}
