package bundles

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/internal/pathglob"
)

// list is what one section says of programs. An entry of its allowlist is the case of a rule
// that permits a program with any words, so one index finds both. They differ in what counts:
// of the entries the first that a program matches, of the rules all of them.
type list struct {
	entries []gavel.Match
	refs    []gavel.RuleRef  // rules
	allows  []bool           // by rule
	names   map[string][]int // rules by the program's name, in lower case
	bases   map[string][]int // rules that ask or deny, by the name that a text may mention
	objects []int            // rules that ask or deny
	targets map[string][]int // rules by where a program that is a link led

	paths      *pathglob.Index
	held       []held // by position in paths
	hasEntries bool   // the section has an allowlist
	hasRules   bool   // the section has rules

	ground *pathglob.Index // patterns of programs in the workspace, which is ~ there
	below  [][]int         // the rules with each, by position in ground
}

// held is what there is for one pattern.
type held struct {
	entry int // the first entry with it, or -1
	rules []int
}

// newList reads a section of exec settings, or a pack. leads is as in newLists.
func newList(name string, section any, leads func(string) string) *list {
	l := &list{names: map[string][]int{}, bases: map[string][]int{}, targets: map[string][]int{},
		hasEntries: at(section, "allowlist") != nil, hasRules: at(section, "rules") != nil}
	patterns, grounds, positions := []string{}, []string{}, map[string]int{}
	holding := func(pattern string) *held {
		position, known := positions[pattern]
		if !known {
			position, positions[pattern] = len(patterns), len(patterns)
			patterns, l.held = append(patterns, pattern), append(l.held, held{entry: -1})
		}
		return &l.held[position]
	}
	entries, _ := at(section, "allowlist").([]any)
	for i, item := range entries {
		entry := entryOf(item)
		entry.Path = fmt.Sprintf("%s.allowlist[%d]", name, i)
		if at := holding(entry.Pattern); at.entry < 0 {
			at.entry = i
		}
		l.entries = append(l.entries, entry)
	}
	rules, _ := at(section, "rules").([]any)
	for i, item := range rules {
		ref := gavel.RuleRef{List: name, Index: i}
		program, _ := at(item, "program").(string)
		if !strings.Contains(program, "/") {
			key := strings.ToLower(program)
			l.names[key] = append(l.names[key], i)
		} else if pattern, inside := strings.CutPrefix(program, "./"); inside {
			grounds, l.below = append(grounds, "~/"+pattern), append(l.below, []int{i})
		} else {
			if leads != nil {
				ref.Target = leads(program)
			}
			if ref.Target != "" {
				l.targets[ref.Target] = append(l.targets[ref.Target], i)
			}
			at := holding(program)
			at.rules = append(at.rules, i)
		}
		allows := at(item, "effect") == "allow"
		if !allows {
			base := program[strings.LastIndexByte(program, '/')+1:]
			l.bases[base] = append(l.bases[base], i)
			l.objects = append(l.objects, i)
		}
		l.refs, l.allows = append(l.refs, ref), append(l.allows, allows)
	}
	l.paths, l.ground = pathglob.New(patterns), pathglob.New(grounds)
	return l
}

// entryOf reads an entry of an allowlist.
func entryOf(item any) gavel.Match {
	text, ok := item.(string)
	var args []string
	if !ok {
		text, _ = at(item, "pattern").(string)
		args = accepted(at(item, "args"))
	}
	return gavel.Match{Found: true, Pattern: strings.TrimSpace(text), Args: args}
}

// accepted reads the args of an entry: any, or a list of hazards by name. Any other value
// accepts nothing.
func accepted(value any) []string {
	if value == "any" {
		return []string{"any"}
	}
	return slices.DeleteFunc(names(value), func(name string) bool { return name == "any" })
}

// about returns the positions of the patterns that a path matches.
func (l *list) about(path, home string) []int {
	if path == "" {
		return nil
	}
	return l.paths.All(path, home)
}

// entry returns the first entry at some positions.
func (l *list) entry(positions []int) gavel.Match {
	first := len(l.entries)
	for _, position := range positions {
		if entry := l.held[position].entry; entry >= 0 {
			first = min(first, entry)
		}
	}
	if first == len(l.entries) {
		return gavel.Match{}
	}
	return l.entries[first]
}

// candidates adds the rules that may be about a program, or about a command that its words
// mention and that it may run. positions are the positions of the program's real path. Where
// onlyObjecting is true, rules that permit do not hold.
func (l *list) candidates(found []gavel.RuleRef, part *rulePart, positions []int, home string, onlyObjecting bool) []gavel.RuleRef {
	var rules []int
	for _, name := range part.names {
		rules = append(rules, l.names[name]...)
	}
	if part.executable.Path != part.executable.Real {
		positions = append(slices.Clone(positions), l.about(part.executable.Path, home)...)
	}
	for _, position := range positions {
		rules = append(rules, l.held[position].rules...)
	}
	for _, path := range []string{part.executable.Path, part.executable.Real} {
		rules = append(rules, l.targets[path]...)
		for _, position := range l.ground.All(path, part.workspace) {
			rules = append(rules, l.below[position]...)
		}
	}
	if part.anything {
		rules = append(rules, l.objects...)
	}
	for _, word := range part.mentions {
		rules = append(rules, l.bases[word]...)
	}
	slices.Sort(rules)
	for _, i := range slices.Compact(rules) {
		if !onlyObjecting || !l.allows[i] {
			found = append(found, l.refs[i])
		}
	}
	return found
}
