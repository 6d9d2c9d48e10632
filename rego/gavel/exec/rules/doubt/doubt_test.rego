package gavel.exec.rules.doubt_test

import data.gavel.exec.rules.doubt

_part(facts) := object.union(
	{
		"executable": {"found": true, "name": "git", "path": "/usr/bin/git", "real": "/usr/bin/git", "realName": "git", "programs": ["git"]},
		"argv": ["git", "x"], "commands": ["x"], "commandsKnown": "exact", "optionsKnown": "exact", "options": [], "operands": [], "dynamic": [],
	},
	facts,
)

_rule := {"program": "git", "commands": ["push"], "effect": "deny"}

test_the_doubt_about_a_command_is_named[name] if {
	some name, c in {
		"a sub-command that no table has": {"facts": {"commandsKnown": "unlisted"}, "want": "Gavel does not know the sub-command x"},
		"a word that is produced at run time": {"facts": {"commandsKnown": "open", "dynamic": [1]}, "want": "a word of it is produced at run time"},
		"an option that no table has": {"facts": {"optionsKnown": "unsure"}, "want": "one of its options is not known"},
		"something else": {"facts": {"commandsKnown": "open"}, "want": "not all of its words are known"},
		"a text that runs": {
			"facts": {"executable": {"found": true, "name": "sh", "path": "/bin/sh", "real": "/bin/sh", "realName": "sh", "programs": ["sh"]}},
			"want": "what it runs is not known",
		},
	}
	doubt.because(_rule, _part(c.facts)) == c.want
}

test_only_a_rule_about_sub_commands_doubts_an_alias if {
	doubt.because({"program": "git", "options": ["-f"], "effect": "deny"}, _part({"commandsKnown": "unlisted", "optionsKnown": "unsure"})) == "one of its options is not known"
}

test_an_alias_can_be_written_out if {
	doubt.fix(_rule, _part({"commandsKnown": "unlisted"})) == "if x is an alias, write out what it stands for; if not, allow x by name in a rule"
	doubt.fix({"program": "kubectl", "commands": ["x"], "effect": "deny"}, _part({"opaque": ""})) == "run the program by its own name, with every word written out"
	doubt.fix({"program": "kubectl", "effect": "deny"}, _part({"opaque": "sh without -c"})) == "give the commands themselves, so that they can be read"
	doubt.fix(_rule, _part({"optionsKnown": "unsure"})) == "write every word out and give the options as the program lists them"
}
