package ruleindex

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/bundles/config"
	"gavel/internal/pathglob"
)

// section is the index of one exec section of a configuration, or of one pack. Entries of an
// allowlist and rules name programs by the same patterns, so they share one glob index.
type section struct {
	entries    []gavel.Match   // of the allowlist, in order
	refs       []gavel.RuleRef // the rules, in order
	allows     []bool          // by rule: its effect is allow
	hasEntries bool            // the section has an allowlist, perhaps an empty one
	hasRules   bool            // the section has rules, perhaps none

	// Rules, as indexes into refs.
	byName     map[string][]int // by the program's name in lower case
	byTarget   map[string][]int // by the target of a program that is a link
	objecting  []int            // every rule that asks or denies
	byBaseName map[string][]int // those that ask or deny, by the last part of the program

	// Patterns of programs, and what has them. A pattern that begins with ./ is relative to the
	// workspace, so these have an index of their own in which ~ stands for the workspace.
	patterns          *pathglob.Index
	uses              []patternUse // by the pattern's position
	workspacePatterns *pathglob.Index
	workspaceRules    [][]int // by the pattern's position
}

// patternUse is what has one pattern.
type patternUse struct {
	entry int // the first allowlist entry with the pattern, or -1
	rules []int
}

// newSection indexes an exec section or a pack. name is its path in the configuration.
func newSection(name string, settings any, resolveLink func(string) string) *section {
	s := &section{byName: map[string][]int{}, byBaseName: map[string][]int{}, byTarget: map[string][]int{},
		hasEntries: config.LookUp(settings, "allowlist") != nil, hasRules: config.LookUp(settings, "rules") != nil}
	patterns, workspacePatterns, positions := []string{}, []string{}, map[string]int{}
	use := func(pattern string) *patternUse {
		position, known := positions[pattern]
		if !known {
			position, positions[pattern] = len(patterns), len(patterns)
			patterns, s.uses = append(patterns, pattern), append(s.uses, patternUse{entry: -1})
		}
		return &s.uses[position]
	}
	entries, _ := config.LookUp(settings, "allowlist").([]any)
	for i, item := range entries {
		entry := readEntry(item)
		entry.Path = fmt.Sprintf("%s.allowlist[%d]", name, i)
		if u := use(entry.Pattern); u.entry < 0 {
			u.entry = i
		}
		s.entries = append(s.entries, entry)
	}
	rules, _ := config.LookUp(settings, "rules").([]any)
	for i, item := range rules {
		ref := gavel.RuleRef{List: name, Index: i}
		program, _ := config.LookUp(item, "program").(string)
		if !strings.Contains(program, "/") {
			key := strings.ToLower(program)
			s.byName[key] = append(s.byName[key], i)
		} else if pattern, relative := strings.CutPrefix(program, "./"); relative {
			workspacePatterns, s.workspaceRules = append(workspacePatterns, "~/"+pattern), append(s.workspaceRules, []int{i})
		} else {
			if resolveLink != nil {
				ref.Target = resolveLink(program)
			}
			if ref.Target != "" {
				s.byTarget[ref.Target] = append(s.byTarget[ref.Target], i)
			}
			u := use(program)
			u.rules = append(u.rules, i)
		}
		allows := config.LookUp(item, "effect") == "allow"
		if !allows {
			base := program[strings.LastIndexByte(program, '/')+1:]
			s.byBaseName[base] = append(s.byBaseName[base], i)
			s.objecting = append(s.objecting, i)
		}
		s.refs, s.allows = append(s.refs, ref), append(s.allows, allows)
	}
	s.patterns, s.workspacePatterns = pathglob.New(patterns), pathglob.New(workspacePatterns)
	return s
}

// readEntry reads an allowlist entry: a pattern, or a map with a pattern and args.
func readEntry(item any) gavel.Match {
	pattern, ok := item.(string)
	var args []string
	if !ok {
		pattern, _ = config.LookUp(item, "pattern").(string)
		args = readArgs(config.LookUp(item, "args"))
	}
	return gavel.Match{Found: true, Pattern: strings.TrimSpace(pattern), Args: args}
}

// readArgs reads the args of an entry: any, or a list of argument hazards. Any other value
// accepts nothing.
func readArgs(value any) []string {
	if value == "any" {
		return []string{"any"}
	}
	return slices.DeleteFunc(stringsOf(value), func(name string) bool { return name == "any" })
}

// matching returns the positions of the patterns that match a path.
func (s *section) matching(path, home string) []int {
	if path == "" {
		return nil
	}
	return s.patterns.All(path, home)
}

// firstEntry returns the first allowlist entry among the patterns at some positions.
func (s *section) firstEntry(positions []int) gavel.Match {
	first := len(s.entries)
	for _, position := range positions {
		if entry := s.uses[position].entry; entry >= 0 {
			first = min(first, entry)
		}
	}
	if first == len(s.entries) {
		return gavel.Match{}
	}
	return s.entries[first]
}

// appendRules appends the rules that may apply to a program, or to another program that its
// words mention and that it may run. positions are the patterns that match the program's real
// path.
func (s *section) appendRules(found []gavel.RuleRef, q *Query, positions []int, home string, objectingOnly bool) []gavel.RuleRef {
	var rules []int
	for _, name := range q.names {
		rules = append(rules, s.byName[name]...)
	}
	if q.executable.Path != q.executable.Real {
		positions = append(slices.Clone(positions), s.matching(q.executable.Path, home)...)
	}
	for _, position := range positions {
		rules = append(rules, s.uses[position].rules...)
	}
	for _, path := range []string{q.executable.Path, q.executable.Real} {
		rules = append(rules, s.byTarget[path]...)
		for _, position := range s.workspacePatterns.All(path, q.workspace) {
			rules = append(rules, s.workspaceRules[position]...)
		}
	}
	if q.anyProgram {
		rules = append(rules, s.objecting...)
	}
	for _, word := range q.mentions {
		rules = append(rules, s.byBaseName[word]...)
	}
	slices.Sort(rules)
	for _, i := range slices.Compact(rules) {
		if !objectingOnly || !s.allows[i] {
			found = append(found, s.refs[i])
		}
	}
	return found
}
