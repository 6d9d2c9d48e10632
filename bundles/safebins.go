package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/filter"
)

// classify reads the arguments of a filter that the configuration describes, by the
// options that the frozen part says it has. The analyzer does not know them; it has
// read the arguments of those in the catalog.
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

// classTerm spells out how arguments were read.
func classTerm(c *gavel.Class, lean bool) *ast.Term {
	options := make([]*ast.Term, len(c.Options))
	for i, o := range c.Options {
		fields := [][2]*ast.Term{field("name", text(o.Name)), field("form", text(o.Form))}
		if !lean {
			fields = append(fields, field("value", text(o.Value)), field("index", number(o.Index)))
		}
		options[i] = ast.ObjectTerm(fields...)
	}
	operands := make([]*ast.Term, len(c.Operands))
	for i, o := range c.Operands {
		fields := [][2]*ast.Term{field("form", text(o.Form)), field("ended", flag(o.Ended))}
		if !lean {
			fields = append(fields, field("text", text(o.Text)), field("index", number(o.Index)))
		}
		operands[i] = ast.ObjectTerm(fields...)
	}
	stdin := make([]*ast.Term, len(c.Stdin))
	for i, at := range c.Stdin {
		stdin[i] = number(at)
	}
	fields := [][2]*ast.Term{field("program", text(c.Program)), field("options", ast.ArrayTerm(options...)),
		field("operands", ast.ArrayTerm(operands...)), field("stdin", ast.ArrayTerm(stdin...)),
		field("complete", flag(c.Complete))}
	if u := c.Unread; u != nil {
		fields = append(fields, field("unread", ast.ObjectTerm(field("option", text(u.Option)),
			field("why", text(u.Why)), field("index", number(u.Index)))))
	}
	if f := c.Filter; f != nil {
		fields = append(fields, field("filter", ast.ObjectTerm(field("parsed", flag(f.Parsed)), field("names", texts(f.Names)))))
	}
	return ast.ObjectTerm(fields...)
}
