package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gavel"
	"gavel/bundles/config"
)

// regexSigns returns an expression for what has a meaning in regular expressions and is hardly ever
// meant literally in a glob.
func regexSigns() *regexp.Regexp {
	return regexp.MustCompile(`^\^|\$$|^\.\*|[-_)\]]\.[*+]|\.\+|\\[dwsbDWSB.]|\([^()]*\|[^()]*\)|\(\?`)
}

// patterns warns about patterns that probably do not match what their author meant: regular expressions
// instead of globs, and directories instead of the files in them.
func (f Files) patterns(document *config.Document) []gavel.Problem {
	found := findings{document: document}
	expression := regexSigns()
	glob := func(path string, texts []string) {
		for i, text := range texts {
			if expression.MatchString(text) {
				found.add(fmt.Sprintf("%s[%d]", path, i), "write a glob, such as main or release-*, and one item for each alternative",
					"%q looks like a regular expression, and is compared as a glob, in which only * and ? are special", text)
			}
		}
	}
	for _, rule := range rulesOf(document) {
		glob(rule.path+".operands", textsOf(rule.given["operands"]))
		options, _ := rule.given["options"].(map[string]any)
		for _, name := range sorted(options) {
			glob(rule.path+".options."+name, textsOf(options[name]))
		}
	}
	for _, access := range []string{"read", "write"} {
		for _, kind := range []string{"allow", "deny"} {
			for _, at := range entries(document.Data, "", kind) {
				if !strings.HasSuffix(at.path[:strings.LastIndexByte(at.path, '[')], "."+access+"."+kind) {
					continue
				}
				if expression.MatchString(at.pattern) {
					found.add(at.path, "write a glob, such as ./**/*.go; * matches within a directory, ** across directories",
						"%q looks like a regular expression, and is compared as a glob", at.pattern)
				}
				if f.directory(at.pattern) {
					found.add(at.path, "write "+strings.TrimSuffix(at.pattern, "/")+"/**", "%q is a directory, and the pattern does not match the files in it", at.pattern)
				}
			}
		}
	}
	return found.list
}

// directory reports whether a pattern names a single directory of this machine.
func (f Files) directory(pattern string) bool {
	full := f.full(pattern)
	if !filepath.IsAbs(full) || strings.ContainsAny(full, "*?") || full == "/" {
		return false
	}
	info, err := os.Stat(full)
	return err == nil && info.IsDir()
}

// singleLetters returns the one-letter options in a word such as -rf, if each of its letters is an
// option among names; nil otherwise.
func singleLetters(option string, names []string) (single []string) {
	if len(option) < 3 || strings.HasPrefix(option, "--") {
		return nil
	}
	for _, letter := range option[1:] {
		if !slices.Contains(names, "-"+string(letter)) {
			return nil
		}
		single = append(single, "-"+string(letter))
	}
	return single
}
