package gavel.change.commands_test

import data.gavel.change.commands
import data.gavel.testing

_option := {"name": "-f", "names": ["--force", "-f"], "value": "", "hasValue": false, "dynamic": false, "known": true, "index": 1}

_operand := {"text": "origin", "path": "/srv/app/origin", "dynamic": false, "index": 2}

_push := object.union(testing.segment("/usr/bin/git"), {
	"argv": ["git", "push", "-f", "origin"],
	"commands": ["push"],
	"commandsKnown": "exact",
	"options": [_option],
	"operands": [_operand],
})

_hazard(kind, option) := {"kind": kind, "option": option, "argument": "x", "index": 1, "real": ""}

_config := testing.configured({"tools": {"exec": {"allowlist": []}}})

_edits(segment) := found if {
	found := commands.edits with input as testing.execution({"segments": [segment]}) with data.config as _config
}

_none(segment) := {r.why | some r in found} if {
	found := commands.none with input as testing.execution({"segments": [segment]}) with data.config as _config
}

# No rule can state a word such as ~/x, but a list can have the file that it names.
test_a_file_elsewhere_is_listed_where_no_rule_can_state_the_words if {
	hazard := object.union(_hazard("elsewhere", "outside"), {"argument": "~/x", "real": "/home/u/x"})
	words := {"hazards": [hazard], "operands": [object.union(_operand, {"dynamic": true})]}
	config := testing.configured({"tools": {"read": {"allow": ["./**"]}, "exec": {"allowlist": []}}})
	facts := testing.execution({"segments": [object.union(_push, words)]})
	edits := commands.edits with input as facts with data.config as config
	{[edit.path, edit.value] | some edit in edits; edit.path == "tools.read.allow"} == {["tools.read.allow", "/home/u/x"]}
	every edit in edits { not edit.value.accepts }
	commands.none == set() with input as facts with data.config as config
	stated := testing.execution({"segments": [object.union(_push, {"hazards": [hazard]})]})
	rules := commands.edits with input as stated with data.config as config
	{edit.value.accepts | some edit in rules} == {["outside"]}
}

# Changes of the segment, and what they change in the rule.
_rules := {
	"its words": [{}, {}],
	"no words": [
		{"argv": ["git", "push"], "options": [], "operands": []},
		{"options": [], "operands": []},
	],
	"an option and an operand that are there twice": [
		{"options": [_option, _option], "operands": [_operand, _operand]},
		{},
	],
	"a hazard is accepted by name, and values are stated": [
		{"hazards": [_hazard("runs", "--exec")], "options": [object.union(_option, {"name": "--exec", "value": "./x", "hasValue": true})]},
		{"options": {"--exec": ["./x"]}, "accepts": ["--exec"]},
	],
	"what writes is accepted by kind": [
		{"hazards": [_hazard("writes", "TARGET")]},
		{"accepts": ["writes"]},
	],
}

_plain := {"program": "git", "commands": ["push"], "options": ["-f"], "operands": ["origin"], "effect": "allow"}

test_a_rule_has_the_words_of_the_command[name] if {
	some name, c in _rules
	[changes, want] := c
	{edit.value | some edit in _edits(object.union(_push, changes))} == {_overlaid(want)}
}

# A list of options and a map are not merged.
_overlaid(want) := object.union(object.remove(_plain, object.keys(want)), want)

test_a_rule_leaves_out_words_that_it_cannot_list[name] if {
	some name, c in {
		"options that are unsure": [{"optionsKnown": "unsure"}, {"options", "operands"}],
		"an option that no grammar has": [{"options": [object.union(_option, {"known": false})]}, {"options"}],
	}
	[changes, missing] := c
	{edit.value | some edit in _edits(object.union(_push, changes))} == {object.remove(_plain, missing)}
}

test_a_program_that_others_can_change_is_named_by_its_path if {
	segment := object.union(testing.segment("/opt/bin/deploy"), {"executable": {"writable": ["file"]}})
	{edit.value.program | some edit in _edits(segment)} == {"/opt/bin/deploy"}
	{edit.value.program | some edit in _edits(testing.segment("/opt/bin/deploy"))} == {"deploy"}
}

test_the_rule_goes_where_the_agent_has_rules if {
	config := testing.configured({"tools": {"exec": {"allowlist": []}}, "agents": {"main": {"exec": {"rules": []}}}})
	found := commands.edits with input as testing.execution({"segments": [_push]}) with data.config as config
	{[edit.path, edit.whom] | some edit in found} == {["agents.main.exec.rules", ""]}
	{[edit.path, edit.whom] | some edit in _edits(_push)} == {["tools.exec.rules", "every agent"]}
}

test_a_wrapper_needs_a_rule_too if {
	segment := testing.wrapped("/usr/bin/rg", ["/opt/nice"])
	{edit.value.program | some edit in _edits(segment)} == {"rg", "nice"}
}

test_a_link_needs_an_entry if {
	segment := object.union(testing.segment("/opt/bin/cut"), {"executable": {"link": "/opt/bin/busybox"}})
	{[edit.path, edit.value] | some edit in _edits(segment)} == {["tools.exec.allowlist", "/opt/bin/cut"]}
}

test_nothing_is_proposed_for_a_program_that_runs_others if {
	_edits(object.union(testing.segment("/usr/bin/env"), {"opaque": "env -S"})) == set()
}

test_nothing_is_proposed_for_a_program_that_does_not_exist if {
	_edits(testing.lost("zz")) == set()
}

# Each with a part of the reason why no rule is proposed.
_hopeless := {
	"a word that could be any option": [{"hazards": [_hazard("loads", "dynamic")]}, "produced at run time"],
	"secrets": [{"hazards": [_hazard("secrets", "env")]}, "secrets or the environment"],
	"a file with secrets": [{"hazards": [_hazard("reads", "secret")]}, "a file that holds secrets"],
	"a value that is produced at run time": [
		{"hazards": [_hazard("runs", "--exec")], "options": [object.union(_option, {"hasValue": true, "dynamic": true})]},
		"the value of -f is produced at run time",
	],
	"an operand that is produced at run time": [
		{"hazards": [_hazard("writes", "TARGET")], "operands": [object.union(_operand, {"dynamic": true})]},
		"-f is produced at run time",
	],
	"a sub-command that no rule can name": [{"commandsKnown": "unlisted"}, "no rule can name the sub-command"],
	"words whose order matters": [
		{"argv": ["find", ".", "-delete"], "executable": {"name": "find"}, "commandsKnown": "none", "hazards": [_hazard("writes", "-delete")]},
		"the order of its words matters",
	],
	"a sub-command that another word could be": [{"commandsKnown": "open"}, "another word could be it"],
	"no sub-command, where others exist": [{"commands": []}, "no rule can say that there is no sub-command"],
	"any words, of a program that does more than read": [
		{"operands": [object.union(_operand, {"dynamic": true})]},
		"-f is produced at run time",
	],
	"options that are unsure": [{"hazards": [_hazard("runs", "--exec")], "optionsKnown": "unsure"}, "unclear which of them are options"],
	"a file of the system that is written": [
		{"hazards": [object.union(_hazard("writes", "TARGET"), {"real": "/etc/passwd"})]},
		"files of the system or of other people",
	],
	"a device that something is done to": [
		{"hazards": [object.union(_hazard("reads", "closed"), {"real": "/dev/sda"})], "optionsKnown": "none"},
		"files of the system or of other people",
	],
}

test_what_no_rule_should_permit[name] if {
	some name, c in _hopeless
	[changes, why] := c
	segment := object.union(_push, changes)
	_edits(segment) == set()
	some said in _none(segment)
	contains(said, why)
	startswith(said, sprintf("%s: ", [concat(" ", segment.argv)]))
}

test_a_file_on_a_deny_list_stays_closed if {
	hazard := object.union(_hazard("writes", "TARGET"), {"real": "/srv/app/x"})
	segment := object.union(_push, {"hazards": [hazard]})
	config := object.union(_config, {"tools": {"write": {"deny": ["/srv/app/x"]}, "exec": {"allowlist": [], "host": "gateway", "security": "allowlist"}}})
	found := commands.edits with input as testing.execution({"segments": [segment]}) with data.config as config
	found == set()
}

test_an_edit_says_what_it_admits[name] if {
	some name, c in {
		"words": [{}, "git push with -f and no other option, and with no operands but origin"],
		"a word with a value": [
			{"options": [_option, object.union(_option, {"name": "-o", "value": "x", "hasValue": true})]},
			"git push with one or more of -f, -o (with any value) and no other option, and with no operands but origin",
		],
		"a word of which a rule need not say the value": [
			{
				"hazards": [_hazard("runs", "--exec")],
				"options": [_option, object.union(_option, {"name": "--exec", "value": "./x", "hasValue": true})],
			},
			"git push with --exec ./x, with or without -f and no other option, and with no operands but origin; it runs other programs (--exec)",
		],
		"nothing": [{"options": [], "operands": []}, "git push without options and without operands"],
		"anything": [{"optionsKnown": "unsure"}, "git push with any options that are not hazards and with any operands"],
		"a hazard": [
			{"hazards": [_hazard("runs", "--exec")], "options": [object.union(_option, {"name": "--exec", "value": "./x", "hasValue": true})]},
			"git push with --exec ./x and no other option, and with no operands but origin; it runs other programs (--exec)",
		],
	}
	[changes, want] := c
	{edit.admits | some edit in _edits(object.union(_push, changes))} == {want}
}

test_packs_that_allow_a_program_are_named if {
	found := commands.packs with input as testing.execution({"segments": [testing.segment("/usr/bin/sort")]}) with data.config as _config
	{edit.value | some edit in found} == {"text"}
	some edit in found
	edit.path == "tools.exec.packs"
	edit.op == "add"
	startswith(edit.admits, "everything of the pack text, which ")
}

test_a_pack_that_is_switched_on_is_not_named if {
	switched_on := testing.configured({"tools": {"exec": {"allowlist": [], "packs": ["text"]}}})
	found := commands.packs with input as testing.execution({"segments": [testing.segment("/usr/bin/sort")]}) with data.config as switched_on
	count(found) == 0
}

test_a_pack_that_only_asks_is_not_suggested if {
	found := commands.packs with input as testing.execution({"segments": [testing.segment("/usr/bin/dig")]}) with data.config as _config
	count(found) == 0
}
