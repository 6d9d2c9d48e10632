package gavel.exec.rules.words.globs_test

import data.gavel.exec.rules.words.globs
import data.gavel.testing

# Each: the glob, the text, whether it matches.
_cases := {
	"a star stays between slashes": ["src/*", "src/a/b", false],
	"two stars cross them": ["src/**", "src/a/b", true],
	"a star alone is any text": ["*", "a/b", true],
	"a question mark is one character": ["v?", "v12", false],
	"brackets are themselves": ["[ab]", "a", false],
	"braces are themselves": ["{a,b}", "{a,b}", true],
	"the home directory": ["~/x/*", "/home/u/x/y", true],
	"the home directory of somebody else": ["~/x/*", "/home/v/x/y", false],
}

test_a_glob_matches_a_text[name] if {
	some name, c in _cases
	[pattern, text, want] := c
	got := {true | globs.matches(pattern, text) with input as testing.exec_facts}
	got == {true | want}
}

test_only_the_beginning_of_a_word_produced_at_run_time_counts if {
	globs.may_match("prod-*", "pro", true) with input as testing.exec_facts
	globs.may_match("prod-*", "prod-1", true) with input as testing.exec_facts
	not globs.may_match("prod-*", "dev", true) with input as testing.exec_facts
	not globs.may_match("prod-*", "pro", false) with input as testing.exec_facts
}
