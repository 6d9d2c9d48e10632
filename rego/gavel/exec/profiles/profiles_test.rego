package gavel.exec.profiles_test

import data.gavel.exec.profiles
import data.gavel.testing

_configured(config) := configured if {
	configured := profiles.configured with input as testing.exec_facts with data.config as config
}

_everybody(settings) := {"tools": {"exec": settings}}

_names(config) := object.keys(_configured(config).bins)

test_defaults_match_the_documentation if {
	_names({}) == {"cut", "head", "tail", "tr", "uniq", "wc"}
	_configured({}).directories == set()
	_configured({}).path == "tools.exec.safeBins"
}

test_list_replaces_the_default[name] if {
	some name, c in {
		"for everybody": {"config": _everybody({"safeBins": ["jq"]}), "want": {"jq"}},
		"an empty one": {"config": _everybody({"safeBins": []}), "want": set()},
		"folded and trimmed": {"config": _everybody({"safeBins": [" Head ", "HEAD"]}), "want": {"head"}},
		"the agent's over everybody's": {
			"config": object.union(_everybody({"safeBins": ["jq"]}), {"agents": {"main": {"exec": {"safeBins": ["wc"]}}}}),
			"want": {"wc"},
		},
		"without those that have no profile": {"config": _everybody({"safeBins": ["echo", "wc"]}), "want": {"wc"}},
	}
	_names(c.config) == c.want
}

test_lists_of_directories_add_up if {
	config := object.union(
		_everybody({"safeBinTrustedDirs": ["/opt/bin", "/usr/bin"]}),
		{"agents": {"main": {"exec": {"safeBinTrustedDirs": ["/x/bin "]}}}},
	)
	_configured(config).directories == {"/opt/bin", "/usr/bin", "/x/bin"}
}

test_a_profile_of_a_known_filter_can_only_restrict_it[name] if {
	some name, c in {
		"a denied flag": {"profile": {"deniedFlags": ["-r"]}, "gone": {"-r"}},
		"value flags that are not listed": {"profile": {"allowedValueFlags": ["-k", "-t"]}, "gone": {"-S", "--batch-size", "--buffer-size", "--field-separator", "--key", "--parallel"}},
		"what the catalog denies stays denied": {"profile": {"allowedValueFlags": ["-k", "-t", "-o", "-S", "--batch-size", "--buffer-size", "--field-separator", "--key", "--parallel"]}, "gone": set()},
		"flags that the catalog does not have": {"profile": {"allowedFlags": ["-z"], "minPositional": 0, "maxPositional": 3}, "gone": set()},
	}
	plain := _configured(_everybody({"safeBins": ["sort"]})).bins.sort
	bin := _configured(_everybody({"safeBins": ["sort"], "safeBinProfiles": {" SORT ": c.profile}})).bins.sort
	object.keys(plain.options) - object.keys(bin.options) == c.gone
	object.keys(bin.options) - object.keys(plain.options) == set()
	bin.max == 0
	count(plain.denied - bin.denied) == 0
}

test_the_operands_of_a_known_filter_can_be_reduced if {
	bin := _configured(_everybody({"safeBins": ["jq"], "safeBinProfiles": {"jq": {"maxPositional": 0, "minPositional": 0}}})).bins.jq
	bin.max == 0
	other := _configured(_everybody({"safeBinProfiles": {"tr": {"minPositional": 2}}})).bins.tr
	[other.min, other.max] == [2, 2]
}

test_denied_flags_of_every_scope_count if {
	config := object.union(
		_everybody({"safeBinProfiles": {"wc": {"deniedFlags": ["-l"]}}}),
		{"agents": {"main": {"exec": {"safeBinProfiles": {"wc": {"deniedFlags": ["-w"]}}}}}},
	)
	bin := _configured(config).bins.wc
	{option | some option in ["-l", "-w", "-c"]; bin.options[option]} == {"-c"}
}

test_profile_of_an_unknown_filter_describes_it if {
	config := object.union(
		_everybody({"safeBins": ["mine"], "safeBinProfiles": {"mine": {"allowedFlags": ["-v"], "deniedFlags": ["-f"], "maxPositional": 2}}}),
		{"agents": {"main": {"exec": {"safeBinProfiles": {"mine": {"allowedValueFlags": ["-n", "-f"], "maxPositional": 1}}}}}},
	)
	_configured(config).bins.mine == {
		"custom": true,
		"options": {"-v": "flag", "-n": "value"},
		"denied": {"-f"},
		"min": 0,
		"max": 1,
		"text": false,
		"grammar": "",
		"number": false,
	}
}

test_unknown_filter_takes_no_operand_by_itself if {
	bin := _configured(_everybody({"safeBins": ["mine"], "safeBinProfiles": {"mine": {}}})).bins.mine
	[bin.min, bin.max, bin.options] == [0, 0, {}]
}

test_flag_that_is_two_things_is_neither if {
	bin := _configured(_everybody({"safeBins": ["mine"], "safeBinProfiles": {"mine": {"allowedFlags": ["-x"], "allowedValueFlags": ["-x"]}}})).bins.mine
	bin.options == {}
}

test_an_evaluating_program_is_never_a_safe_bin[name] if {
	some name in [
		"awk", "bash", "busybox", "env", "find", "gawk", "lua5.4", "node", "node20", "perl", "perl5.36", "php8",
		"python", "python3", "python3.12", "pypy3.9", "rscript", "ruby3.2", "sed", "sh", "sudo", "xargs", "zsh", "python3.exe", "pwsh.cmd",
	]
	profiles.evaluates(name)
	_names(_everybody({"safeBins": [name], "safeBinProfiles": {name: {"maxPositional": 1}}})) == set()
}

test_filters_evaluate_nothing[name] if {
	some name, _ in data.gavel.catalog.programs.safe_bins.profiles
	not profiles.evaluates(name)
}

test_profiled if {
	profiles.profiled("wc", {})
	profiles.profiled("mine", {" Mine": {}})
	not profiles.profiled("mine", {"yours": {}})
}

test_catalog_lists_no_option_twice[name] if {
	some name, profile in data.gavel.catalog.programs.safe_bins.profiles
	object.keys(profile.options) & {option | some option in profile.denied} == set()
}
