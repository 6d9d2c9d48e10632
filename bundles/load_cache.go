package bundles

// LoadCache remembers across processes what Load found out about policies. Checking Rego, compiling
// it and running the tests of a policy depend only on the policy and on this executable, and take
// longer than the rest of a load. What depends on the machine or on time is done in every load.
//
// Whoever can write to the cache can make Gavel use a policy that fails its own tests, or decide
// by rules that are not those of the policy. So it must be as well protected as the policy.
type LoadCache interface {
	// Passed reports whether this executable has loaded the policy with this revision before.
	Passed(revision string) bool
	// RecordPass records that it has. It may fail silently.
	RecordPass(revision string)
	// Compiled returns the compiled Rego that this executable saved under an identity. It
	// returns nil if there is none, or if another user may have changed it.
	Compiled(identity string) []byte
	// SaveCompiled saves compiled Rego. It may fail silently.
	SaveCompiled(identity string, saved []byte)
}
