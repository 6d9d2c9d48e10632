package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/filter"
)

// classify reads the arguments of a safe bin that the configuration describes. The analyzer has
// read those of the catalog's safe bins, and does not know the configuration. bins are the safe
// bins of the frozen part.
func classify(bins *ast.Term, segment *gavel.Segment) {
	name := segment.Executable.RealName
	if segment.Class != nil || !segment.Executable.Found {
		return
	}
	bin := get(bins, name)
	if !getBool(bin, "custom") {
		return
	}
	grammar := argv.Grammar{Options: map[string]argv.Option{}, Exact: argv.Exact{On: true, NeedsValue: true}}
	options := get(bin, "options")
	_ = eachKey(options, func(option string) error { // anything but an object has no options
		takes := argv.None
		if getString(options, option) != "flag" {
			takes = argv.Value
		}
		grammar.Options[option] = argv.Option{Name: option, Takes: takes}
		return nil
	})
	class := filter.Read(name, segment.Argv, &grammar)
	segment.Class = &class
}
