package analyzer

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// hole stands for what a pattern does not say literally.
const hole = "\x00"

// mostTexts is how many texts a pattern is spelled out to.
const mostTexts = 64

// optionsIn returns the long options that a regular expression names, in lower case and sorted.
func optionsIn(pattern string) []string {
	options := []string{}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return options
	}
	name := regexp.MustCompile(`--[A-Za-z0-9][A-Za-z0-9-]*`)
	for _, text := range spelledOut(parsed) {
		for _, option := range name.FindAllString(text, -1) {
			options = append(options, strings.ToLower(option))
		}
	}
	slices.Sort(options)
	return slices.Compact(options)
}

// spelledOut returns texts that a pattern matches, with holes. Of a pattern that matches too many
// it is one hole.
func spelledOut(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpCapture, syntax.OpPlus:
		return spelledOut(re.Sub[0])
	case syntax.OpQuest, syntax.OpStar:
		return limited(append([]string{""}, spelledOut(re.Sub[0])...))
	case syntax.OpRepeat:
		return limited(append([]string{""}, spelledOut(re.Sub[0])...))
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, spelledOut(sub)...)
		}
		return limited(all)
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			var longer []string
			for _, end := range spelledOut(sub) {
				for _, start := range all {
					longer = append(longer, start+end)
				}
			}
			all = limited(longer)
		}
		return all
	case syntax.OpCharClass:
		return class(re.Rune)
	}
	return []string{hole}
}

// class spells out a small class of characters, such as [-=] or the two cases of a letter.
func class(runes []rune) []string {
	const most = 8
	var all []string
	for i := 0; i+1 < len(runes); i += 2 {
		for r := runes[i]; r <= runes[i+1]; r++ {
			if all = append(all, string(r)); len(all) > most {
				return []string{hole}
			}
		}
	}
	return all
}

// limited is a list of texts, or one hole if there are too many.
func limited(texts []string) []string {
	if len(texts) > mostTexts {
		return []string{hole}
	}
	return texts
}
