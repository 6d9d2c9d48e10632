# Properties of every configuration (LAYERS-3): a setting of a wrong type, or with an unknown word
# or key, never permits more than the one that was meant.
package gavel.decision_test

import data.gavel.check
import data.gavel.decision
import data.gavel.testing

_effect(facts, settings) := effect if {
	effect := decision.result.effect with input as facts with data.config as settings
}

# Values of a wrong type, and an unknown value for an enumeration. true, a number, or a name
# in a list of names would be valid settings.
_nonsense(value) := {"nonsense", 7, [], null, true} if is_object(value)

_nonsense(value) := {"nonsense", 7, {}, null, true} if is_array(value)

_nonsense(value) := {7, [], {}, null, true} if is_string(value)

_nonsense(value) := {"nonsense", 7, [], {}, null} if is_boolean(value)

_nonsense(value) := {"nonsense", [], {}, null, true} if is_number(value)

_spoilt(settings) := {replaced |
	walk(settings, [path, value])
	some wrong in _nonsense(value)
	replaced := json.patch(settings, [{"op": "replace", "path": path, "value": wrong}])
}

_misspelt(settings) := {replaced |
	walk(settings, [path, value])
	is_string(value)
	not is_number(path[count(path) - 1])
	replaced := json.patch(settings, [{"op": "replace", "path": path, "value": "nonsense"}])
}

# A configuration that fails the check denies every call, as the next test shows; one that
# passes must not decide more loosely.
_looser_with(changed, settings) := {[name, replaced] |
	meant := {name: testing.rank[_effect_if_valid(facts, settings)] | some name, facts in testing.samples}
	some replaced in changed
	problems := check.problems with data.config as replaced
	count(problems) == 0
	some name, full in meant
	_can_loosen(full)
	testing.rank[_effect_if_valid(testing.samples[name], replaced)] > full
}

test_configuration_with_a_problem_denies_every_call[name] if {
	some name, settings in testing.configurations
	every facts in testing.samples {
		effect := decision.result.effect with input as facts
			with data.config as settings
			with check.problems as {{"path": "tools", "message": "wrong"}}
		effect == "deny"
	}
}

test_nonsense_never_loosens_an_allowlist_that_asks if {
	settings := testing.configurations["allowlist that asks"]
	_looser_with(_spoilt(settings), settings) == set()
}

test_nonsense_never_loosens_an_allowlist_that_is_silent if {
	settings := testing.configurations["allowlist that is silent"]
	_looser_with(_spoilt(settings), settings) == set()
}

test_nonsense_never_loosens_full_that_asks if {
	settings := testing.configurations["full that asks"]
	_looser_with(_spoilt(settings), settings) == set()
}

test_nonsense_never_loosens_deny if {
	settings := testing.configurations.deny
	_looser_with(_spoilt(settings), settings) == set()
}

test_nonsense_never_loosens_elevated if {
	settings := testing.configurations.elevated
	_looser_with(_spoilt(settings), settings) == set()
}

test_misspelt_words_never_loosen_elevated if {
	settings := testing.configurations.elevated
	_looser_with(_misspelt(settings), settings) == set()
}

test_nonsense_never_loosens_what_is_verified if {
	settings := testing.configurations.verified
	_looser_with(_spoilt(settings), settings) == set()
}

test_misspelt_words_never_loosen_what_is_verified if {
	settings := testing.configurations.verified
	_looser_with(_misspelt(settings), settings) == set()
}

test_misspelt_words_never_loosen_an_allowlist_that_asks if {
	settings := testing.configurations["allowlist that asks"]
	_looser_with(_misspelt(settings), settings) == set()
}

test_misspelt_words_never_loosen_full_that_asks if {
	settings := testing.configurations["full that asks"]
	_looser_with(_misspelt(settings), settings) == set()
}

# An unknown key stands for a misspelt setting.
_overgrown(settings) := {path |
	walk(settings, [path, value])
	is_object(value)
	path[0] in {"tools", "agents"}
}

test_unknown_keys_are_problems[name] if {
	some name, settings in testing.configurations
	every path in _overgrown(settings) {
		overgrown := json.patch(settings, [{"op": "add", "path": array.concat(path, ["nonsense"]), "value": 7}])
		problems := check.problems with data.config as overgrown
		count(problems) > 0
	}
}

test_unknown_key_denies[name] if {
	some name, settings in {
		"below tools": {"tools": {"nonsense": 7}},
		"below tools.exec": {"tools": {"exec": {"nonsense": 7}}},
		"below an agent": {"agents": {"main": {"nonsense": 7}}},
		"below agents.defaults": {"agents": {"defaults": {"nonsense": 7}}},
		"below an agent's tools": {"agents": {"main": {"tools": {"nonsense": 7}}}},
	}
	_effect(testing.facts, testing.configured(settings)) == "deny"
	_effect(testing.facts, testing.config) == "allow"
}
