package hazard

import (
	"fmt"
	"slices"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/filter"
	"gavel/analyzer/hazard/lang"
	"gavel/analyzer/programs"
)

// SafeBins says how filters read their arguments, by name. It is immutable and safe for
// concurrent use. The policy decides which filters may run, and with which of these options.
type SafeBins map[string]*filterProfile

// filterProfile is the part of a profile that is needed to read arguments.
type filterProfile struct {
	options argv.Grammar
	grammar string // of the first operand, or ""
}

// NewSafeBins reads the profiles from a catalog.
func NewSafeBins(catalog *programs.Catalog) (SafeBins, error) {
	bins := SafeBins{}
	for _, e := range catalog.Entries() {
		if e.SafeBin == nil {
			continue
		}
		if !slices.Contains([]string{"", lang.NameJQ}, e.SafeBin.Language) {
			return nil, fmt.Errorf("safe bins: %s: unknown language %q", e.Name, e.SafeBin.Language)
		}
		p := &filterProfile{grammar: e.SafeBin.Language, options: argv.Grammar{Options: map[string]argv.Option{},
			Exact: argv.Exact{On: true, NumberFirst: e.SafeBin.NumberFirst, ValuesAreWords: e.SafeBin.ValuesAreWords, NeedsValue: true}}}
		for _, o := range e.Options {
			takes := o.Value.Takes()
			if o.SafeBin == "without_value" {
				takes = argv.None
			}
			for _, name := range o.Names {
				if o.SafeBin == "allowed" || o.SafeBin == "without_value" {
					p.options.Options[name] = argv.Option{Name: name, Takes: takes}
				}
			}
		}
		bins[e.Name] = p
	}
	return bins, nil
}

// Class reads the arguments of a filter, looked up by its real name. It is nil for every other
// program.
func (s SafeBins) Class(words []string, executable gavel.Executable) *gavel.Class {
	profile, known := s[executable.RealName]
	if !known || !executable.Found {
		return nil
	}
	class := filter.Read(executable.RealName, words, &profile.options)
	if profile.grammar == lang.NameJQ && len(class.Operands) > 0 {
		class.Filter = lang.JQ(class.Operands[0].Text)
	}
	return &class
}
