package gavel.exec.shown_test

import data.gavel.exec.shown

test_a_command_is_shown_by_its_words[name] if {
	some name, c in {
		"words": [{"argv": ["git", "push", "origin"]}, "git push origin"],
		"words on several lines": [{"argv": ["python3", "-c", "a\n  b"]}, "python3 -c 'a b'"],
		"a word with blanks": [{"argv": ["npm", "publish", "--password", "a b", "it's x"]}, `npm publish --password 'a b' "it's x"`],
		"a word with both quotes": [{"argv": ["echo", `it's "x"`]}, `echo 'it'\''s "x"'`],
		"an empty word": [{"argv": ["grep", "-e", "", ".env"]}, "grep -e '' .env"],
		"a word that is produced at run time": [{"argv": ["bash", "-n", `"$(echo a b)"`], "dynamic": [2]}, `bash -n "$(echo a b)"`],
		"no words": [{"argv": [], "executable": {"name": "git"}}, "git"],
		"words that nobody observed": [{"executable": {"name": "git"}}, "git"],
		"nothing at all": [{}, "a program"],
	}
	[part, want] := c
	shown.command(part) == want
}

test_a_rule_of_a_pack_is_shown_as_the_pack if {
	shown.rule("packs.git-work.rules[6]") == "the pack git-work"
	shown.rule("tools.exec.rules[0]") == "tools.exec.rules[0]"
	shown.rules({"packs.a.rules[1]", "packs.a.rules[2]"}) == "the pack a"
	shown.rules({"packs.a.rules[1]", "tools.exec.rules[2]", "packs.b.rules[0]"}) == "the pack a, the pack b and tools.exec.rules[2]"
}

test_no_edit_changes_a_pack if {
	shown.unruled({"packs.git-work.rules[6]"}) == "write rules of your own in place of the pack git-work"
	shown.unruled({"tools.exec.rules[0]"}) == "change tools.exec.rules[0]"
	shown.unruled({"tools.exec.rules[0]", "packs.text.rules[1]"}) == "change tools.exec.rules[0], and write rules of your own in place of the pack text"
}

test_the_rules_of_packs_are_looked_up_with_a_command if {
	shown.look_up({"packs.files-work.rules[6]", "packs.files-work.rules[7]"}) == " (gavel packs show files-work)"
	shown.look_up({"packs.b.rules[1]", "packs.a.rules[1]", "tools.exec.rules[2]"}) == " (gavel packs show PACK, for a or b)"
	shown.look_up({"tools.exec.rules[2]"}) == ""
}

test_a_long_command_is_cut if {
	text := shown.command({"argv": ["echo", concat("", [x | some i in numbers.range(1, 200); x := sprintf("%d", [i % 10])])]})
	count(text) == 100
	endswith(text, "…")
}

test_a_quote_in_which_a_text_is_cut_is_closed if {
	long := concat(" ", [sprintf("%d", [i]) | some i in numbers.range(1, 100)])
	endswith(shown.command({"argv": ["echo", "a b", long]}), "…'")
	endswith(shown.command({"argv": ["echo", "it's b", concat("", ["x", replace(long, " ", "")])]}), "…")
}
