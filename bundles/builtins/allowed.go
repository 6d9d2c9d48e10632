// Package builtins defines which of OPA's built-in functions a policy may call, and limits the
// work of those that could otherwise run forever.
//
// A decision must depend on the facts and the policy only, and must end. So [Capabilities] leaves
// out the network, the clock, randomness and the environment (allowed.go), and [UseBounded] makes
// a policy's own Rego call functions that check the size of their arguments first (bounded.go,
// limits.go). The package decides nothing and keeps no state.
package builtins

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Capabilities returns the functions that Rego may call. Each depends on nothing but its
// arguments, and its work is limited by the size of the arguments, by cancellation, or by
// [UseBounded]. A call of any other function is a compile error; [ExplainExcluded] says why.
func Capabilities() *ast.Capabilities {
	caps := ast.CapabilitiesForThisVersion()
	allowed := allowedNames()
	caps.Builtins = slices.DeleteFunc(caps.Builtins, func(b *ast.Builtin) bool { return !allowed[b.Name] })
	caps.AllowNet = []string{} // never fetch a schema
	return caps
}

// Names returns the names of the allowed functions, sorted.
func Names() []string { return slices.Sorted(maps.Keys(allowedNames())) }

// allowedNames is the list of allowed functions. A function that a new version of OPA adds is
// excluded until someone has reviewed it and added it here.
func allowedNames() map[string]bool {
	names := strings.Fields(`
		eq assign equal neq lt lte gt gte internal.member_2 internal.member_3
		internal.print internal.test_case internal.template_string print trace
		rego.metadata.chain rego.metadata.rule

		plus minus mul div rem abs round ceil floor sum product max min count sort
		bits.and bits.negate bits.or bits.rsh bits.xor numbers.range numbers.range_step

		and or intersection union set_diff
		array.concat array.flatten array.reverse array.slice
		object.filter object.get object.keys object.remove object.subset object.union object.union_n
		json.filter json.patch json.remove walk

		concat contains endswith format_int indexof indexof_n lower replace split sprintf
		startswith strings.any_prefix_match strings.any_suffix_match strings.count
		strings.replace_n strings.reverse strings.split_n substring trim trim_left trim_prefix
		trim_right trim_space trim_suffix upper
		glob.match glob.quote_meta regex.find_all_string_submatch_n regex.find_n regex.is_valid
		regex.match regex.replace regex.split regex.template_match re_match

		is_array is_boolean is_null is_number is_object is_set is_string type_name to_number
		cast_array cast_boolean cast_null cast_object cast_set cast_string all any
		units.parse units.parse_bytes semver.compare semver.is_valid uuid.parse

		json.is_valid json.marshal json.marshal_with_options json.unmarshal
		json.match_schema json.verify_schema
		yaml.is_valid yaml.marshal yaml.unmarshal
		base64.decode base64.encode base64.is_valid base64url.decode base64url.encode
		base64url.encode_no_pad hex.decode hex.encode uri.is_valid uri.parse
		urlquery.decode urlquery.decode_object urlquery.encode urlquery.encode_object

		crypto.hmac.equal crypto.hmac.md5 crypto.hmac.sha1 crypto.hmac.sha256 crypto.hmac.sha512
		crypto.md5 crypto.sha1 crypto.sha256
		io.jwt.decode io.jwt.verify_hs256 io.jwt.verify_hs384 io.jwt.verify_hs512
		io.jwt.verify_es256 io.jwt.verify_es384 io.jwt.verify_es512 io.jwt.verify_eddsa

		net.cidr_contains net.cidr_contains_matches net.cidr_expand net.cidr_intersects
		net.cidr_is_valid net.cidr_merge net.cidr_overlap
		time.add_date time.clock time.date time.diff time.format time.parse_duration_ns
		time.parse_ns time.parse_rfc3339_ns time.weekday`)
	allowed := make(map[string]bool, len(names))
	for _, name := range names {
		allowed[name] = true
	}
	return allowed
}

// ExplainExcluded returns why a function of OPA is excluded, and what to use instead. It returns
// false if the function is allowed, or if OPA has no such function.
func ExplainExcluded(name string) (why, use string, ok bool) {
	const endless = "its running time is unbounded"
	family := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	switch {
	case allowedNames()[name] || !slices.ContainsFunc(ast.CapabilitiesForThisVersion().Builtins, func(b *ast.Builtin) bool { return b.Name == name }):
		return "", "", false
	case name == "bits.lsh":
		return "the size of its result is unbounded", "multiply by a power of two", true
	case family("graph."):
		return endless, "list the reachable nodes in data.yaml, or follow a fixed number of steps with rules", true
	case name == "regex.globs_match":
		return endless, "match a string with glob.match or regex.match", true
	case name == "strings.render_template":
		return endless, "use sprintf or a template string", true
	case family("graphql."):
		return endless, "evaluate the query before asking Gavel, and send the result as parameters", true
	case family("crypto.x509.") || name == "crypto.parse_private_keys" || family("io.jwt.verify_rs") || family("io.jwt.verify_ps"):
		return "its running time grows with the key, without bound", "verify before asking Gavel; io.jwt.verify_es256 and verify_eddsa have keys of a fixed size", true
	case name == "rego.parse_module":
		return endless, "parse Rego with opa before asking Gavel", true
	case family("time."):
		return "a decision must not depend on the clock", "send the time with the call, and use time.parse_rfc3339_ns", true
	}
	return "a decision may depend only on the call and the policy", "send the value with the call, or put it into data.yaml", true
}
