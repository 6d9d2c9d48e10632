package gavel.elevated.entries_test

import data.gavel.elevated.entries

test_a_flat_list_applies_to_every_channel if {
	entries.channels(["discord:1", "*", " Tag: Alice#0 ", "id: 5#0", "E164:+1 (555)"]) == {"": [
		{"part": "", "value": "discord:1"},
		{"part": "*", "value": ""},
		{"part": "tag", "value": "alice"},
		{"part": "id", "value": "5#0"},
		{"part": "e164", "value": "+1 (555)"},
	]}
}

test_a_map_has_a_list_for_each_channel if {
	entries.channels({" Discord": [1], "signal": []}) == {"discord": [{"part": "", "value": "1"}], "signal": []}
}
