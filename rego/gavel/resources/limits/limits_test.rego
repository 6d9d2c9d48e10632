package gavel.resources.limits_test

import data.gavel.resources.limits
import data.gavel.testing

_configured(tools, own) := found if {
	found := limits.configured with input as testing.facts
		with data.config as {"tools": tools, "agents": {"main": {"tools": own}}}
}

test_reads_have_a_default_limit_and_writes_have_none if {
	_configured({}, {}).sizes == {"read": {"max": 10485760, "path": "tools.read.maxSizeBytes", "set": false}}
}

test_the_smaller_limit_counts[name] if {
	some name, c in {
		"of the agent": {"tools": {"write": {"maxSizeBytes": 9}}, "own": {"write": {"maxSizeBytes": 5}}, "want": [5, "agents.main.tools.write.maxSizeBytes"]},
		"for everybody": {"tools": {"write": {"maxSizeBytes": 5}}, "own": {"write": {"maxSizeBytes": 9}}, "want": [5, "tools.write.maxSizeBytes"]},
		"larger than the default": {"tools": {"write": {"maxSizeBytes": 99999999}}, "own": {}, "want": [99999999, "tools.write.maxSizeBytes"]},
		"a limit that is not a number permits nothing": {"tools": {"write": {"maxSizeBytes": "5"}}, "own": {}, "want": [0, "tools.write.maxSizeBytes"]},
	}
	found := _configured(c.tools, c.own).sizes.write
	[found.max, found.path] == c.want
	found.set == true
}

test_patches_stay_in_the_workspace_unless_a_setting_says_no[name] if {
	some name, c in {
		"by default": {"tools": {}, "exec": {}, "want": [true, "tools.exec.applyPatch.workspaceOnly"]},
		"switched off": {"tools": {"exec": {"applyPatch": {"workspaceOnly": false}}}, "exec": {}, "want": [false, "tools.exec.applyPatch.workspaceOnly"]},
		"nonsense": {"tools": {"exec": {"applyPatch": {"workspaceOnly": "no"}}}, "exec": {}, "want": [true, "tools.exec.applyPatch.workspaceOnly"]},
		"for the agent": {
			"tools": {"exec": {"applyPatch": {"workspaceOnly": false}}},
			"exec": {"applyPatch": {"workspaceOnly": true}},
			"want": [true, "agents.main.exec.applyPatch.workspaceOnly"],
		},
	}
	found := limits.configured.patch with input as testing.facts
		with data.config as {"tools": c.tools, "agents": {"main": {"exec": c.exec}}}
	[found.workspaceOnly, found.path] == c.want
}

test_defaults_match_the_reference if {
	found := object.get(data.gavel.config.schema, "definitions", {})
	_configured({}, {}).sizes.read.max == found.readFiles.properties.maxSizeBytes["default"]
	not found.files.properties.maxSizeBytes["default"]
	limits.configured.patch.workspaceOnly == found.applyPatch.properties.workspaceOnly["default"] with input as testing.facts
		with data.config as {}
	count(_configured({}, {}).sizes) == 1
}
