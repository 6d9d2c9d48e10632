# Properties that take minutes to enumerate. make test skips this file, and make test-all runs
# it; opa test runs it unless given --ignore exhaustive_test.rego.
package gavel.decision_test

import data.gavel.testing

# Every fact of every sample, even if other samples share it.
_removed_everywhere[name] contains path if {
	some name, facts in testing.samples
	some path in _members(facts)
	_worth_removing(name, path)
}

# Of those, the facts that the tests beside this file do not remove already.
_removed_besides[name] := paths - _removed[name] if some name, paths in _removed_everywhere

test_removing_everywhere_is_more_than_removing_once if {
	every name, paths in _removed { paths - _removed_everywhere[name] == set() }
	count([1 | some paths in _removed_everywhere; some _ in paths]) > 2 * count([1 | some paths in _removed; some _ in paths])
}

test_missing_fact_of_any_sample_never_loosens_an_allowlist_that_asks if {
	_looser_without_a_fact(testing.configurations["allowlist that asks"], _removed_besides) == set()
}

test_missing_fact_of_any_sample_never_loosens_an_allowlist_that_is_silent if {
	_looser_without_a_fact(testing.configurations["allowlist that is silent"], _removed_besides) == set()
}

test_missing_fact_of_any_sample_never_loosens_full_without_questions if {
	_looser_without_a_fact(testing.configurations["full without questions"], _removed_besides) == set()
}

test_missing_fact_of_any_sample_never_loosens_full_that_asks if {
	_looser_without_a_fact(testing.configurations["full that asks"], _removed_besides) == set()
}

test_missing_fact_of_any_sample_never_loosens_deny if {
	_looser_without_a_fact(testing.configurations.deny, _removed_besides) == set()
}

test_missing_fact_of_any_sample_never_loosens_what_is_verified if {
	_looser_without_a_fact(testing.configurations.verified, _removed_besides) == set()
}

test_missing_fact_of_any_sample_never_loosens_elevated if {
	_looser_without_a_fact(testing.configurations.elevated, _removed_besides) == set()
}
