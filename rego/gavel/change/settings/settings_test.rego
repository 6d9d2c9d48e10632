package gavel.change.settings_test

import data.gavel.change.settings
import data.gavel.testing

_edits(facts, changes) := {[edit.op, edit.path, edit.value] | some edit in found} if {
	found := settings.edits with input as facts
		with data.config as testing.configured(changes)
		with data.gavel.check.problems as set()
}

_construct(kind) := {"kind": kind, "construct": "x", "start": 0, "end": 7}

_redirect := object.union(testing.blank.redirect, {
	"operator": ">",
	"writes": true,
	"target": "out",
	"path": "/srv/app/out",
	"real": "/srv/app/out",
	"start": 0,
	"end": 7,
})

_redirecting := testing.execution({"constructs": [_construct("redirect")], "redirects": [_redirect]})

test_a_closed_construct_is_opened[kind] if {
	some kind, opened in {"compound": "segments", "substitution": "segments", "heredoc": "stdin"}
	_edits(testing.execution({"constructs": [_construct(kind)]}), {}) == {["set", sprintf("tools.exec.constructs.%s", [kind]), opened]}
}

test_a_construct_that_is_asked_about_needs_no_edit if {
	facts := testing.execution({"constructs": [_construct("compound")]})
	_edits(facts, {"tools": {"exec": {"constructs": {"compound": "ask"}}}}) == set()
}

test_the_setting_is_that_of_the_agent if {
	facts := testing.execution({"constructs": [_construct("compound")]})
	_edits(facts, {"agents": {"main": {"exec": {"constructs": {"compound": "deny"}}}}}) == {["set", "agents.main.exec.constructs.compound", "segments"]}
}

test_a_harmless_redirection_has_its_own_setting if {
	facts := testing.execution({"constructs": [_construct("redirect")], "redirects": [object.union(_redirect, {"operator": ">&", "descriptor": "2", "target": "1", "writes": false})]})
	_edits(facts, {}) == {["set", "tools.exec.harmlessRedirects", "allow"]}
	_edits(facts, {"tools": {"exec": {"harmlessRedirects": "allow"}}}) == set()
}

test_any_other_redirection_is_opened if {
	_edits(_redirecting, {}) == {["set", "tools.exec.constructs.redirect", "paths"]}
}

test_the_file_of_an_opened_redirection_is_listed if {
	opened := {"exec": {"constructs": {"redirect": "paths"}}}
	_edits(_redirecting, {"tools": opened}) == {["add", "tools.write.allow", "/srv/app/out"]}
	listed := object.union(opened, {"write": {"allow": ["/tmp/**"]}})
	_edits(_redirecting, {"tools": listed}) == {["add", "tools.write.allow", "/srv/app/out"]}
}

test_the_file_that_a_program_writes_is_listed if {
	hazard := {"kind": "writes", "option": "unlisted", "argument": "x", "index": 1, "real": "/srv/app/x"}
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/touch"), {"argv": ["touch", "x"], "hazards": [hazard]})]})
	lists := {"exec": {"allowlist": ["/usr/bin/touch"]}, "write": {"allow": ["/tmp/**"]}}
	_edits(facts, {"tools": lists}) == {["add", "tools.write.allow", "/srv/app/x"]}
}

test_the_first_entry_of_a_list_is_reported_to_limit_access if {
	found := settings.edits with input as _redirecting
		with data.config as testing.configured({"tools": {"exec": {"constructs": {"redirect": "paths"}}}})
		with data.gavel.check.problems as set()
	some edit in found
	edit.admits == "any tool or command to write /srv/app/out; as the first entry of its list, it also limits file tools to write nothing else"
}

test_each_list_that_a_file_is_missing_from_gets_it if {
	lists := {"tools": {"read": {"allow": ["/tmp/**"]}}, "agents": {"main": {"tools": {"read": {"allow": ["/var/**"]}}}}}
	_edits(testing.facts, lists) == {
		["add", "tools.read.allow", "/srv/app/a.txt"],
		["add", "agents.main.tools.read.allow", "/srv/app/a.txt"],
	}
}

test_a_list_that_names_the_file_is_not_edited if {
	lists := {"tools": {"read": {"allow": ["/srv/**"]}}, "agents": {"main": {"tools": {"read": {"allow": ["/var/**"]}}}}}
	_edits(testing.facts, lists) == {["add", "agents.main.tools.read.allow", "/srv/app/a.txt"]}
}

test_a_directory_is_listed_with_what_is_below if {
	_edits(testing.execution({"directory": "/srv/other"}), {}) == {["add", "tools.read.allow", "/srv/other/**"]}
}

test_a_protected_directory_is_not_listed if {
	_edits(testing.execution({"directory": "/srv/other", "place": "secret"}), {}) == set()
}

_cd := object.union(testing.segment("/bin/cd"), {
	"argv": ["cd", "/srv/other"],
	"builtin": "cd",
	"directory": "/srv/other",
	"executable": {"name": "cd", "found": false},
})

test_the_root_directory_is_not_listed if {
	_edits(testing.execution({"directory": "/"}), {}) == set()
}

test_the_directory_of_cd_is_listed if {
	later := object.union(testing.segment("/usr/bin/rg"), {"start": 10, "end": 12})
	_edits(testing.execution({"segments": [_cd, later]}), {}) == {["add", "tools.read.allow", "/srv/other/**"]}
}

test_a_variable_is_listed if {
	assigned := object.union(testing.blank.assignment, {"name": "TOKEN_FILE", "form": "other", "exported": true})
	_edits(testing.execution({"assigned": [assigned]}), {}) == {["add", "tools.exec.environment.allow", "TOKEN_FILE"]}
}

test_a_word_produced_at_run_time_opens_substitutions if {
	segment := object.union(testing.segment("/usr/bin/cat"), {"argv": ["cat", "$x"], "dynamic": [1]})
	facts := testing.execution({"segments": [segment]})
	_edits(facts, {"tools": {"exec": {"allowlist": ["/usr/bin/cat"]}}}) == {["set", "tools.exec.constructs.substitution", "segments"]}
}

test_a_tool_is_listed[name] if {
	some name, c in {
		"an allow list": [{"tools": {"allow": ["exec"]}}, "tools.allow"],
		"a profile": [{"tools": {"profile": "messaging"}}, "tools.alsoAllow"],
		"the profile of the agent": [{"agents": {"main": {"tools": {"profile": "messaging"}}}}, "agents.main.tools.alsoAllow"],
	}
	[changes, path] := c
	["add", path, "read"] in _edits(testing.facts, changes)
}

test_a_host_is_listed if {
	url := object.union(testing.blank.webURL, {"scheme": "https", "host": "docs.example.org"})
	facts := object.union(testing.tool("web_fetch"), {"urls": [url], "resources": []})
	["add", "tools.web_fetch.allowedDomains", "docs.example.org"] in _edits(facts, {"tools": {"web_fetch": {"allowedDomains": ["example.com"]}}})
}

_none(facts) := {[r.code, r.why] | some r in found} if {
	found := settings.none with input as facts
		with data.config as testing.configured({"tools": {"exec": {"constructs": {"redirect": "paths"}}, "write": {"allow": ["./src/**"]}}})
		with data.gavel.check.problems as set()
}

test_no_list_gets_a_file_of_the_system if {
	device := object.union(_redirect, {"path": "/dev/sda", "real": "/dev/sda"})
	why := "/dev/sda is a file of the system or of other people, and no change lets an agent write it"
	_none(testing.execution({"constructs": [_construct("redirect")], "redirects": [device]})) == {["exec.redirect_unlisted", why]}
	_none(_redirecting) == set()
	_none(object.union(testing.facts, {"resources": [testing.file("write", "/dev/sda")]})) == {["resources.unlisted", why]}
	hazard := {"kind": "writes", "option": "unlisted", "argument": "x", "index": 1, "real": "/dev/sda"}
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/touch"), {"hazards": [hazard]})]})
	found := settings.none with input as facts
		with data.config as testing.configured({"tools": {"exec": {"allowlist": ["/usr/bin/touch"]}, "write": {"allow": ["/tmp/**"]}}})
		with data.gavel.check.problems as set()
	{[r.code, r.why] | some r in found} == {["exec.change_unlisted", why]}
}
