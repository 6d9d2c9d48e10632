package analyzer

import (
	"fmt"
	"slices"

	"gavel"
	"gavel/analyzer/programs"
	"gavel/internal/getopt"
)

// SafeBins is how filters read their arguments, by name. It never changes, and is
// safe for concurrent use. Which filters may run, with which of these options, is
// not said here.
type SafeBins map[string]filterProfile

// filterProfile is the part of a profile that reading arguments takes.
type filterProfile struct {
	vocabulary getopt.Vocabulary
	grammar    string // of the first operand, or ""
}

// newSafeBins takes the profiles of a catalog over.
func newSafeBins(catalog *programs.Catalog) (SafeBins, error) {
	bins := SafeBins{}
	for _, e := range catalog.Entries() {
		if e.SafeBin == nil {
			continue
		}
		if !slices.Contains([]string{"", grammarJQ}, e.SafeBin.Language) {
			return nil, fmt.Errorf("safe bins: %s: language %q is none", e.Name, e.SafeBin.Language)
		}
		p := filterProfile{grammar: e.SafeBin.Language, vocabulary: getopt.Vocabulary{Options: map[string]getopt.Kind{},
			Number: e.SafeBin.NumberFirst, Words: e.SafeBin.ValuesAreWords}}
		for _, o := range e.Options {
			kind := map[programs.Value]getopt.Kind{programs.ValueNone: getopt.Flag, programs.ValueRequired: getopt.Value,
				programs.ValueOptional: getopt.Attached, programs.ValuePair: getopt.Pair}[o.Value]
			if o.SafeBin == "without_value" {
				kind = getopt.Flag
			}
			for _, name := range o.Names {
				if o.SafeBin == "allowed" || o.SafeBin == "without_value" {
					p.vocabulary.Options[name] = kind
				}
			}
		}
		bins[e.Name] = p
	}
	return bins, nil
}

// class reads the arguments of a filter that goes by its real name; it is nil for
// every other program.
func (s SafeBins) class(argv []string, executable gavel.Executable) *gavel.Class {
	profile, known := s[executable.RealName]
	if !known || !executable.Found {
		return nil
	}
	class := getopt.Read(executable.RealName, argv, profile.vocabulary)
	if profile.grammar == grammarJQ && len(class.Operands) > 0 {
		class.Filter = readJQ(class.Operands[0].Text)
	}
	return &class
}
