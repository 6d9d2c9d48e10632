package bundles

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Proofs remember which policies were loaded before. Checking Rego for mistakes and running
// the tests of a policy depend on nothing but the policy and this program, and take longer
// than everything else. What depends on the machine, or on time, is done in every load.
//
// Who can forge a proof can make a policy count that its own tests refuse: a policy that is
// changed has another revision. Who can forge a program decides in place of the policy. So both
// are as trusted as the policy, and as what people answered.
type Proofs interface {
	// Holds reports whether this program loaded the policy with this revision before.
	Holds(revision string) bool
	// Keep remembers a revision; it need not succeed.
	Keep(revision string)
	// Program returns the program that this program kept for an identity, nil if it kept none
	// or if anybody else may have changed it.
	Program(identity string) []byte
	// KeepProgram keeps one; it need not succeed.
	KeepProgram(identity string, saved []byte)
}

// tests are the names of a policy's own Rego tests.
func tests(own files) (names []string) {
	for name := range own {
		if strings.HasSuffix(name, "_test.rego") {
			names = append(names, name)
		}
	}
	return names
}

// replaces reports whether a rule replaces something by with. To replace a function, the
// compiler needs the types that [checks] leaves out.
func replaces(modules map[string]*ast.Module) (found bool) {
	for name, module := range modules {
		if strings.HasPrefix(name, builtinPrefix) {
			continue
		}
		ast.WalkWiths(module, func(*ast.With) bool {
			found = true
			return true
		})
	}
	return found
}
