package gavel.check.safebins_test

import data.gavel.check.safebins

_bin_warnings(settings) := {[warning.path, warning.message] | some warning in found} if {
	found := safebins.warnings with data.config as {"tools": {"exec": settings}}
}

test_interpreters_as_safe_bins_are_reported if {
	_bin_warnings({"safeBins": ["wc", "awk", "Python3.12"], "safeBinProfiles": {"awk": {}}}) == {
		["tools.exec.safeBins[1]", `"awk" evaluates its input as code, so it can never be a safe bin`],
		["tools.exec.safeBins[2]", `"Python3.12" evaluates its input as code, so it can never be a safe bin`],
	}
}

test_safe_bins_without_a_profile_are_reported if {
	_bin_warnings({"safeBins": ["jq", "echo", "mine"], "safeBinProfiles": {" Mine": {}}}) == {["tools.exec.safeBins[1]", `"echo" has no profile, so it is ignored`]}
}
