package bundles

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Overrides are settings from the command line or the environment that replace those of the
// configuration in every load. They are part of the revision.
type Overrides struct {
	// Settings are by name: security, ask, sandbox or profile.
	Settings map[string]Override
	// Allow and Deny are names of tools.
	Allow, Deny []Override
}

// Override is a value, and the flag or variable that it comes from. Reasons name that as their
// source.
type Override struct{ Value, Source string }

// Text returns the overrides as they were given, in a fixed order.
func (o Overrides) Text() []string {
	var list []string
	for _, name := range []string{"security", "ask", "sandbox", "profile"} {
		switch given, ok := o.Settings[name]; {
		case ok && given.Source == "--no-sandbox": // a flag without a value
			list = append(list, given.Source)
		case ok:
			list = append(list, fmt.Sprintf("%s %s", given.Source, given.Value))
		}
	}
	for _, tool := range append(append([]Override(nil), o.Allow...), o.Deny...) {
		list = append(list, fmt.Sprintf("%s %s", tool.Source, tool.Value))
	}
	return list
}

// term returns the overrides as rules read them in data.gavel.overrides.
func (o Overrides) term() *ast.Term {
	one := func(given Override) *ast.Term {
		return ast.ObjectTerm(field("value", stringTerm(given.Value)), field("path", stringTerm(given.Source)))
	}
	all := ast.NewObject()
	for name, given := range o.Settings {
		all.Insert(ast.StringTerm(name), one(given))
	}
	for name, tools := range map[string][]Override{"allow": o.Allow, "deny": o.Deny} {
		terms := make([]*ast.Term, len(tools))
		for i, tool := range tools {
			terms[i] = one(tool)
		}
		all.Insert(ast.StringTerm(name), ast.ArrayTerm(terms...))
	}
	return ast.NewTerm(all)
}

// insert adds the overrides to the data of a policy, without changing shared members of it.
func (o Overrides) insert(data ast.Object) {
	if len(o.Text()) == 0 {
		return
	}
	gavelData := ast.NewObject()
	if existing, ok := get(ast.NewTerm(data), "gavel").Value.(ast.Object); ok {
		existing.Foreach(gavelData.Insert)
	}
	gavelData.Insert(ast.StringTerm("overrides"), o.term())
	data.Insert(ast.StringTerm("gavel"), ast.NewTerm(gavelData))
}
