package gavel.exec.file_test

import data.gavel.decision
import data.gavel.exec.file
import data.gavel.exec.modes
import data.gavel.testing

_set(changes) := object.union(testing.exec_facts, testing.filed(changes))

test_the_file_only_tightens[name] if {
	some name, c in {
		"a file without settings": {"file": {}, "config": {}, "want": ["allowlist", "on-miss"]},
		"a stricter security": {"file": {"security": "deny"}, "config": {}, "want": ["deny", "on-miss"]},
		"a looser security": {"file": {"security": "full"}, "config": {}, "want": ["allowlist", "on-miss"]},
		"a stricter ask": {"file": {"ask": "always"}, "config": {}, "want": ["allowlist", "always"]},
		"a looser ask": {"file": {"ask": "off"}, "config": {}, "want": ["allowlist", "on-miss"]},
		"full and allowlist": {"file": {"security": "allowlist"}, "config": {"security": "full"}, "want": ["allowlist", "on-miss"]},
		"an unknown value": {"file": {"security": "Full", "ask": "Off"}, "config": {}, "want": ["allowlist", "on-miss"]},
		"unknown values count as the strictest": {"file": {"security": "nope"}, "config": {"security": "full"}, "want": ["deny", "on-miss"]},
	}
	config := testing.configured({"tools": {"exec": c.config}})
	security := modes.security with input as _set(c.file) with data.config as config
	mode := modes.ask_mode with input as _set(c.file) with data.config as config
	[security, mode] == c.want
}

test_the_most_specific_section_of_the_file_counts if {
	facts := object.union(testing.exec_facts, {"approvalsFile": {"state": "read", "settings": [
		{"path": "agents.main", "security": "", "ask": "always", "askFallback": ""},
		{"path": "agents.*", "security": "deny", "ask": "off", "askFallback": ""},
		{"path": "defaults", "security": "allowlist", "ask": "off", "askFallback": "deny"},
	]}})
	found := {key: value |
		some key in ["security", "ask", "askFallback"]
		value := file.setting(key).value with input as facts with data.config as testing.config
	}
	found == {"security": "deny", "ask": "always", "askFallback": "deny"}
}

test_the_reason_names_the_setting_that_asks[name] if {
	some name, c in {
		"the file": {"facts": _set({"ask": "always"}), "config": testing.config, "want": "agents.main.ask"},
		"the configuration": {
			"facts": _set({}),
			"config": testing.configured({"tools": {"exec": {"ask": "always"}}}),
			"want": "tools.exec.ask",
		},
	}
	reasons := decision.result.reasons with input as c.facts with data.config as c.config
	{reason.source.path | some reason in reasons} == {c.want}
}

test_an_entry_of_the_file_lists_a_program if {
	facts := testing.execution({"segments": [testing.listed("/usr/bin/vi")]})
	result := decision.result with input as facts with data.config as testing.config
	result.effect == "allow"
	"exec-approvals.json#agents.main.allowlist[0]" in {reason.source.path | some reason in result.reasons}
}

test_an_entry_of_the_file_that_was_not_found_lists_nothing if {
	segment := object.union(testing.listed("/usr/bin/vi"), {"listed": {"found": false}})
	effect := decision.result.effect with input as testing.execution({"segments": [segment]}) with data.config as testing.config
	effect == "ask"
}

test_an_entry_of_the_file_accepts_no_hazard if {
	segment := object.union(testing.hazardous("/usr/bin/vi", "runs", "-c"), {"listed": testing.listed("/usr/bin/vi").listed})
	effect := decision.result.effect with input as testing.execution({"segments": [segment]}) with data.config as testing.config
	effect == "ask"
}
