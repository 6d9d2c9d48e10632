package gavel.exec.objections_test

import data.gavel.exec.objections
import data.gavel.exec.rules
import data.gavel.testing

_git(command) := object.union(testing.segment("/usr/bin/git"), {
	"argv": ["git", command],
	"commands": [command],
	"commandsKnown": "exact",
})

_config(list) := testing.configured({"tools": {"exec": {"rules": list}}})

_deny := {"program": "git", "commands": ["push"], "effect": "deny", "why": "never"}

_ask := {"program": "git", "commands": ["push"], "effect": "ask", "approvers": ["a", "b"], "quorum": 2, "timeout": 5000}

_allow := {"program": "git", "commands": ["push"], "effect": "allow", "accepts": ["network"]}

# A shell that reads commands from its standard input.
_reading := object.union(testing.segment("/usr/bin/sh"), {"opaque": "sh without -c"})

_full(list) := testing.configured({"tools": {"exec": {"security": "full", "rules": list}}})

test_a_rule_denies if {
	found := objections.deny with input as testing.execution({"segments": [_git("push")]}) with data.config as _config([_allow, _deny])
	testing.codes(found) == {"exec.rule_denied"}
	some r in found
	r.source.path == "tools.exec.rules[1]"
	r.message == "git push is denied by tools.exec.rules[1]: never"
}

test_a_denying_rule_denies_nothing_else if {
	found := objections.deny with input as testing.execution({"segments": [_git("pull")]}) with data.config as _config([_deny])
	found == set()
}

test_a_denying_rule_denies_a_wrapper if {
	wrapped := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [testing.wrapper("/usr/bin/sudo")]})
	found := objections.deny with input as testing.execution({"segments": [wrapped]})
		with data.config as _config([{"program": "sudo", "effect": "deny"}])
	testing.codes(found) == {"exec.rule_denied"}
}

test_words_that_cannot_be_read_are_denied_with_their_own_reason if {
	unlisted := object.union(_git("p"), {"commandsKnown": "unlisted"})
	found := objections.deny with input as testing.execution({"segments": [unlisted]}) with data.config as _config([_deny])
	testing.codes(found) == {"exec.rule_unclear"}
}

test_a_rule_that_permits_vouches_for_a_sub_command if {
	unlisted := object.union(_git("lfs"), {"commandsKnown": "unlisted"})
	found := objections.deny with input as testing.execution({"segments": [unlisted]})
		with data.config as _config([_deny, {"program": "git", "commands": ["lfs"], "effect": "allow"}])
	found == set()
}

# Each rule that asks for certain is a reason; those that may ask are one, with all of them.
test_the_rules_that_ask_are_named_once if {
	config := _config([object.union(_ask, {"why": "it leaves"}), {"program": "git", "commands": ["tag"], "effect": "ask", "why": "it may be lost"}])
	asked := objections.ask with input as testing.execution({"segments": [_git("push")]}) with data.config as config
	{[r.message, r.fix] | some r in asked} == {[
		"git push: a person must agree, as tools.exec.rules[0] says: it leaves",
		"have a person agree, or change tools.exec.rules[0]",
	]}
	unlisted := object.union(_git("p"), {"commandsKnown": "unlisted"})
	doubted := objections.ask with input as testing.execution({"segments": [unlisted]}) with data.config as config
	{[r.message, r.fix] | some r in doubted} == {[
		concat("", [
			"git p: a person must agree, because it may be what tools.exec.rules[0] and tools.exec.rules[1] ask about ",
			"(Gavel does not know the sub-command p): it leaves; it may be lost",
		]),
		"have a person agree, or if p is an alias, write out what it stands for; if not, allow p by name in a rule",
	]}
}

test_a_rule_asks_with_terms_of_its_own if {
	facts := testing.execution({"segments": [_git("push")]})
	config := _config([_ask, object.union(_ask, {"approvers": ["b", "c"], "quorum": 1, "timeout": 9000})])
	asked := objections.ask with input as facts with data.config as config
	testing.codes(asked) == {"exec.rule_asks"}
	objections.quorum == 2 with input as facts with data.config as config
	objections.timeout == 5000 with input as facts with data.config as config
	objections.approvers == {"b"} with input as facts with data.config as config
	rules.certainly_asks(_git("push")) with input as facts with data.config as config
}

test_lists_of_approvers_without_a_common_person_deny if {
	found := objections.deny with input as testing.execution({"segments": [_git("push")]})
		with data.config as _config([_ask, object.union(_ask, {"approvers": ["c"]})])
	testing.codes(found) == {"exec.rule_approvers"}
}

test_full_mode_needs_the_text_understood_where_rules_object[effect] if {
	some effect, want in {"deny": {"exec.rule_unread"}, "ask": {"exec.rule_unread_asks"}, "allow": set()}
	config := testing.configured({"tools": {"exec": {"security": "full", "rules": [{"program": "git", "effect": effect}]}}})
	denied := objections.deny with input as testing.refused("expansion") with data.config as config
	asked := objections.ask with input as testing.refused("expansion") with data.config as config
	testing.codes(denied | asked) == want
}

test_in_allowlist_mode_it_is_denied_anyway if {
	found := objections.deny with input as testing.refused("expansion") with data.config as _config([_deny])
	found == set()
}

test_a_shell_that_reads_commands_may_run_what_a_rule_denies_where_no_list_is_checked if {
	found := objections.deny with input as testing.execution({"segments": [_reading]}) with data.config as _full([_deny])
	testing.codes(found) == {"exec.rule_unclear"}
	some r in found
	r.fix == "give the commands themselves, so that they can be read; or change tools.exec.rules[0]"
}

test_a_shell_that_reads_commands_may_run_what_a_rule_asks_about if {
	found := objections.ask with input as testing.execution({"segments": [_reading]}) with data.config as _full([_ask])
	testing.codes(found) == {"exec.rule_asks"}
}

test_a_rule_that_permits_the_shell_permits_nothing_that_another_denies if {
	permits := {"program": "sh", "effect": "allow", "accepts": "any"}
	found := objections.deny with input as testing.execution({"segments": [_reading]}) with data.config as _config([permits, _deny])
	testing.codes(found) == {"exec.rule_unclear"}
}

_others(names) := [{"program": name, "effect": "ask", "why": name} | some name in names]

test_a_command_that_cannot_be_known_is_asked_about_once[name] if {
	some name, c in {
		"one program is named with its rule": {
			"rules": ["git"],
			"want": "because what it runs is not known, and may be git, which tools.exec.rules[0] asks about: git",
		},
		"two rules about one program are named": {
			"rules": ["git", "git"],
			"want": "because what it runs is not known, and may be git, which tools.exec.rules[0] and tools.exec.rules[1] ask about: git",
		},
		"several programs are named": {
			"rules": ["mvn", "git", "gh"],
			"want": "because what it runs is not known, so it may be a command that 3 rules ask about: gh, git and mvn",
		},
		"of many, some programs are named": {
			"rules": ["mvn", "git", "gh", "ssh", "scp", "npm", "dig", "git"],
			"want": "because what it runs is not known, so it may be a command that 8 rules ask about: dig, gh, git, mvn, npm and 2 other programs",
		},
	}
	asked := objections.ask with input as testing.execution({"segments": [_reading]}) with data.config as _full(_others(c.rules))
	{r.message | some r in asked} == {sprintf("sh TODO: a person must agree, %s", [c.want])}
}

test_a_command_that_cannot_be_known_is_denied_once if {
	denies := [object.union(rule, {"effect": "deny"}) | some rule in _others(["mvn", "git"])]
	denied := objections.deny with input as testing.execution({"segments": [_reading]}) with data.config as _full(denies)
	{[r.message, r.fix] | some r in denied} == {[
		"sh TODO: denied, because what it runs is not known, so it may be a command that 2 rules deny: git and mvn",
		"give the commands themselves, so that they can be read; or change tools.exec.rules[0] and tools.exec.rules[1]",
	]}
}

test_a_shell_that_nothing_permits_is_only_a_miss if {
	found := objections.deny with input as testing.execution({"segments": [_reading]}) with data.config as _config([_deny])
	found == set()
}

test_a_word_that_eval_runs_may_be_what_a_rule_denies if {
	evaluating := object.union(testing.segment("/usr/bin/eval"), {"hazards": [{"kind": "runs", "option": "eval", "index": 0}], "dynamic": [1]})
	found := objections.deny with input as testing.execution({"segments": [evaluating]}) with data.config as _full([_deny])
	testing.codes(found) == {"exec.rule_unclear"}
	written := object.union(evaluating, {"dynamic": []})
	objections.deny == set() with input as testing.execution({"segments": [written]}) with data.config as _full([_deny])
}
