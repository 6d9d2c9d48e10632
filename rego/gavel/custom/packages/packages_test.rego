package gavel.custom.packages_test

import data.gavel.custom.packages
import data.gavel.testing

test_packages_with_rules_are_found_at_every_depth if {
	found := packages.found with input as testing.facts with data.custom as {
		"deny": {"no"},
		"a": {"ask": {"sure?"}, "b": {"deny": {"no"}, "c": {"ask": {"sure?"}, "d": {"deny": {"too deep"}}}}},
		"lib": {"helper": true},
	}
	found == {[], ["a"], ["a", "b"], ["a", "b", "c"]}
}

test_a_snapshot_knows_its_packages if {
	found := packages.found with input as {"snapshot": {"custom": [["a"]]}} with data.custom as {"deny": {"no"}}
	found == [["a"]]
}
