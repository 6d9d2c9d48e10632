package main

import (
	"fmt"
	"maps"
	"slices"

	"gavel/analyzer/programs"
)

// compare says where an entry and its program differ, in order. An option that the entry
// explains is none; "*" explains each that is not listed, where that is a
// hazard, or the program is one by itself.
func compare(e *programs.Entry, grammar *programs.Grammar, said map[string]spoken) []string {
	listed := map[string]programs.Value{}
	for _, o := range grammar.Options {
		for _, name := range o.Names {
			listed[name] = o.Value
		}
	}
	var differences []string
	for _, name := range slices.Sorted(maps.Keys(said)) {
		value, known := listed[name]
		_, left := e.Unlisted[name]
		_, all := e.Unlisted["*"]
		left = left || all && (grammar.ListsEveryOption || grammar.Always != "")
		_, explained := e.OtherArity[name]
		switch s := said[name]; {
		case !known && !left:
			differences = append(differences, fmt.Sprintf("%s is in its %s, and not in the entry", name, s.from))
		case !known || explained || s.value == programs.ValueUnknown || value == programs.ValueUnknown || value == programs.ValuePair:
		case value != s.value:
			differences = append(differences, fmt.Sprintf("%s takes %s by its help, and %s in the entry", name, s.value, value))
		}
	}
	for _, reasons := range []programs.Reasons{e.Unlisted, e.OtherArity} {
		for _, name := range slices.Sorted(maps.Keys(reasons)) {
			if _, there := said[name]; !there && name != "*" {
				differences = append(differences, fmt.Sprintf("%s is explained in the entry, and not there", name))
			}
		}
	}
	return differences
}
