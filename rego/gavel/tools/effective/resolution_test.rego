package gavel.tools.effective_test

import data.gavel.testing
import data.gavel.tools.effective

# R6: all three fields, and what becomes of the tools.
_plugged := testing.call({"plugins": {"lobster": ["lobster", "workflow_tool"]}})

_resolution(facts, settings) := resolution if {
	[resolution] := effective.result.resolutions with input as facts with data.config as settings
}

test_resolution[name] if {
	some name, c in {
		"plugin entries only are stripped": {
			"tools": {"allow": ["lobster"]},
			"want": {"policy": [], "unknownAllowlist": [], "strippedAllowlist": true},
		},
		"a tool of a plugin is a plugin entry": {
			"tools": {"allow": ["workflow_tool", "group:plugins"]},
			"want": {"policy": [], "unknownAllowlist": [], "strippedAllowlist": true},
		},
		"with a core tool, the list applies": {
			"tools": {"allow": ["lobster", "Read"]},
			"want": {"policy": ["lobster", "read"], "unknownAllowlist": [], "strippedAllowlist": false},
		},
		"a star is not a plugin entry": {
			"tools": {"allow": ["*"]},
			"want": {"policy": ["*"], "unknownAllowlist": [], "strippedAllowlist": false},
		},
		"an unknown entry is reported, and the list applies": {
			"tools": {"allow": ["lobsterr", "read"]},
			"want": {"policy": ["lobsterr", "read"], "unknownAllowlist": ["lobsterr"], "strippedAllowlist": false},
		},
		"unknown entries are not plugin entries": {
			"tools": {"allow": ["lobsterr"]},
			"want": {"policy": ["lobsterr"], "unknownAllowlist": ["lobsterr"], "strippedAllowlist": false},
		},
		"enforce keeps the list": {
			"tools": {"allow": ["lobster"], "pluginOnlyAllowlist": "enforce"},
			"want": {"policy": ["lobster"], "unknownAllowlist": [], "strippedAllowlist": false},
		},
		"alsoAllow is part of the policy": {
			"tools": {"allow": ["read"], "alsoAllow": ["lobster"]},
			"want": {"policy": ["lobster", "read"], "unknownAllowlist": [], "strippedAllowlist": false},
		},
	}
	resolution := _resolution(_plugged, {"tools": c.tools})
	object.subset(resolution, object.union(c.want, {"step": "tools.allow", "path": "tools.allow"}))
}

test_stripped_list_filters_nothing if {
	testing.visible(_plugged, {"tools": {"allow": ["lobster"]}}) == testing.visible(_plugged, {})
}

test_enforced_list_removes_every_core_tool if {
	settings := {"tools": {"allow": ["lobster"], "alsoAllow": ["lobster"], "pluginOnlyAllowlist": "enforce"}}
	testing.visible(_plugged, settings) == {"lobster", "workflow_tool"}
}

test_plugin_that_is_not_loaded_is_unknown_and_not_stripped if {
	resolution := _resolution(testing.facts, {"tools": {"allow": ["lobster"]}})
	not resolution.strippedAllowlist
	resolution.unknownAllowlist == ["lobster"]
	testing.visible(testing.facts, {"tools": {"allow": ["lobster"]}}) == set()
}
