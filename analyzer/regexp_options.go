package analyzer

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// unknownText stands for the parts of a match that the pattern does not determine.
const unknownText = "\x00"

// maxExpansions limits the texts to which a pattern is expanded.
const maxExpansions = 64

// optionsInRegexp returns the long options that a regular expression names, in lower case and sorted.
func optionsInRegexp(pattern string) []string {
	options := []string{}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return options
	}
	name := regexp.MustCompile(`--[A-Za-z0-9][A-Za-z0-9-]*`)
	for _, text := range expandRegexp(parsed) {
		for _, option := range name.FindAllString(text, -1) {
			options = append(options, strings.ToLower(option))
		}
	}
	slices.Sort(options)
	return slices.Compact(options)
}

// expandRegexp returns texts that a pattern matches, with [unknownText] in them. For a pattern that
// matches too many texts it returns unknownText alone.
func expandRegexp(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpCapture, syntax.OpPlus:
		return expandRegexp(re.Sub[0])
	case syntax.OpQuest, syntax.OpStar:
		return limitTexts(append([]string{""}, expandRegexp(re.Sub[0])...))
	case syntax.OpRepeat:
		return limitTexts(append([]string{""}, expandRegexp(re.Sub[0])...))
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, expandRegexp(sub)...)
		}
		return limitTexts(all)
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			var longer []string
			for _, end := range expandRegexp(sub) {
				for _, start := range all {
					longer = append(longer, start+end)
				}
			}
			all = limitTexts(longer)
		}
		return all
	case syntax.OpCharClass:
		return expandClass(re.Rune)
	}
	return []string{unknownText}
}

// expandClass returns the characters of a small class, such as [-=] or both cases of a letter.
func expandClass(runes []rune) []string {
	const most = 8
	var all []string
	for i := 0; i+1 < len(runes); i += 2 {
		for r := runes[i]; r <= runes[i+1]; r++ {
			if all = append(all, string(r)); len(all) > most {
				return []string{unknownText}
			}
		}
	}
	return all
}

// limitTexts returns the texts, or only unknownText if there are too many.
func limitTexts(texts []string) []string {
	if len(texts) > maxExpansions {
		return []string{unknownText}
	}
	return texts
}
