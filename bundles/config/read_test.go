package config

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkJSON5 compares how the first problem of texts in JSON5 begins.
func checkJSON5(t *testing.T, cases []struct{ name, text, want string }) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := firstProblem(t, "c.json5", c.text).String()
			assert.True(t, strings.HasPrefix(got, "c.json5:"+c.want), "got %s\nwant %s", got, c.want)
		})
	}
}

func TestJSON5IsValuesOnly(t *testing.T) {
	t.Parallel()
	checkJSON5(t, []struct{ name, text, want string }{
		{"an empty file", "", "1:1: the file is empty"},
		{"a call", "{\n tools: f() }", `2:10: "(" is not allowed here`},
		{"a bracket that closes the one that parse adds", "{}) + (1", `1:3: ")" is not allowed here`},
		{"a template", "{tools: `x`}", "1:9: \"`\" is not allowed here"},
		{"a regular expression", "{tools: /x/}", `1:9: "/" is not allowed here`},
		{"an arrow function", "{tools: x => 1}", `1:11: "=" is not allowed here`},
		{"a function", "{tools: function f {}}", "1:18: expected a comma, a colon or a closing bracket, not a value"},
		{"an operator that is a word", "{tools: typeof typeof x}", "1:16: expected a comma"},
		{"a getter", "{get tools: {}}", "1:6: expected a comma"},
		{"a sum", "{tools: 1 + 1}", `1:11: "+" is not allowed here`},
		{"two signs", "{tools: - -1}", `1:11: "-" is not allowed here`},
		{"a sign before a map", "{tools: -{}}", "1:10: expected a comma"},
		{"a sign before a bracket", "{tools: -}", `1:10: "}" is not allowed here`},
		{"an identifier", "{tools: undefined}", `1:9: tools: "undefined" is not a value`},
		{"a misspelt literal", "{tools: ture}", `1:9: tools: "ture" is not a value (did you mean "true"?)`},
		{"this", "{tools: this}", "1:9: tools: this is code, not a value"},
		{"a member", "{tools: a.b}", "1:9: tools: this is code, not a value"},
		{"a spread", "{xs: [...a]}", "1:10: xs[0]: this is code, not a value"},
		{"a spread of a map", "{...tools}", "1:5: this is not a key with a value"},
		{"a key without a value", "{tools}", "1:2: this is not a key with a value"},
		{"a computed key", "{['tools']: {}}", "1:3: this is not a key with a value"},
		{"a key that is a number", "{1: {}}", "1:2: a key that is not a string"},
		{"__proto__", `{"tools": {"__proto__": {"deny": []}}}`, "1:12: tools.__proto__: __proto__ is not allowed as a key"},
		{"NaN", "{tools: NaN}", `1:9: tools: "NaN" is not a value`},
		{"Infinity", "{tools: -Infinity}", "1:9: tools: a sign is not followed by"},
		{"a hexadecimal number", "{tools: 0x10}", `1:9: tools: "0x10" is not a number`},
		{"an octal number", "{tools: 010}", `1:9: tools: "010" is not a number`},
		{"a bigint", "{tools: 10n}", `1:9: tools: "10n" is not a number`},
		{"a number too large to be exact", "{tools: 12345678901234567890}", `1:9: tools: "12345678901234567890" is not a number`},
		{"a number with a huge exponent", "{tools: 1e999999999}", `1:9: tools: "1e999999999" is not a number`},
		{"a sequence", "{}, {}", `1:3: "," is not allowed here`},
		{"two values", "{} {}", "1:4: expected a comma"},
	})
}

func TestMalformedJSON5IsRefused(t *testing.T) {
	t.Parallel()
	checkJSON5(t, []struct{ name, text, want string }{
		{"only a comment", "// nothing", "1:1: the file is empty"},
		{"a difference of strings", "{tools: 'a' - 'b'}", `1:13: "-" is not allowed here`},
		{"a gap in a list", "{xs: ['a',,'b']}", "1:6: xs[1]: the list has a gap"},
		{"a list", "[]", "1:1: the configuration is a list, not a map"},
		{"null", "null", "1:1: the configuration is empty, not a map"},
		{"a duplicate key", "{tools: {},\n 'tools': {}}", `2:2: tools: "tools" occurs twice; the first is on line 1`},
		{"a duplicate key with an escape", `{"tools": {}, "t\u006fols": {}}`, `1:15: tools: "tools" occurs twice`},
		{"an escape in a key without quotes", `{t\u006fols: {}}`, `1:3: "\\" is not allowed here`},
		{"half a surrogate pair", `{"tools": "\ud83e"}`, "1:11: tools: the string has an unpaired surrogate"},
		{"an octal escape", `{"tools": "\101"}`, "1:12: JSON5 has no such escape"},
		{"a code point escape", `{"tools": "\u{41}"}`, "1:12: JSON5 has no such escape"},
		{"a bad escape", `{"tools": "\xZZ"}`, "1:11: the text is not JSON5: unexpected token ILLEGAL"},
		{"a string with a line break", "{tools: 'a\nb'}", "1:9: this string does not end on its line"},
		{"an unclosed string", "{tools: 'a", "1:9: this string is never closed"},
		{"an unclosed comment", "{} /* ", "1:4: this comment is never closed"},
		{"an unclosed bracket", "{tools: [", "1:9: this [ is never closed"},
		{"a bracket that does not match", "{tools: ]", "1:9: ] does not match the open {"},
		{"an extra bracket", "{}}", `1:3: "}" is not allowed here`},
		{"a missing colon", "{'tools', 1}", "1:9: the text is not JSON5: unexpected token ,"},
		{"a missing value", "{a: 1,\n tools:}", "2:8: the text is not JSON5: unexpected token }"},
		{"an HTML comment", "<!-- x\n{}", `1:1: "<" is not allowed here`},
		{"a line that names an interpreter", "#!/bin/sh\n{}", `1:1: "#" is not allowed here`},
	})
}

// With source maps, the parser would open the file that the comment names.
func TestASourceMapCommentOpensNoFile(t *testing.T) {
	t.Parallel()
	mustRead(t, "c.json", "{}\n//# sourceMappingURL=/nonexistent/map.json")
}

func TestUnusualJSON5IsAccepted(t *testing.T) {
	t.Parallel()
	document := mustRead(t, "c.json5", "\ufeff{\u00a0tools: {profiles: {get: ['a\\\nb'], new: ['\\x41'], $x_1: ['\\0a'], async: [\"'\",], 'é': ['\\'']}}}//")
	assert.Equal(t, map[string]any{"get": []any{"ab"}, "new": []any{"A"}, "$x_1": []any{"\x00a"}, "async": []any{"'"}, "é": []any{"'"}},
		document.Data["tools"].(map[string]any)["profiles"])
}

func TestYAMLIsPlainValuesOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"an empty file", "", "1:1: the file is empty"},
		{"only a comment", "# nothing\n", "1:1: the file is empty"},
		{"only a null", "~", "1:1: the file is empty"},
		{"a string", "tools", "1:1: the configuration is a string, not a map"},
		{"an anchor", "tools: &a\n  deny: []", "1:8: tools: the anchor &a is not accepted"},
		{"an anchor on a key", "&a tools: {}", "1:1: the anchor &a is not accepted"},
		{"an alias", "x: &a {}\ntools: *a", "1:4: x: the anchor &a is not accepted"},
		{"an alias as a key", "x: &a y\n*a : {}", "1:4: x: the anchor &a is not accepted"},
		{"an item whose indentation fits no block", "tools:\n  exec:\n    host: auto\n   ask: off\n", "4:1: the text is not YAML: did not find expected key"},
		{"a star without quotes", "agents: {main: {}}\ntools:\n  allow: [*]\n", "3:1: the text is not YAML: did not find expected alphabetic or numeric character"},
		{"an unknown alias", "tools: *a", "1:1: the text is not YAML: unknown anchor 'a' referenced"},
		{"a merge key", "tools:\n  <<: {deny: []}", "2:3: tools: the merge key << is not accepted"},
		{"a tag", "tools: !!str x", "1:8: tools: the tag !!str is not accepted"},
		{"a local tag", "tools: !x {}", "1:8: tools: the tag !x is not accepted"},
		{"binary data", "tools: {profile: !!binary aGk=}", "1:18: tools.profile: the tag !!binary is not accepted"},
		{"a key that is a number", "channels: {x: {groups: {-100: {}}}}", "1:25: channels.x.groups: a key that is not a string"},
		{"a key that is a boolean", "true: {}", "1:1: a key that is not a string"},
		{"a key that is null", "~: {}", "1:1: a key that is not a string"},
		{"a key that is a list", "? [a]\n: {}", "1:3: a key that is not a string"},
		{"a duplicate key", "tools: {}\n'tools': {}", `2:1: tools: "tools" occurs twice; the first is on line 1`},
		{"two documents", "tools: {}\n---\ntools: {}", "2:1: the file has several YAML documents"},
		{"a second document that is broken", "tools: {}\n---\n[", "3:1: the text is not YAML"},
		{"a hexadecimal number", "tools: 0x10", `1:8: tools: "0x10" is not a number`},
		{"an octal number", "tools: 010", `1:8: tools: "010" is not a number`},
		{"a number with an underscore", "tools: 1_000", `1:8: tools: "1_000" is not a number`},
		{"infinity", "tools: .inf", `1:8: tools: ".inf" is not a number`},
		{"a tab", "tools:\n\tdeny: []", "2:1: the line is indented with a tab, and YAML allows only spaces there"},
		{"an unclosed bracket", "tools: [", "1:1: the text is not YAML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := firstProblem(t, "c.yaml", c.text).String()
			assert.True(t, strings.HasPrefix(got, "c.yaml:"+c.want), "got %s\nwant %s", got, c.want)
		})
	}
}

func TestAnAliasIsAProblemOfItsOwn(t *testing.T) {
	t.Parallel()
	_, problems := newReader(t).Read("c.yaml", []byte("x: &a {}\ntools: *a\n*a : {}"))
	require.Len(t, problems, 3)
	assert.Equal(t, "c.yaml:2:8: tools: the alias *a is not supported", problems[1].String())
	assert.Equal(t, "c.yaml:3:1: the alias *a is not supported", problems[2].String())
}

func TestYAMLStringsThatLookLikeOtherTypesStayStrings(t *testing.T) {
	t.Parallel()
	document := mustRead(t, "c.yaml", "tools: {exec: {ask: off}, allow: [yes, no, 2024-01-01, '<<', \"1\"]}")
	assert.JSONEq(t, `{"tools":{"exec":{"ask":"off"},"allow":["yes","no","2024-01-01","<<","1"]}}`, asJSON(t, document))
}

func TestABillionLaughsAreNotExpanded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("a0: &a0 [lol]\n")
	for i := 1; i < 40; i++ {
		name := string(rune('a' + i%26))
		text.WriteString(name + strings.Repeat("x", i) + ": &b" + strings.Repeat("x", i) + " [")
		previous := "*a0"
		if i > 1 {
			previous = "*b" + strings.Repeat("x", i-1)
		}
		text.WriteString(strings.Repeat(previous+" , ", 9) + previous + " ]\n")
	}
	assert.Contains(t, firstProblem(t, "c.yaml", text.String()).Message, "anchor")
}

func TestLimits(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	items := strings.Repeat("1,", MaxValues)
	for _, c := range []struct{ name, file, text, want string }{
		{"too many bytes", "c.json", strings.Repeat(" ", MaxBytes+1), "the limit is 8388608"},
		{"too deep in JSON", "c.json", deep(MaxDepth + 1), "nested more than 64 levels"},
		{"too deep in YAML", "c.yaml", "{x: " + deep(MaxDepth) + "}", "nested more than 64 levels"},
		{"far too deep in JSON", "c.json", strings.Repeat("[", 4<<20), "nested more than 64 levels"},
		{"far too deep in YAML", "c.yaml", strings.Repeat("[", 1<<20), "exceeded max depth"},
		{"too many values in JSON", "c.json", "{x: [" + items + "]}", "more than 262144 values"},
		{"too many values in YAML", "c.yaml", "{x: [" + items + "]}", "more than 262144 values"},
		{"too long a key in JSON", "c.json", "{" + strings.Repeat("k", MaxName+1) + ": 1}", "the limit is 256"},
		{"too long a key in YAML", "c.yaml", strings.Repeat("k", MaxName+1) + ": 1", "the limit is 256"},
		{"invalid UTF-8", "c.yaml", "tools:\n  a\xff: 1", "the text is not UTF-8"},
		{"UTF-16", "c.json", "\xff\xfe{\x00}\x00", "the text is not UTF-8"},
		{"no extension", "config", "{}", "is not a known format"},
		{"another extension", "config.ymal", "{}", "is not a known format"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, firstProblem(t, c.file, c.text).Message, c.want)
		})
	}
}

func TestNumbersHaveACanonicalForm(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(decimal)
	for literal, want := range map[string]json.Number{
		"1": "1", "1.0": "1", "+1": "1", "1.": "1", ".5": "0.5", "1e3": "1000", "-0": "0", "-0.0": "0",
		"9223372036854775807": "9223372036854775807", "1e300": "1e+300", "0.0000001": "1e-07",
		"9223372036854775808": "", "": "", "-": "", "1e99999": "", "1e400": "", "01": "", "1_0": "", "0x1": "", "NaN": "", "٣": "",
	} {
		got, ok := parseNumber(form, literal)
		assert.Equal(t, want != "", ok, literal)
		assert.Equal(t, want, got, literal)
		if ok {
			require.True(t, json.Valid([]byte(got)), literal)
		}
	}
}

// FuzzRead checks that no text causes a panic, that every problem says where it is and what to do,
// and that accepted data is valid JSON that reads as the same data.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "{}", openclaw, "tools: {deny: [exec]}", "{tools: {deny: ['x',]}}", "a: &a [*a]",
		"{\"a\": -1.5e3, b: [null, true]}", "--- {}\n--- {}", "agents: {list: [{id: main, profile: x}], main: {}}",
		"channels: {a: {groups: {b: {tools: 1}}}}", "{a: '\\ud800'}", "((((", "tools:\n  exec: {ask: }\n"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	reader := newReader(f)
	f.Fuzz(func(t *testing.T, text string, isYAML bool) {
		file := "c.json"
		if isYAML {
			file = "c.yaml"
		}
		document, problems := reader.Read(file, []byte(text))
		for _, problem := range problems {
			if problem.Message == "" || problem.Fix == "" || problem.Line < 1 || problem.Column < 1 || problem.File != file {
				t.Fatalf("an incomplete problem: %+v", problem)
			}
			if strings.Contains(problem.Fix, "report this") {
				t.Fatalf("a problem without an explanation: %+v", problem)
			}
		}
		if document == nil && len(problems) == 0 {
			t.Fatal("there is neither a document nor a problem")
		}
		if len(problems) > 0 {
			return
		}
		canonical, err := json.Marshal(document.Data)
		if err != nil {
			t.Fatal(err)
		}
		again, problems := reader.Read("again.json", canonical)
		if len(problems) > 0 {
			t.Fatalf("the canonical form is refused: %s\n%s", problems[0], canonical)
		}
		if repeated, _ := json.Marshal(again.Data); string(repeated) != string(canonical) {
			t.Fatalf("the canonical form is not stable:\n%s\n%s", canonical, repeated)
		}
	})
}
