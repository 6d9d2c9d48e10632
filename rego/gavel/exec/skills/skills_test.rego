package gavel.exec.skills_test

import data.gavel.decision
import data.gavel.exec
import data.gavel.exec.permitted
import data.gavel.exec.skills
import data.gavel.testing

_digest := testing.binding

_path := "/opt/skills/mail/gog"

_config(changes) := testing.listing(object.union({"autoAllowSkills": true}, changes))

_segment(changes) := object.union(testing.skilled(_path), changes)

_facts(changes) := testing.execution({"segments": [_segment(changes)]})

test_a_registered_program_runs if {
	testing.verdict(_facts({}), _config({})) == {"says": "permit", "codes": set()}
}

test_without_the_setting_nothing_changes[name] if {
	some name, config in {
		"the default": testing.listing({}),
		"off": testing.listing({"autoAllowSkills": false}),
		"not a boolean": testing.listing({"autoAllowSkills": "true"}),
	}
	testing.verdict(_facts({}), config) == {"says": "ask", "codes": {"exec.allowlist_miss"}}
}

# A segment whose gates are closed.
_refused := _segment({"dynamic": [1]})

test_gates_are_named_only_for_a_registered_program_and_with_the_setting[name] if {
	some name, c in {
		"a registered program": {"segment": _refused, "config": _config({}), "want": {"exec.skill_refused"}},
		"a registered program, and the setting is off": {"segment": _refused, "config": testing.listing({}), "want": set()},
		"another program": {"segment": object.union(testing.segment("/usr/bin/vi"), {"dynamic": [1]}), "config": _config({}), "want": set()},
		"a program whose gates are open": {"segment": _segment({}), "config": _config({}), "want": set()},
	}
	found := skills.objections(c.segment) with input as _facts({}) with data.config as c.config
	testing.codes(found) == c.want
}

test_an_agent_has_its_own_setting if {
	mine := object.union(testing.listing({}), {"agents": {"main": {"exec": {"autoAllowSkills": true}}}})
	testing.verdict(_facts({}), mine).says == "permit"
	others := object.union(_config({}), {"agents": {"main": {"exec": {"autoAllowSkills": false}}}})
	testing.verdict(_facts({}), others).says == "ask"
}

# Each gate, closed in each way, keeps the program from running, and is named.
test_gates[name] if {
	some name, c in {
		"the skill has no name": ["registered", {"skill": {"skill": " "}}],
		"the path is relative": ["registered", {"skill": {"program": "gog"}}],
		"the hash is short": ["registered", {"skill": {"sha256": "0123", "content": "0123"}}],
		"the hash is in upper case": ["registered", {"skill": {"sha256": upper(_digest), "content": upper(_digest)}}],
		"there is no hash": ["registered", {"skill": {"sha256": "", "content": ""}}],
		"the name leads to another file": ["program", {"executable": {"real": "/opt/other/gog"}}],
		"the registered path is a link": ["program", {"skill": {"program": "/opt/link/gog"}}],
		"the link's name decides what it does": ["program", {"executable": {"link": "/opt/skills/mail/box"}}],
		"it was not found": ["program", {"executable": {"found": false}}],
		"its content was changed": ["content", {"skill": {"content": replace(_digest, "0", "1")}}],
		"its content is unknown": ["content", {"skill": {"content": ""}}],
		"it is an interpreter": ["interpreter", {"executable": {"programs": ["gog", "python"]}}],
		"it runs others": ["interpreter", {"executable": {"programs": ["gog", "sudo"]}}],
		"its names are unknown": ["interpreter", {"executable": {"programs": null}}],
		"it was not understood": ["interpreter", {"opaque": "env -S"}],
		"an argument is a hazard": ["arguments", {"hazards": [object.union(testing.blank.hazard, {"kind": "runs", "option": "--pre"})]}],
		"a word is produced at run time": ["words", {"dynamic": [1]}],
		"a wrapper is not trusted": ["wrappers", {"wrappers": [testing.wrapper("/tmp/nice")]}],
		"a wrapper raises rights": ["wrappers", {"wrappers": [object.union(testing.wrapper("/usr/bin/sudo"), {"kind": "privilege"})]}],
	}
	facts := testing.execution({"segments": [_segment(c[1])]})
	got := testing.verdict(facts, _config({}))
	got.says == "ask"
	"exec.skill_refused" in got.codes
	closed := skills.closed_gates(_segment(c[1])) with input as facts with data.config as _config({})
	c[0] in closed
}

test_gates_of_the_call[name] if {
	some name, c in {
		"an agent states the skill": ["gateway", {"caller": {"kind": "agent"}}],
		"it is in the workspace": ["workspace", {"environment": {"workspace": "/opt/skills"}}],
		"the workspace is the directory itself": ["workspace", {"environment": {"workspace": "/opt/skills/mail/"}}],
		"the workspace is unknown": ["workspace", {"environment": {"workspace": ""}}],
		"the workspace is relative": ["workspace", {"environment": {"workspace": "srv/app"}}],
		"the call sets a variable": ["variables", {"exec": {"env": ["LANG"]}}],
		"the text sets a variable": ["variables", {"exec": {"variables": ["x"]}}],
		"the file says no": ["approvals", testing.filed({"autoAllowSkills": "false"})],
		"the file says something else": ["approvals", testing.filed({"autoAllowSkills": "yes"})],
		"the file's agent says no, and its defaults yes": ["approvals", _files("false", "true")],
		"the file's agent says yes, and its defaults something else": ["approvals", _files("true", "yes")],
		"the sections of the file are not a list": ["approvals", {"approvalsFile": {"settings": {}}}],
	}
	facts := object.union(_facts({}), c[1])
	testing.verdict(facts, _config({})).says == "ask"
	closed := skills.closed_gates(_segment({})) with input as facts with data.config as _config({})
	closed == {c[0]}
}

_files(own, defaults) := {"approvalsFile": {"state": "read", "settings": [
	object.union(testing.blank.approvalsFileSetting, {"path": "agents.main", "autoAllowSkills": own}),
	object.union(testing.blank.approvalsFileSetting, {"path": "defaults", "autoAllowSkills": defaults}),
]}}

test_the_nearest_section_of_the_file_holds if {
	testing.verdict(object.union(_facts({}), _files("", "true")), _config({})).says == "permit"
	testing.verdict(object.union(_facts({}), _files("true", "false")), _config({})).says == "permit"
	testing.verdict(object.union(_facts({}), _files("true", "false")), testing.listing({})).says == "ask"
}

test_a_workspace_beside_the_program_is_not_an_objection if {
	facts := object.union(_facts({}), {
		"environment": {"workspace": "/opt/skills/mai"},
		"exec": {"directory": "/opt/skills/mai"},
	})
	testing.verdict(facts, _config({})).says == "permit"
}

test_nothing_else_is_loosened[name] if {
	some name, c in {
		"security deny": [_config({"security": "deny"}), {}, "deny"],
		"a rule that denies": [_config({"rules": [{"program": "gog", "effect": "deny"}]}), {}, "deny"],
		"a rule that asks": [_config({"rules": [{"program": "gog", "effect": "ask"}]}), {}, "ask"],
		"a construct that is closed": [_config({}), {"constructs": [object.union(testing.blank.construct, {"kind": "redirect"})]}, "deny"],
		"a blocked variable": [_config({}), {"env": ["LD_PRELOAD"]}, "deny"],
		"another segment": [_config({}), {"segments": [_segment({}), testing.segment("/usr/bin/vi")]}, "ask"],
	}
	testing.verdict(testing.execution(object.union({"segments": [_segment({})]}, c[1])), c[0]).says == c[2]
}

test_ask_always_asks if {
	settings := object.union(_config({"ask": "always"}), {"agents": {"main": {}}})
	decision.result.effect == "ask" with input as object.union(_facts({}), testing.looked) with data.config as settings
}

test_the_reason_names_the_skill_and_the_setting if {
	settings := object.union(_config({}), {"agents": {"main": {}}})
	because := exec.because with input as _facts({}) with data.config as settings
	{[r.code, r.message, r.source.path] | some r in because} == {[
		"exec.skill",
		"/opt/skills/mail/gog is the program that the skill mail has registered",
		"tools.exec.autoAllowSkills",
	]}
	indexes := permitted.skill_segments with input as _facts({}) with data.config as settings
	indexes == {0}
}

test_an_entry_takes_precedence_over_a_skill if {
	settings := _config({"allowlist": [_path]})
	because := exec.because with input as _facts({}) with data.config as settings
	testing.codes(because) == {"exec.allowlisted"}
}

test_every_gate_is_in_the_table if {
	facts := object.remove(testing.exec_facts, ["caller", "approvalsFile", "environment"])
	closed := skills.closed_gates({}) with input as object.union(facts, {"exec": {"env": null}}) with data.config as {}
	closed == object.keys(data.gavel.catalog.exec.skill_gates)
}
