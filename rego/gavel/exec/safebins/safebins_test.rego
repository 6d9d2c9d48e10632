package gavel.exec.safebins_test

import data.gavel.exec
import data.gavel.exec.permitted
import data.gavel.exec.safebins
import data.gavel.testing

_config(settings) := testing.configured({"tools": {"exec": object.union(
	{"host": "gateway", "security": "allowlist", "ask": "on-miss", "safeBins": ["jq", "mine", "sort", "tr", "uniq", "wc"]},
	settings,
)}})

_safe(segment, facts, settings) if {
	safebins.satisfied(segment) with input as object.union(testing.execution({"segments": [segment]}), facts)
		with data.config as _config(settings)
}

# One option, as getopt found it.
_option(program, option) := object.union(testing.filter(program, []), {"class": {"options": [option]}})

_valued(program, name, form) := _option(program, {"name": name, "value": "x", "form": form, "index": 1})

_program(names) := object.union(
	testing.filtering("jq", "."),
	{"class": {"filter": {"parsed": true, "names": names}}},
)

test_a_filter_that_reads_only_standard_input_is_safe[name] if {
	some name, segment in {
		"without arguments": testing.filter("wc", []),
		"with a listed flag": testing.filter("wc", ["-l"]),
		"with a value": _valued("sort", "-k", "plain"),
		"with a delimiter that is a sign": _valued("sort", "-t", "sign"),
		"with a dash": object.union(testing.filter("wc", []), {"class": {"stdin": [1]}}),
		"with text for an operand": testing.filtering("tr", "a"),
		"with an attached value": _valued("uniq", "--group", "plain"),
		"with a program that reads its input": _program(["map", "select"]),
		"through a dispatcher": object.union(testing.filter("wc", []), {"wrappers": [testing.wrapper("/usr/bin/nice")]}),
	}
	_safe(segment, {}, {})
}

test_any_other_use_is_not_safe[name] if {
	some name, segment in {
		"an operand": testing.filtering("wc", "f"),
		"an operand behind --": object.union(testing.filtering("tr", "a"), {"class": {"operands": [{"text": "a", "form": "plain", "index": 2, "ended": true}]}}),
		"too few operands": testing.filter("tr", []),
		"too many operands": object.union(testing.filtering("tr", "a"), {"class": {"operands": [
			{"text": "a", "form": "plain", "index": 1, "ended": false},
			{"text": "b", "form": "plain", "index": 2, "ended": false},
			{"text": "c", "form": "plain", "index": 3, "ended": false},
		]}}),
		"an empty operand": object.union(testing.filtering("tr", ""), {"class": {"operands": [{"text": "", "form": "empty", "index": 1, "ended": false}]}}),
		"a flag that the profile does not list": testing.filter("wc", ["-z"]),
		"a value that looks like a path": _valued("sort", "-k", "path"),
		"a value that looks like a glob": _valued("sort", "-k", "glob"),
		"a delimiter that looks like a path": _valued("sort", "-t", "path"),
		"a sign that is not a delimiter": _valued("sort", "-k", "sign"),
		"an empty value": _valued("sort", "-t", "empty"),
		"an unknown form": _valued("sort", "-k", "odd"),
		"a flag with a value": _valued("wc", "-l", "plain"),
		"a denied option": _valued("sort", "-o", "plain"),
		"a number where none is read": _valued("wc", "-NUM", "plain"),
		"words that were not read": object.union(testing.filter("wc", []), {"class": {"complete": false, "unread": {"option": "-x", "why": "odd", "index": 1}}}),
		"no class": testing.segment("/usr/bin/wc"),
		"the class of another program": object.union(testing.filter("wc", []), {"class": {"program": "tr"}}),
		"a jq program that names the environment": _program(["env"]),
		"a jq program that names its variable": _program(["$ENV"]),
		"a jq program that loads a module": _program(["import"]),
		"a jq program that was not parsed": object.union(_program([]), {"class": {"filter": {"parsed": false}}}),
		"a jq program without facts": testing.filtering("jq", "."),
		"another directory": object.union(testing.filter("wc", []), {"executable": {"path": "/tmp/wc", "real": "/tmp/wc"}}),
		"below a trusted directory": object.union(testing.filter("wc", []), {"executable": {"path": "/usr/bin/x/wc", "real": "/usr/bin/x/wc"}}),
		"a file that others can write": object.union(testing.filter("wc", []), {"executable": {"writable": ["file"]}}),
		"a link to another program": object.union(testing.filter("wc", []), {"executable": {"real": "/usr/bin/busybox", "realName": "busybox"}}),
		"a program that was not found": object.union(testing.filter("wc", []), {"executable": {"found": false}}),
		"a wrapper that was not understood": object.union(testing.filter("wc", []), {"opaque": "env -S"}),
		"a multiplexer": object.union(testing.filter("wc", []), {"wrappers": [object.union(testing.wrapper("/bin/busybox"), {"kind": "multiplexer"})]}),
		"a wrapper that adds words": object.union(testing.filter("wc", []), {"wrappers": [testing.wrapper("/usr/bin/xargs")]}),
		"a wrapper that is a link to one that adds words": object.union(testing.filter("wc", []), {"wrappers": [object.union(testing.wrapper("/usr/bin/x"), {"executable": {"realName": "xargs"}})]}),
		"a word that the shell produces": object.union(testing.filter("wc", ["-l"]), {"dynamic": [1]}),
		"a filter that is not listed": testing.filter("head", []),
	}
	not _safe(segment, {}, {})
}

test_a_call_with_variables_has_no_safe_bins if {
	not _safe(testing.filter("wc", []), {"exec": {"env": ["GREP_OPTIONS"]}}, {})
}

test_configuration_adds_denied_flags if {
	_safe(testing.filter("wc", ["-l"]), {}, {"safeBinProfiles": {"wc": {"deniedFlags": ["-m"]}}})
	not _safe(testing.filter("wc", ["-l"]), {}, {"safeBinProfiles": {"wc": {"deniedFlags": ["-l"]}}})
	not _safe(_valued("sort", "-o", "plain"), {}, {"safeBinProfiles": {"sort": {"allowedValueFlags": ["-o"]}}})
}

test_configuration_adds_directories if {
	elsewhere := object.union(testing.filter("wc", []), {"executable": {"path": "/opt/bin/wc", "real": "/opt/bin/wc"}})
	_safe(elsewhere, {}, {"safeBinTrustedDirs": ["/opt/bin "]})
	not _safe(elsewhere, {}, {"safeBinTrustedDirs": ["/opt"]})
}

test_numeric_options_need_a_program_that_reads_them if {
	_safe(_valued("head", "-NUM", "plain"), {}, {"safeBins": ["head"]})
}

test_safe_bin_permits_and_says_so if {
	facts := testing.execution({"segments": [testing.filter("wc", ["-l"])]})
	exec.permit with input as facts with data.config as _config({})
	reasons := exec.because with input as facts with data.config as _config({})
	{reason.code | some reason in reasons} == {"exec.safe_bin"}
	positions := permitted.safe_segments with input as facts with data.config as _config({})
	positions == {0}
}

test_an_allowlisted_program_runs_by_its_entry if {
	facts := testing.execution({"segments": [testing.filter("wc", ["-l"])]})
	settings := _config({"allowlist": ["/usr/bin/wc"]})
	exec.permit with input as facts with data.config as settings
	positions := permitted.safe_segments with input as facts with data.config as settings
	positions == set()
}

test_an_entry_suffices_where_the_arguments_are_not_safe if {
	facts := testing.execution({"segments": [testing.filtering("wc", "f")]})
	exec.permit with input as facts with data.config as _config({"allowlist": ["/usr/bin/wc"]})
}

test_safe_bin_suffices_where_the_entry_does_not_accept if {
	hazard := {"kind": "writes", "option": "-l", "argument": "", "index": 1}
	segment := object.union(testing.filter("wc", ["-l"]), {"hazards": [hazard]})
	exec.permit with input as testing.execution({"segments": [segment]})
		with data.config as _config({"allowlist": ["/usr/bin/wc"]})
}

test_a_program_with_a_hazard_of_its_own_is_not_a_safe_bin if {
	hazard := {"kind": "runs", "option": "wc", "argument": "", "index": 0}
	segment := object.union(testing.filter("wc", ["-l"]), {"hazards": [hazard]})
	not exec.permit with input as testing.execution({"segments": [segment]}) with data.config as _config({})
}

test_refusal_names_the_word_and_why[name] if {
	some name, c in {
		"an operand": {"segment": testing.filtering("wc", "f"), "want": {`operand "f": it may name a file`}},
		"a second operand": {
			"segment": object.union(_program(["map"]), {"class": {"operands": [
				{"text": ".", "form": "plain", "index": 1, "ended": false},
				{"text": "f", "form": "plain", "index": 2, "ended": false},
			]}}),
			"want": {`operand "f": it may name a file`},
		},
		"no operand": {"segment": testing.filter("tr", []), "want": {"it has 0 operands, and needs 1"}},
		"an option that was not read": {
			"segment": object.union(testing.filter("wc", []), {"class": {
				"complete": false,
				"unread": {"option": "--linez", "why": "it is not an option that the profile lists", "index": 1},
			}}),
			"want": {"option --linez could not be read: it is not an option that the profile lists"},
		},
		"a denied option": {
			"segment": object.union(testing.filter("wc", []), {"class": {
				"complete": false,
				"unread": {"option": "--files0-from", "why": "it is not an option that the profile lists", "index": 1},
			}}),
			"want": {"option --files0-from is denied"},
		},
		"a path": {"segment": _valued("sort", "-k", "path"), "want": {`option -k "x": its value looks like a path or a pattern`}},
		"a program": {"segment": _program(["env", "map"]), "want": {"its program names env"}},
		"a program that does not parse": {
			"segment": object.union(_program([]), {"class": {"filter": {"parsed": false}}}),
			"want": {"its program does not parse"},
		},
		"another directory": {
			"segment": object.union(testing.filter("wc", []), {"executable": {"path": "/tmp/wc", "real": "/tmp/wc"}}),
			"want": {"its real path is not in a trusted directory that only root can write to"},
		},
		"a wrapper": {
			"segment": object.union(testing.filter("wc", []), {"wrappers": [testing.wrapper("/usr/bin/xargs")]}),
			"want": {"a wrapper may change its words"},
		},
		"a word produced by the shell": {
			"segment": object.union(testing.filter("wc", []), {"dynamic": [1]}),
			"want": {"the shell produces one of its words at run time"},
		},
		"no class": {"segment": testing.segment("/usr/bin/wc"), "want": {"its arguments were not read"}},
	}
	reasons := exec.ask with input as testing.execution({"segments": [c.segment]}) with data.config as _config({})
	{reason.code | some reason in reasons} == {"exec.safe_bin_refused"}
	{split(reason.message, " cannot run as a safe bin here: ")[1] | some reason in reasons} == c.want
}

test_an_unlisted_filter_is_an_ordinary_miss if {
	reasons := exec.ask with input as testing.programs(["/usr/bin/vi"]) with data.config as _config({})
	{reason.code | some reason in reasons} == {"exec.allowlist_miss"}
}
