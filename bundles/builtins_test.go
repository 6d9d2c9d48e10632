package bundles_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// policyWithRules returns a policy with one rule for each body, which denies with the message
// "matched 0", "matched 1" and so on. Bodies can use big, a long parameter of the call. With
// several bodies, a call says which one to evaluate, so that all tests share one compilation.
func policyWithRules(t *testing.T, bodies ...string) string {
	t.Helper()
	var rules strings.Builder
	rules.WriteString("package custom.x\n\nbig := input.tool.params.big\n")
	for i, body := range bodies {
		about := ""
		if len(bodies) > 1 {
			about = fmt.Sprintf("input.tool.params.body == %d\n\t", i)
		}
		fmt.Fprintf(&rules, "\ndeny contains \"matched %d\" if {\n\t%s%s\n}\n", i, about, body)
	}
	return policyDir(t, "config.yaml", plainConfig, "custom/x.rego", rules.String())
}

// callAbout returns a call that evaluates one body, and whose parameter big has a length.
func callAbout(body, big int) string {
	return fmt.Sprintf(`{"agent": {"id": "main"}, "tool": {"name": "message", "params": {"body": %d, "big": %q}}}`, body, strings.Repeat("a", big))
}

func TestRT19ACallThatWouldRunForeverIsRefusedBeforeItStarts(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"many numbers multiplied":         `a := product([v | some i in numbers.range(1, 30000); v := 123456789]); a > 1`,
		"digits doubled repeatedly":       `a := 1e900; b := a * a; c := b * b; c > 1`,
		"a number of many digits":         `n := 1e900 * 1e200; n + 1 > 1`,
		"many digits that are rounded":    `n := 1e900 * 1e200; round(n) > 1`,
		"a modulus of many digits":        `n := 1e900 * 1e200; n % 7 > 1`,
		"many digits among bits":          `n := 1e900 * 1e200; bits.and(n, 7) > 1`,
		"many digits that are summed":     `n := 1e900 * 1e200; sum([n, 1]) > 1`,
		"many digits that are written":    `n := 1e900 * 1e200; sprintf("%d", [n]) != ""`,
		"an amount with an exponent of 6": `units.parse("1e999999") > 1`,
		"a large amount":                  `units.parse(concat("", ["1", big])) > 1`,
		"an amount with an exponent":      `units.parse_bytes(sprintf("1%s", [substring(big, 0, 100)])) > 1`,
		"a long range":                    `count(numbers.range(1, 100000000000)) > 1`,
		"a range beyond 64 bits":          `count(numbers.range(1, 99999999999999999999)) > 1`,
		"a range backwards":               `count(numbers.range_step(100000000000, 1, 1)) > 1`,
		"a large network":                 `count(net.cidr_expand("2001:db8::/32")) > 1`,
		"networks times networks": `n := [sprintf("10.0.%d.%d/32", [a, b]) | some a in numbers.range(0, 25); some b in numbers.range(0, 255)]
			count(net.cidr_contains_matches(n, n)) > 1`,
		"a long text in a longer one": `indexof(concat("", ["é", big]), substring(concat("", [big, "é"]), 100, 190000)) > 1`,
		"every index in a long text":  `count(indexof_n(big, substring(big, 0, 100000))) > 1`,
		"a text that grows":           `count(replace(big, "a", big)) > 1`,
		"a text with many patterns":   `count(strings.replace_n({"a": big}, big)) > 1`,
		"a text that grows by $0":     `count(regex.replace(substring(big, 0, 15000), "a+?", "$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0")) > 1`,
		"a long delimiter":            `count(concat(big, [v | some i in numbers.range(1, 1000); v := "x"])) > 1`,
		"a format with a width":       `sprintf("%999999d", [1]) != ""`,
		"a width from an argument":    `sprintf("%[1]*[1]d", [900000]) != ""`,
		"an argument many times":      `sprintf(concat("", [v | some i in numbers.range(1, 10000); v := "%[1]s"]), [big]) != ""`,
		"a pattern that is large":     "regex.match(`(.{1,30}){1,30}x`, big)",
		"matches in a long text":      "count(regex.find_n(`a*b|a`, big, -1)) > 1",
		"groups in a long text":       "count(regex.find_all_string_submatch_n(`(a*)*b|a`, big, -1)) > 1",
		"pieces of a long text":       "count(regex.split(`a*b`, big)) > 1",
		"changes to a document":       `count(json.patch({"a": 1}, [{"op": "add", "path": "/a", "value": i} | some i in numbers.range(1, 5000)])) > 1`,
		"a subset of an array":        `n := numbers.range(1, 20000); object.subset(n, array.concat(array.slice(n, 0, 10000), [0]))`,
	}
	names, bodies := slices.Sorted(maps.Keys(cases)), []string{}
	for _, name := range names {
		bodies = append(bodies, cases[name])
	}
	snapshot := load(t, policyWithRules(t, bodies...))
	require.Equal(t, gavel.Allow, decide(t, snapshot, callAbout(len(bodies), 200_000)).Effect, "a call about another body must evaluate none of these")
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			facts := factsOf(t, callAbout(i, 200_000))
			got := make(chan gavel.Decision, 1)
			go func() { got <- snapshot.Decide(ctx, facts, false) }()
			select {
			case d := <-got:
				require.Equal(t, []string{gavel.CodePolicyError}, codes(d), "a timeout instead of an error: %s", d.Reasons[0].Message)
				assert.Contains(t, d.Reasons[0].Message, "more than")
			case <-time.After(2 * time.Minute):
				t.Fatal("the evaluation did not end")
			}
		})
	}
}

func TestBoundedFunctionsReturnWhatOPAsFunctionsReturn(t *testing.T) {
	t.Parallel()
	bodies := []string{
		`1 + 2 * 3 - 4 / 2 == 5`, `7 % 4 == 3`, `abs(-1.5) == 1.5`, `round(1.5) == 2`, `ceil(1.2) == 2`, `floor(1.8) == 1`,
		`sum([1, 2]) == 3`, `sum({1, 2}) == 3`, `product([2, 3]) == 6`, `format_int(255, 16) == "ff"`, `{1, 2} - {2} == {1}`,
		`bits.and(6, 3) == 2`, `bits.rsh(8, 2) == 2`, `bits.negate(0) == -1`, `numbers.range(1, 3) == [1, 2, 3]`,
		`numbers.range_step(1, 5, 2) == [1, 3, 5]`, `numbers.range(3, 1) == [3, 2, 1]`, `count(net.cidr_expand("10.0.0.0/30")) == 4`,
		`net.cidr_contains_matches("10.0.0.0/8", "10.1.1.1") == {["10.0.0.0/8", "10.1.1.1"]}`,
		`net.cidr_merge(["10.0.0.0/25", "10.0.0.128/25"]) == {"10.0.0.0/24"}`,
		`indexof("abc", "c") == 2`, `indexof_n("aba", "a") == [0, 2]`, `replace("aba", "a", "") == "b"`,
		`strings.replace_n({"a": "x"}, "aba") == "xbx"`, `concat(",", ["a", "b"]) == "a,b"`, `concat("", {"a", "b"}) == "ab"`,
		`sprintf("%5.2f|%-3d|%s|%v|100%%", [1.5, 7, "x", {"a": [1]}]) == " 1.50|7  |x|{\"a\": [1]}|100%"`,
		`sprintf("12345 %d 67890", [1]) == "12345 1 67890"`,
		"regex.match(`^a{3}$`, \"aaa\")", "regex.find_n(`a.`, \"abac\", -1) == [\"ab\", \"ac\"]",
		"regex.find_all_string_submatch_n(`a(.)`, \"ab\", 1) == [[\"ab\", \"b\"]]", "regex.split(`,`, \"a,b\") == [\"a\", \"b\"]",
		"regex.replace(\"abc\", `b(c)`, \"$1\") == \"ac\"", "regex.template_match(\"urn:{.*}\", \"urn:x\", \"{\", \"}\")",
		`object.subset({"a": {"b": 1}, "c": 2}, {"a": {"b": 1}})`, `json.patch({"a": 1}, [{"op": "remove", "path": "/a"}]) == {}`,
		`units.parse("10K") == 10000`, `units.parse_bytes("1KiB") == 1024`,
		`every x in [1, 2] { x + 1 > 1 }`, `[y | some x in [1, 2]; y := x * 2] == [2, 4]`, `"x" in {replace(v, "y", "x") | some v in ["y"]}`,
		`regex.match("a{1,3}", big)`, `not regex.match("b", big)`,
	}
	snapshot := load(t, policyWithRules(t, bodies...))
	for i, body := range bodies {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			d := decide(t, snapshot, callAbout(i, 100_000))
			require.Len(t, d.Reasons, 1)
			assert.Equal(t, fmt.Sprintf("matched %d", i), d.Reasons[0].Message)
		})
	}
}

func TestRT19AnExcludedFunctionIsNamedWithAnAlternative(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`bits.lsh(1, 3) == 8`:                                          {"undefined function bits.lsh, which is not available", "multiply"},
		`graph.reachable_paths({"a": []}, {"a"})`:                      {"undefined function graph.reachable_paths, which is not available", "data.yaml"},
		`graph.reachable({"a": []}, {"a"})`:                            {"undefined function graph.reachable, which is not available", "data.yaml"},
		`regex.globs_match("a*", "*a")`:                                {"undefined function regex.globs_match, which is not available", "glob.match"},
		`strings.render_template("{{.a}}", {"a": 1}) == "1"`:           {"undefined function strings.render_template, which is not available", "sprintf"},
		`graphql.is_valid("{a}", "type Query { a: Int }")`:             {"undefined function graphql.is_valid, which is not available", "parameters"},
		`io.jwt.verify_rs256("a.b.c", "key")`:                          {"undefined function io.jwt.verify_rs256, which is not available", "es256"},
		`crypto.x509.parse_certificates("x")`:                          {"undefined function crypto.x509.parse_certificates, which is not available", "before asking Gavel"},
		`rego.parse_module("x", "package x")`:                          {"undefined function rego.parse_module, which is not available", "before asking Gavel"},
		`http.send({"method": "get", "url": "http://x"}).status == ""`: {"undefined function http.send, which is not available", "with the call"},
		`json.match_schema({}, {"$ref": "#"})[0]`:                      {"json.match_schema is not available", "rules"},
		`json.verify_schema({"$ref": "#"})[0]`:                         {"json.verify_schema is not available", "rules"},
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			found := problemsOf(t, policyWithRules(t, body))[0]
			assert.Contains(t, found.Message, want[0])
			assert.Contains(t, found.Fix, want[1])
			assert.Equal(t, "custom/x.rego", found.File)
			assert.Equal(t, 6, found.Line)
		})
	}
	found := problemsOf(t, policyWithRules(t, `no.such("x")`))[0]
	assert.NotContains(t, found.Message, "not available", "a function that OPA never had is only undefined")
}

// A new version of OPA may add functions that must be reviewed.
func TestEveryFunctionOfThisVersionOfOPAWasReviewed(t *testing.T) {
	t.Parallel()
	const reviewed = 206 // in OPA 1.22. Review new ones, decide in builtins/allowed.go, and count again.
	assert.Len(t, ast.CapabilitiesForThisVersion().Builtins, reviewed)
}
