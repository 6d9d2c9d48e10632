package gavel.elevated.settings_test

import data.gavel.elevated.settings
import data.gavel.testing

_configured(tools, own) := found if {
	found := settings.configured with input as testing.facts
		with data.config as {"tools": {"elevated": tools}, "agents": {"main": {"tools": {"elevated": own}}}}
}

test_entries_are_read_in_parts[text] if {
	some text, want in {
		"*": {"part": "*", "value": ""},
		"id:123": {"part": "id", "value": "123"},
		" E164 : +1555 ": {"part": "e164", "value": "+1555"},
		"discord:123": {"part": "", "value": "discord:123"},
		"tag:Alice#0": {"part": "tag", "value": "alice"},
		"from:alice@corp": {"part": "from", "value": "alice@corp"},
	}
	_configured({"allowFrom": [text]}, {}).lists == [{"path": "tools.elevated.allowFrom", "channels": {"": [want]}}]
}

test_both_scopes_have_lists_and_switches if {
	found := _configured({"enabled": false, "allowFrom": {"Discord": [1]}}, {"enabled": false, "allowFrom": ["*"]})
	found.off == ["tools.elevated.enabled", "agents.main.tools.elevated.enabled"]
	[list.path | some list in found.lists] == ["tools.elevated.allowFrom", "agents.main.tools.elevated.allowFrom"]
	found.lists[0].channels == {"discord": [{"part": "", "value": "1"}]}
	found.global == true
}

test_without_a_global_list_nobody_is_named if {
	_configured({}, {"allowFrom": ["*"]}).global == false
	_configured({"allowFrom": []}, {}).global == false
}

test_elevated_mode_that_is_on_or_unset_is_not_off[name] if {
	some name, own in {"it says nothing": {}, "it is on": {"enabled": true}}
	found := _configured(own, own)
	found.off == []
	found.lists == []
}

test_elevated_mode_that_is_neither_on_nor_off_is_off if {
	_configured({"enabled": "yes"}, {}).off == ["tools.elevated.enabled"]
}

test_the_default_level_is_the_one_of_all_agents if {
	found := settings.configured with input as testing.facts with data.config as {"agents": {"defaults": {"elevatedDefault": "ask"}, "main": {}}}
	found["default"] == "ask"
}
