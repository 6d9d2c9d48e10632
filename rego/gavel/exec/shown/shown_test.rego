package gavel.exec.shown_test

import data.gavel.exec.shown

test_a_command_is_its_words[name] if {
	some name, c in {
		"words": [{"argv": ["git", "push", "origin"]}, "git push origin"],
		"words on several lines": [{"argv": ["python3", "-c", "a\n  b"]}, "python3 -c a b"],
		"no words": [{"argv": [], "executable": {"name": "git"}}, "git"],
		"words that nobody observed": [{"executable": {"name": "git"}}, "git"],
		"nothing at all": [{}, "a program"],
	}
	[part, want] := c
	shown.command(part) == want
}

test_a_long_command_is_cut if {
	text := shown.command({"argv": ["echo", concat("", [x | some i in numbers.range(1, 200); x := sprintf("%d", [i % 10])])]})
	count(text) == 100
	endswith(text, "…")
}
