package gavel.resources.contents_test

import data.gavel.decision
import data.gavel.resources.contents
import data.gavel.testing

_call(tool, resource) := object.union(testing.tool(tool), {"tool": {"parameters": data.gavel.catalog.parameters[tool]}, "resources": [resource]})

_result(facts, tools) := result if {
	result := decision.result with input as facts with data.config as object.union(testing.config, {"tools": tools})
}

_is(facts, tools, codes) if {
	result := _result(facts, tools)
	codes == {reason.code | some reason in result.reasons; result.effect == "deny"}
}

_read(change) := _call("read", object.union(testing.file("read", "/srv/app/a"), change))

_claimed(facts) := object.union(facts, {"environment": {"claimed": true}})

# FILES-4.
test_sizes_of_files_that_are_read[name] if {
	unseen := {"size": 0, "sized": false}
	some name, c in {
		"a small file": {"facts": _read({}), "tools": {}, "codes": set()},
		"as large as the default permits": {"facts": _read({"size": 10485760}), "tools": {}, "codes": set()},
		"larger than the default": {"facts": _read({"size": 10485761}), "tools": {}, "codes": {"resources.too_large"}},
		"a higher limit": {"facts": _read({"size": 10485761}), "tools": {"read": {"maxSizeBytes": 10485761}}, "codes": set()},
		"a lower limit": {"facts": _read({}), "tools": {"read": {"maxSizeBytes": 99}}, "codes": {"resources.too_large"}},
		"a size that cannot be seen": {"facts": _read(unseen), "tools": {}, "codes": {"resources.size_unknown"}},
		"on another machine": {"facts": _claimed(_read(unseen)), "tools": {}, "codes": set()},
		"on another machine, larger than the default": {"facts": _claimed(_read({"size": 10485761})), "tools": {}, "codes": {"resources.too_large"}},
		"on another machine with a limit": {"facts": _claimed(_read(unseen)), "tools": {"read": {"maxSizeBytes": 99}}, "codes": {"resources.size_unknown"}},
		"an unknown file": {"facts": _read(object.union(unseen, {"real": "", "path": ""})), "tools": {}, "codes": set()},
		"an unknown file with a limit": {
			"facts": _read(object.union(unseen, {"real": "", "path": ""})),
			"tools": {"read": {"maxSizeBytes": 99}},
			"codes": {"resources.size_unknown"},
		},
		"a size that was seen of an unknown file": {
			"facts": _read({"size": 10485761, "real": "", "path": ""}),
			"tools": {},
			"codes": {"resources.too_large"},
		},
		"a directory that is searched": {"facts": _read(object.union(unseen, {"file": false})), "tools": {"read": {"maxSizeBytes": 99}}, "codes": set()},
	}
	_is(c.facts, c.tools, c.codes)
}

test_sizes_of_files_that_are_written[name] if {
	some name, c in {
		"without a limit": {"change": {"size": 99999999}, "tools": {}, "codes": set()},
		"an unknown size without a limit": {"change": {"sized": false}, "tools": {}, "codes": set()},
		"within the limit": {"change": {"size": 5}, "tools": {"write": {"maxSizeBytes": 5}}, "codes": set()},
		"more than the limit": {"change": {"size": 6}, "tools": {"write": {"maxSizeBytes": 5}}, "codes": {"resources.too_large"}},
		"something that is not a file": {"change": {"sized": false, "file": false}, "tools": {"write": {"maxSizeBytes": 5}}, "codes": {"resources.size_unknown"}},
		"an unknown size": {"change": {"sized": false}, "tools": {"write": {"maxSizeBytes": 5}}, "codes": {"resources.size_unknown"}},
	}
	_is(_call("write", object.union(testing.file("write", "/srv/app/a"), c.change)), c.tools, c.codes)
}

# FILES-5.
test_patches_stay_in_the_workspace[name] if {
	open := {"exec": {"applyPatch": {"workspaceOnly": false}}}
	some name, c in {
		"a file of the workspace": {"real": "/srv/app/a", "tools": {}, "codes": set()},
		"its neighbour": {"real": "/srv/app2/a", "tools": {}, "codes": {"resources.patch_outside"}},
		"an unknown file": {"real": "", "tools": {}, "codes": {"resources.patch_outside"}},
		"outside where that is open": {"real": "/etc/a", "tools": open, "codes": set()},
		"outside where the file tools stay inside": {"real": "/etc/a", "tools": object.union(open, {"fs": {"workspaceOnly": true}}), "codes": {"resources.unlisted"}},
	}
	_is(_call("apply_patch", testing.file("write", c.real)), c.tools, c.codes)
}

test_a_patch_in_an_unknown_workspace_is_refused if {
	facts := object.union(_call("apply_patch", testing.file("write", "/srv/app/a")), {"environment": {"workspace": ""}})
	_is(facts, {}, {"resources.patch_outside"})
}

test_a_patch_that_names_no_file_is_not_outside if {
	_is(_call("apply_patch", object.union(testing.file("write", ""), {"given": "", "names": 1})), {}, set())
}

test_a_call_without_parameters_is_not_outside_the_workspace if {
	facts := object.union(_call("apply_patch", testing.file("write", "/etc/a")), {"tool": {"parameters": []}})
	_is(facts, {}, set())
}

# A sandbox sees its own directory, which is not in the workspace.
test_a_patch_in_a_sandbox_stays_in_what_it_sees[name] if {
	some name, c in {
		"its own directory": {"real": "/home/u/.openclaw/sandboxes/main/a", "codes": set()},
		"the directory of another sandbox": {"real": "/home/u/.openclaw/sandboxes/other/a", "codes": {"resources.patch_outside"}},
	}
	facts := object.union(_call("apply_patch", testing.file("write", c.real)), {"agent": {"sandboxed": true}})
	settings := object.union(testing.config, {"sandboxing": {"workspaceAccess": "none"}})
	found := contents.deny with input as facts with data.config as settings
	testing.codes(found) == c.codes
}

test_other_tools_write_outside_the_workspace if {
	_is(_call("write", testing.file("write", "/etc/a")), {}, set())
}

# FILES-6.
test_files_with_other_names_are_not_written_where_lists_are_set[name] if {
	list := {"write": {"allow": ["./**"]}}
	some name, c in {
		"one name": {"names": 1, "real": "/srv/app/a", "tools": list, "codes": set()},
		"two names": {"names": 2, "real": "/srv/app/a", "tools": list, "codes": {"resources.other_names"}},
		"two names without lists": {"names": 2, "real": "/srv/app/a", "tools": {}, "codes": set()},
		"nobody knows": {"names": 0, "real": "/srv/app/a", "tools": list, "codes": {"resources.other_names"}},
		"an unknown file": {"names": 0, "real": "", "tools": list, "codes": {"resources.unknown"}},
		"an unknown file with two names": {"names": 2, "real": "", "tools": list, "codes": {"resources.unknown", "resources.other_names"}},
	}
	_is(_call("write", object.union(testing.file("write", c.real), {"names": c.names})), c.tools, c.codes)
}

test_names_of_files_on_another_machine_are_unknown if {
	facts := _call("write", object.union(testing.file("write", "/srv/app/a"), {"names": 0}))
	_is(_claimed(facts), {"write": {"allow": ["./**"]}}, set())
	two := object.union(facts, {"resources": [object.union(testing.file("write", "/srv/app/a"), {"names": 2})]})
	_is(_claimed(two), {"write": {"allow": ["./**"]}}, {"resources.other_names"})
}

test_a_file_with_other_names_may_be_read if {
	_is(_read({"names": 2}), {"read": {"allow": ["./**"]}}, set())
}

test_missing_facts_never_permit[path] if {
	some path in ["size", "sized", "names", "file", "real", "access"]
	facts := json.remove(_call("write", testing.file("write", "/srv/app/a")), [sprintf("resources/0/%s", [path])])
	_result(facts, {"write": {"allow": ["./**"], "maxSizeBytes": 1000}}).effect == "deny"
}

# What objects is tested above. That nothing is permitted without a reason is the second lock.
test_what_is_permitted[name] if {
	some name, c in {
		"a small file": {"facts": _read({}), "tools": {}, "permit": true},
		"a large one": {"facts": _read({"size": 10485761}), "tools": {}, "permit": false},
		"a file with other names": {
			"facts": _call("write", object.union(testing.file("write", "/srv/app/a"), {"names": 2})),
			"tools": {"write": {"allow": ["./**"]}},
			"permit": false,
		},
		"a patch outside": {"facts": _call("apply_patch", testing.file("write", "/etc/a")), "tools": {}, "permit": false},
		"no list of files": {"facts": json.remove(_read({}), ["resources"]), "tools": {}, "permit": false},
	}
	permits := contents.permit with input as c.facts with data.config as object.union(testing.config, {"tools": c.tools})
	permits == c.permit
}

# What permits does not rely on what objects.
test_what_is_permitted_if_nothing_objects[name] if {
	list := {"write": {"allow": ["./**"]}}
	two := _call("write", object.union(testing.file("write", "/srv/app/a"), {"names": 2}))
	some name, c in {
		"a small file": {"facts": _read({}), "tools": {}, "permit": true},
		"a large one": {"facts": _read({"size": 10485761}), "tools": {}, "permit": false},
		"a file without an access": {"facts": json.remove(_read({}), ["resources/0/access"]), "tools": {}, "permit": false},
		"a file with other names": {"facts": two, "tools": list, "permit": false},
		"a file with other names without lists": {"facts": two, "tools": {}, "permit": true},
		"a file with other names that is read": {"facts": _read({"names": 2}), "tools": list, "permit": true},
		"files that are not a list": {"facts": object.union(_read({}), {"resources": {}}), "tools": {}, "permit": false},
	}
	permits := contents.permit with input as c.facts
		with data.config as object.union(testing.config, {"tools": c.tools})
		with contents.deny as set()
	permits == c.permit
}

test_nothing_is_permitted_without_limits if {
	permits := contents.permit with input as _read({}) with data.gavel.frozen.result as {}
	permits == false
}

test_each_reason_names_its_limit[name] if {
	some name, c in {
		"a large file": {"facts": _read({"size": 100}), "tools": {"read": {"maxSizeBytes": 99}}, "path": "tools.read.maxSizeBytes"},
		"an unknown size": {"facts": _read({"sized": false}), "tools": {"read": {"maxSizeBytes": 99}}, "path": "tools.read.maxSizeBytes"},
		"a patch outside": {"facts": _call("apply_patch", testing.file("write", "/etc/a")), "tools": {}, "path": "tools.exec.applyPatch.workspaceOnly"},
	}
	found := contents.deny with input as c.facts with data.config as object.union(testing.config, {"tools": c.tools})
	{r.source.path | some r in found} == {c.path}
}

test_which_tools_limits_are_about[name] if {
	some name, c in {
		"a patch, which stays": {"tool": "apply_patch", "tools": {"exec": {"applyPatch": {"workspaceOnly": true}}}, "is": true},
		"a patch that may go anywhere": {"tool": "apply_patch", "tools": {"exec": {"applyPatch": {"workspaceOnly": false}}, "write": {}}, "is": false},
		"a patch by default": {"tool": "apply_patch", "tools": {}, "is": true},
		"reading": {"tool": "read", "tools": {}, "is": true},
		"a search of the web": {"tool": "web_search", "tools": {}, "is": false},
	}
	_concerns(c) == c.is
}

_concerns(c) if {
	contents.concerns(c.tool) with input as testing.facts with data.config as object.union(testing.config, {"tools": c.tools})
} else := false

test_reasons_say_which_file_and_how_many_names[name] if {
	some name, c in {
		"two names": {"change": {"names": 2}, "want": "/srv/app/a has 2 names (hard links), so a write may change a file somewhere else"},
		"nobody knows": {"change": {"names": 0}, "want": "/srv/app/a has an unknown number of names, so a write may change a file somewhere else"},
	}
	facts := _call("write", object.union(testing.file("write", "/srv/app/a"), c.change))
	found := contents.deny with input as facts with data.config as object.union(testing.config, {"tools": {"write": {"allow": ["./**"]}}})
	{r.message | some r in found} == {c.want}
}

test_a_file_with_an_unknown_path_is_shown_as_the_call_names_it if {
	facts := _call("apply_patch", object.union(testing.file("write", ""), {"given": "a b"}))
	found := contents.deny with input as facts with data.config as testing.config
	{r.message | some r in found} == {`the patch would write "a b", which is not known to be in the workspace`}
}
