package gavel.tools.profiles_test

import data.gavel.tools.profiles

test_profile[name] if {
	settings := {"tools": {"profiles": {"tiny": ["read"], "minimal": ["write"]}}}
	some name, c in {
		"a built-in profile is in the catalog": {"profile": "messaging", "want": data.gavel.catalog.profiles.messaging},
		"a custom profile is in the configuration": {"profile": "tiny", "want": ["read"]},
		"a configuration may redefine a built-in profile": {"profile": "minimal", "want": ["write"]},
	}
	got := profiles.tools(c.profile) with data.config as settings
	got == c.want
}

test_an_undefined_profile_has_no_tools if {
	tools := profiles.tools("codding") with data.config as {}
	tools == []
}

test_profile_names if {
	names := profiles.known with data.config as {"tools": {"profiles": {"tiny": []}}}
	names == {"full", "coding", "messaging", "minimal", "tiny"}
}

# --profile is for the main agent.
test_a_profile_set_by_a_flag[name] if {
	some name, c in {
		"of main": {"id": "main", "want": "minimal"},
		"of another agent": {"id": "coder", "want": "coding"},
		"of the agent that answers when none is named": {"id": "boss", "want": "minimal"},
	}
	config := {"tools": {"profile": "coding"}, "agents": {"main": {}, "coder": {}, "boss": {"default": true}}}
	given := {"profile": {"value": "minimal", "path": "OC_TOOL_PROFILE"}}
	found := profiles.of({"id": c.id}) with data.config as config with data.gavel.overrides as given
	found.value == c.want
}
