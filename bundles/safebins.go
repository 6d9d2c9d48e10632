package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/filter"
)

// classify reads the arguments of a filter that the configuration describes, using its
// options from the frozen part. The analyzer does not know these filters; it has read the
// arguments of the catalog's filters.
func classify(bins *ast.Term, segment *gavel.Segment) {
	name := segment.Executable.RealName
	if segment.Class != nil || !segment.Executable.Found {
		return
	}
	bin := get(bins, name)
	if !getFlag(bin, "custom") {
		return
	}
	grammar := argv.Grammar{Options: map[string]argv.Option{}, Exact: argv.Exact{On: true, NeedsValue: true}}
	options := get(bin, "options")
	_ = eachKey(options, func(option string) error { // what is not an object has no options
		takes := argv.None
		if getText(options, option) != "flag" {
			takes = argv.Value
		}
		grammar.Options[option] = argv.Option{Name: option, Takes: takes}
		return nil
	})
	class := filter.Read(name, segment.Argv, &grammar)
	segment.Class = &class
}
