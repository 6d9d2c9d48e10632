package gavel.exec.terminal_test

import data.gavel.decision
import data.gavel.exec.terminal
import data.gavel.testing

_typed := testing.execution({"segments": [testing.hazardous("/usr/bin/bash", "inline", "terminal")]})

_decided(facts, exec) := result if {
	config := object.union(testing.config, {"agents": {"main": {"exec": exec}}})
	result := decision.result with input as facts with data.config as config
}

_full := {"security": "full", "ask": "off"}

test_a_program_that_reads_commands_from_a_terminal[name] if {
	some name, c in {
		"is denied with an entry": {"exec": {"allowlist": ["/usr/bin/bash"]}, "denied": true},
		"is denied in full mode": {"exec": _full, "denied": true},
		"is denied with an entry that accepts something else": {"exec": {"allowlist": [{"pattern": "/usr/bin/bash", "args": ["stdin"]}]}, "denied": true},
		"is not denied with an entry that accepts it": {"exec": {"allowlist": [{"pattern": "/usr/bin/bash", "args": ["terminal"]}]}, "denied": false},
		"is not denied with an entry that accepts everything": {"exec": {"allowlist": [{"pattern": "/usr/bin/bash", "args": "any"}]}, "denied": false},
	}
	result := _decided(_typed, c.exec)
	count(testing.codes(result.reasons) & {"exec.terminal"}) == {true: 1, false: 0}[c.denied]
	_effect_as_told(result, c.denied)
}

_effect_as_told(result, true) if result.effect == "deny"

_effect_as_told(_, false)

test_other_hazards_are_not_about_a_terminal if {
	facts := testing.execution({"segments": [testing.hazardous("/usr/bin/bash", "inline", "stdin")]})
	result := _decided(facts, _full)
	not "exec.terminal" in testing.codes(result.reasons)
}

test_a_hazard_without_a_name_may_be_about_the_terminal if {
	segment := testing.hazardous("/usr/bin/bash", "inline", "x")
	facts := testing.execution({"segments": [object.union(segment, {"hazards": [object.remove(segment.hazards[0], ["option"])]})]})
	reasons := terminal.reasons with input as facts with data.config as testing.config
	count(reasons) == 1
}
