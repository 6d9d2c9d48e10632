package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// capabilities is what Rego may do here: everything that is a function of its
// arguments. Network, clock, randomness and the environment are left out, so that
// a decision depends on facts and policy only; using one is a compile error
// ("undefined function http.send").
func capabilities() *ast.Capabilities {
	caps := ast.CapabilitiesForThisVersion()
	caps.Builtins = slices.DeleteFunc(caps.Builtins, func(b *ast.Builtin) bool {
		pure := b.Name == ast.JSONMatchSchema.Name || b.Name == ast.JSONSchemaVerify.Name // impure only in fetching schemas, which AllowNet forbids
		return b.Nondeterministic && !pure
	})
	caps.AllowNet = []string{}
	return caps
}
