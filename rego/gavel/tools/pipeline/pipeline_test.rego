package gavel.tools.pipeline_test

import data.gavel.testing
import data.gavel.tools.pipeline

test_denying_write_denies_apply_patch if {
	pipeline.with_others({"write", "read"}) == {"write", "read", "apply_patch"}
	pipeline.with_others({"read"}) == {"read"}
}

test_a_step_of_a_section_keeps_and_removes_by_name if {
	section := {"path": "tools", "from": "global", "value": {"allow": ["read"], "alsoAllow": ["edit"], "deny": ["write"]}}
	step := pipeline.section_step("tools.allow", section) with input as testing.facts with data.config as {}
	step.label == "tools.allow"
	step.allow.tools == {"read", "edit"}
	step.allow.path == "tools.allow"
	step.deny == {"tools": {"write", "apply_patch"}, "path": "tools.deny", "from": "global", "kind": "denied"}
}

test_where_a_missing_tool_is_added[name] if {
	some name, c in {
		"beside a profile": {"path": "agents.main.tools.profile", "from": "agent", "want": "agents.main.tools.alsoAllow"},
		"to a list": {"path": "tools.allow", "from": "global", "want": "tools.allow"},
		"beside a list of the defaults": {"path": "tools.sandbox.tools.allow", "from": "default", "want": "tools.sandbox.tools.alsoAllow"},
		"beside everything": {"path": "", "from": "default", "want": "tools.alsoAllow"},
	}
	pipeline.where_to_add({"path": c.path, "from": c.from}) == c.want
}

# R5: without an allow list a step filters nothing, even with alsoAllow.
test_a_section_without_an_allow_list_filters_nothing[name] if {
	some name, value in {"none": {}, "an empty one": {"allow": []}, "alsoAllow alone": {"alsoAllow": ["read"]}}
	step := pipeline.section_step("x", {"path": "tools", "from": "global", "value": value}) with input as testing.facts with data.config as {}
	step.allow == null
	step.deny.tools == set()
}
