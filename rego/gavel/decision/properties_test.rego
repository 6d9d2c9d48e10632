# Properties of every call and every configuration (LAYERS-3): a missing fact never permits more
# than one that is known.
package gavel.decision_test

import data.gavel.check
import data.gavel.decision
import data.gavel.testing

# A test shows that the configurations are valid; checking them again for every call would
# only be slow.
_effect_if_valid(facts, settings) := effect if {
	effect := decision.result.effect with input as facts
		with data.config as settings
		with check.problems as set()
}

test_samples_are_many if {
	count(testing.samples) >= 12
	count(testing.configurations) >= 4
}

test_configurations_are_valid[name] if {
	some name, settings in testing.configurations
	problems := check.problems with data.config as settings
	problems == set()
}

test_samples_reach_every_effect[effect] if {
	some effect in ["deny", "ask", "allow"]
	_reached(effect)
}

_reached(effect) if {
	some facts in testing.samples
	some settings in testing.configurations
	_effect_if_valid(facts, settings) == effect
}

# Nothing is looser than allow, so what would be compared with it is not evaluated.
_can_loosen(rank) if rank < testing.rank.allow

# Every member of an object, at any depth. An element of a list is not a fact that can be
# missing: a shorter list is a different call.
_members(facts) := {path |
	some path, _ in _walked(facts)
	parent := object.get(facts, array.slice(path, 0, count(path) - 1), facts)
	is_object(parent)
}

_walked(document) := {path: true |
	walk(document, [path, _])
	count(path) > 0
}

# The facts about the caller are the same for every call, so a few samples show what their
# absence does.
_worth_removing(_, path) if not path[0] in {"caller", "stated", "pause"}

_worth_removing("a call to read", _)

_worth_removing("an allowlisted command", _)

# A fact that a sample shares with the call it was made from is removed only from that call;
# exhaustive_test.rego removes every fact from every sample.
_own(name, _, _) if name in {"a call to read", "an allowlisted command"}

_own(_, facts, path) if object.get(_made_from(facts), path, "nothing") != object.get(facts, path, "nothing")

_made_from(facts) := testing.exec_facts if {
	facts.exec
} else := testing.facts

_removed[name] contains path if {
	some name, facts in testing.samples
	some path in _members(facts)
	_worth_removing(name, path)
	_own(name, facts, path)
}

_looser_without_a_fact(settings, removed) := {[name, concat("/", [sprintf("%v", [step]) | some step in path])] |
	some name, facts in testing.samples
	full := testing.rank[_effect_if_valid(facts, settings)]
	_can_loosen(full)
	some path in removed[name]
	testing.rank[_effect_if_valid(json.remove(facts, [path]), settings)] > full
}

test_facts_are_removed_from_every_sample if {
	object.keys(_removed) == object.keys(testing.samples)
}

test_every_kind_of_fact_is_removed if {
	kinds := {concat("/", [step | some step in path; is_string(step)]) | some paths in _removed; some path in paths}
	kinds == {concat("/", [step | some step in path; is_string(step)]) | some facts in testing.samples; some path in _members(facts)}
}

test_a_missing_fact_never_loosens_an_allowlist_that_asks if {
	_looser_without_a_fact(testing.configurations["allowlist that asks"], _removed) == set()
}

test_a_missing_fact_never_loosens_an_allowlist_that_is_silent if {
	_looser_without_a_fact(testing.configurations["allowlist that is silent"], _removed) == set()
}

test_a_missing_fact_never_loosens_full_without_questions if {
	_looser_without_a_fact(testing.configurations["full without questions"], _removed) == set()
}

test_a_missing_fact_never_loosens_full_that_asks if {
	_looser_without_a_fact(testing.configurations["full that asks"], _removed) == set()
}

test_a_missing_fact_never_loosens_deny if {
	_looser_without_a_fact(testing.configurations.deny, _removed) == set()
}

test_a_missing_fact_never_loosens_what_is_verified if {
	_looser_without_a_fact(testing.configurations.verified, _removed) == set()
}

test_a_missing_fact_never_loosens_elevated if {
	_looser_without_a_fact(testing.configurations.elevated, _removed) == set()
}

test_facts_of_no_call_at_all_are_denied[name] if {
	some name, settings in testing.configurations
	_effect_if_valid({}, settings) == "deny"
}
