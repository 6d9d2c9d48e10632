package bundles

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Overrides are settings that the command line or the environment gives in place of the settings of
// the configuration. They win over it, hold for every load, and are part of the revision. Each
// names the flag or the variable that it comes from, which reasons then name as their source.
type Overrides struct {
	// Settings are by name: security, ask, sandbox or profile.
	Settings map[string]Override
	// Allow and Deny are names of tools.
	Allow, Deny []Override
}

// Override is one value and where it was given.
type Override struct{ Value, Source string }

// Text lists the overrides as they were given, in a fixed order.
func (o Overrides) Text() []string {
	var list []string
	for _, name := range []string{"security", "ask", "sandbox", "profile"} {
		switch given, ok := o.Settings[name]; {
		case ok && given.Source == "--no-sandbox": // the flag is the value
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

// term is what the rules read as data.gavel.overrides.
func (o Overrides) term() *ast.Term {
	one := func(given Override) *ast.Term {
		return ast.ObjectTerm(field("value", text(given.Value)), field("path", text(given.Source)))
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

// insert puts the overrides into the data of the policy, below gavel.
func (o Overrides) insert(data ast.Object) {
	if len(o.Text()) == 0 {
		return
	}
	shipped := ast.NewObject()
	if below, ok := get(ast.NewTerm(data), "gavel").Value.(ast.Object); ok {
		below.Foreach(shipped.Insert)
	}
	shipped.Insert(ast.StringTerm("overrides"), o.term())
	data.Insert(ast.StringTerm("gavel"), ast.NewTerm(shipped))
}
