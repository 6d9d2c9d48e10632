package bundles

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// reads is what the policy's own Rego may read of its input. Anything that is not plainly
// something else may be any input: the whole input, a member with a computed name, a rule of
// the built-in policy.
type reads struct {
	withheld bool // facts that leanInput omits
	params   bool // the parameters of the tool
	time     bool // when the call is decided
}

// readsOf examines the policy's own compiled modules. Masks of the decision log have a
// different input, and do not count.
func readsOf(modules map[string]*ast.Module) reads {
	var r reads
	for name, module := range modules {
		if strings.HasPrefix(name, builtinPrefix) || packageName(module) == "system.log" {
			continue
		}
		for _, rule := range module.Rules {
			r.visit(rule)
		}
	}
	return r
}

func (r *reads) visit(node any) {
	ast.NewGenericVisitor(func(node any) bool {
		switch node := node.(type) {
		case *ast.Head:
			r.visit(node.Reference) // which the visitor leaves out
		case ast.Ref:
			r.ref(node)
			for _, term := range node[1:] {
				r.visit(term)
			}
			_, named := node[0].Value.(ast.Var)
			if !named {
				r.visit(node[0])
			}
			return true
		case ast.Var:
			if node == ast.InputRootDocument.Value || node == ast.DefaultRootDocument.Value {
				r.withheld, r.params, r.time = true, true, true
			}
		}
		return false
	}).Walk(node)
}

func (r *reads) ref(ref ast.Ref) {
	switch {
	case ref.HasPrefix(ast.InputRootRef):
		r.withheld = r.withheld || !isPlain(ref[1:])
		r.params = r.params || meet(ref[1:], []string{"tool", "params"})
		r.time = r.time || meet(ref[1:], []string{"time"})
	case ref.HasPrefix(ast.DefaultRootRef) && !isInert(ref[1:]):
		r.withheld, r.params, r.time = true, true, true
	}
}

// isPlain reports whether a path below input leads to a value that is the same in leanInput
// and factsInput.
func isPlain(path ast.Ref) bool {
	for _, plain := range plainFacts() {
		if leads(path, plain) {
			return true
		}
	}
	return false
}

// leads reports whether a path certainly leads to or below another one.
func leads(path ast.Ref, other []string) bool {
	if len(path) < len(other) {
		return false
	}
	for i, name := range other {
		if !path[i].Equal(ast.InternedTerm(name)) {
			return false
		}
	}
	return true
}

// isInert reports whether a path below data leads to data, or to rules that are examined
// themselves: anything except masks and the built-in policy, whose rules may read any fact.
func isInert(path ast.Ref) bool {
	if len(path) == 0 {
		return false
	}
	root, ok := path[0].Value.(ast.String)
	return ok && root != "gavel" && root != "system"
}

// meet reports whether one path may be a prefix of the other.
func meet(path ast.Ref, other []string) bool {
	for i := range min(len(path), len(other)) {
		if path[i].IsGround() && !path[i].Equal(ast.InternedTerm(other[i])) {
			return false
		}
	}
	return true
}
