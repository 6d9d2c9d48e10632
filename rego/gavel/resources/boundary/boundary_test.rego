package gavel.resources.boundary_test

import data.gavel.decision
import data.gavel.decision.layers
import data.gavel.resources.boundary
import data.gavel.testing

_codes(facts, settings) := {r.code |
	some r in boundary.deny with input as facts with data.config as settings
}

_access(access) := {"sandboxing": {"workspaceAccess": access}}

_outside := {"resources.outside_sandbox"}

_names(real, changes) := object.union(
	testing.call({
		"agent": {"sandboxed": true},
		"resources": [{"access": "read", "given": "x", "path": real, "real": real, "file": true}],
	}),
	changes,
)

_box := "/home/u/.openclaw/sandboxes/main"

test_what_a_sandbox_sees_with_each_workspace_access[name] if {
	some name, c in {
		"none: its own directory": {"access": "none", "real": sprintf("%s/a", [_box]), "want": set()},
		"none: the directory itself": {"access": "none", "real": _box, "want": set()},
		"none: the directory of another sandbox": {"access": "none", "real": "/home/u/.openclaw/sandboxes/other/a", "want": _outside},
		"none: a name that begins alike": {"access": "none", "real": sprintf("%s2/a", [_box]), "want": _outside},
		"none: the workspace": {"access": "none", "real": "/srv/app/a", "want": _outside},
		"ro: the workspace": {"access": "ro", "real": "/srv/app/a", "want": set()},
		"ro: its own directory": {"access": "ro", "real": sprintf("%s/a", [_box]), "want": set()},
		"ro: elsewhere": {"access": "ro", "real": "/etc/passwd", "want": _outside},
		"rw: the workspace": {"access": "rw", "real": "/srv/app/a", "want": set()},
		"rw: elsewhere": {"access": "rw", "real": "/srv/application/a", "want": _outside},
		"rw: a file that is not known": {"access": "rw", "real": "", "want": _outside},
	}
	_codes(_names(c.real, {}), _access(c.access)) == c.want
}

_sized(real) := _names(real, {"resources": [{"access": "read", "given": "x", "path": real, "real": real, "file": true, "size": 1, "sized": true}]})

test_a_file_that_the_sandbox_does_not_see_is_denied if {
	config := object.union(testing.config, _access("none"))
	facts := _sized("/etc/passwd")
	result := decision.result with input as facts with data.config as config
	result.effect == "deny"
	"resources.outside_sandbox" in testing.codes(result.reasons)
	not layers.verdict.resources.permit with input as facts with data.config as config
	layers.verdict.resources.permit with input as _sized(sprintf("%s/a", [_box])) with data.config as config
}

test_outside_a_sandbox_and_without_the_setting_nothing_is_limited if {
	_codes(_names("/etc/passwd", {"agent": {"sandboxed": false}}), _access("none")) == set()
	_codes(_names("/etc/passwd", {}), {}) == set()
}

test_a_call_that_names_no_file_uses_none if {
	facts := _names("", {"resources": [{"access": "write", "given": "", "path": "", "real": "", "file": true}]})
	_codes(facts, _access("none")) == set()
}

test_the_gateway_states_another_directory[name] if {
	some name, c in {
		"a file in it": {"root": "/box/7", "real": "/box/7/a", "want": set()},
		"a file of the default": {"root": "/box/7", "real": sprintf("%s/a", [_box]), "want": _outside},
		"one that is not absolute": {"root": "?", "real": sprintf("%s/a", [_box]), "want": _outside},
		"the root of the machine": {"root": "/", "real": "/etc/passwd", "want": _outside},
	}
	_codes(_names(c.real, {"environment": {"sandboxRoot": c.root}}), _access("none")) == c.want
}

test_an_id_that_is_a_path_has_no_directory[id] if {
	some id in ["../main", "..", "a/b", ""]
	facts := _names("/home/u/.openclaw/main/a", {"agent": {"id": id, "sandboxed": true}})
	_codes(facts, _access("none")) == _outside
}

test_missing_facts_are_outside[path] if {
	some path in ["environment/home", "environment/sandboxRoot", "agent/id", "agent/sandboxed"]
	facts := json.remove(_names(sprintf("%s/a", [_box]), {}), [path])
	settings := _access("none")
	before := _codes(_names("/etc/passwd", {}), settings)
	before == _outside
	count(_codes(facts, settings)) == _expected[path]
}

# Without the claim the agent counts as sandboxed all the same, so its own directory stays open.
_expected := {"environment/home": 1, "environment/sandboxRoot": 1, "agent/id": 1, "agent/sandboxed": 0}

test_the_reason_says_what_the_sandbox_sees if {
	some r in boundary.deny with input as _names("/etc/passwd", {}) with data.config as _access("rw")
	r.message == concat("", [
		"/etc/passwd is outside what the sandbox sees: workspaceAccess is rw, ",
		"which means /home/u/.openclaw/sandboxes/main and /srv/app",
	])
	r.source == {"path": "sandboxing.workspaceAccess", "from": "global"}
}

test_a_file_is_judged_by_its_real_path_even_if_the_call_names_none if {
	facts := _names("", {"resources": [{"access": "write", "given": "", "path": "/etc/passwd", "real": "/etc/passwd", "file": true}]})
	_codes(facts, _access("none")) == _outside
}

test_an_invalid_sandbox_directory_contains_nothing[name] if {
	some name, c in {
		"a relative one": {"environment": {"sandboxRoot": "box"}, "id": "main", "real": "box/a"},
		"the root of the machine itself": {"environment": {"sandboxRoot": "/"}, "id": "main", "real": "/"},
		"that of an unknown home": {"environment": {"home": ""}, "id": "main", "real": "/.openclaw/sandboxes/main/a"},
		"that of an id which is a path": {"environment": {}, "id": "a/b", "real": sprintf("%s/../a/b/x", [_box])},
		"that of an id which is a path, resolved": {"environment": {}, "id": "a/b", "real": "/home/u/.openclaw/sandboxes/a/b/x"},
	}
	facts := _names(c.real, {"environment": c.environment, "agent": {"id": c.id, "sandboxed": true}})
	_codes(facts, _access("none")) == _outside
}

test_the_reason_says_that_nothing_is_known if {
	facts := _names("", {"environment": {"home": "", "sandboxRoot": ""}})
	some r in boundary.deny with input as facts with data.config as _access("none")
	r.message == `"x" is outside what the sandbox sees: workspaceAccess is none, which means nothing that is known`
}

test_an_empty_workspace_is_not_named if {
	facts := _names("/etc/passwd", {"environment": {"workspace": ""}})
	some r in boundary.deny with input as facts with data.config as _access("rw")
	endswith(r.message, "which means /home/u/.openclaw/sandboxes/main")
}
