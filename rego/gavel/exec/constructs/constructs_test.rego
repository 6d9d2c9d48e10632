package gavel.exec.constructs_test

import data.gavel.decision
import data.gavel.exec.constructs
import data.gavel.testing

_opened := {
	"redirect": "paths",
	"substitution": "segments",
	"compound": "segments",
	"heredoc": "stdin",
}

_config(constructs, rest) := object.union(testing.config, {"tools": {
	"read": {"allow": ["/srv/app/**"]},
	"write": {"allow": ["/srv/app/**"], "deny": ["/srv/app/.git/**"]},
	"exec": object.union({"constructs": constructs}, rest),
}})

_construct(kind) := {"kind": kind, "construct": "a construct", "start": 9, "end": 12}

_redirect(changes) := object.union(
	{
		"operator": ">",
		"descriptor": "",
		"reads": false,
		"writes": true,
		"target": "out",
		"dynamic": false,
		"path": "/srv/app/out",
		"real": "/srv/app/out",
		"after": false,
		"afterCode": [],
		"start": 9,
		"end": 12,
	},
	changes,
)

_facts(kind) := testing.execution({
	"constructs": [_construct(kind)],
	"redirects": [redirect | kind in {"redirect", "heredoc"}; redirect := _redirect(_document(kind))],
})

_document("heredoc") := {"operator": "<<", "writes": false, "path": "", "real": ""}

_document(kind) := {} if kind in {"redirect", "substitution", "compound", "spell"}

_file(changes) := testing.execution({"constructs": [_construct("redirect")], "redirects": [_redirect(changes)]})

_result(facts, config) := result if {
	result := decision.result with input as facts with data.config as config
}

# R19: denied unless opened, and an approval cannot override it.
test_each_kind_is_denied_by_default[kind] if {
	some kind, _ in _opened
	result := _result(_facts(kind), testing.config)
	result.effect == "deny"
	testing.codes(result.reasons) == {sprintf("exec.%s", [kind])}
}

test_each_kind_is_opened_by_its_setting_alone[kind] if {
	some kind, value in _opened
	_result(_facts(kind), _config({kind: value}, {})).effect == "allow"
	every other, _ in object.remove(_opened, [kind]) {
		_result(_facts(other), _config({kind: value}, {})).effect == "deny"
	}
}

test_each_kind_may_be_left_to_a_person[kind] if {
	some kind, _ in _opened
	result := _result(_facts(kind), _config({kind: "ask"}, {}))
	result.effect == "ask"
	testing.codes(result.reasons) == {"exec.construct_ask"}
}

test_nobody_is_asked_when_ask_is_off[kind] if {
	some kind, _ in _opened
	_result(_facts(kind), _config({kind: "ask"}, {"ask": "off"})).effect == "deny"
}

test_an_unknown_kind_is_denied if _result(_facts("spell"), _config(_opened, {})).effect == "deny"

test_an_agent_can_open_a_kind_for_itself if {
	config := object.union(testing.config, {"agents": {"main": {"exec": {"constructs": {"compound": "segments"}}}}})
	_result(_facts("compound"), config).effect == "allow"
	_result(object.union(_facts("compound"), {"agent": {"id": "other"}}), config).effect == "deny"
}

test_files[name] if {
	some name, c in {
		"a file that is listed may be written": {"file": {}, "effect": "allow"},
		"a file that a link may have been put in place of": {"file": {"after": true}, "effect": "ask", "codes": {"exec.redirect_unlisted"}},
		"a file that a deny list names, whatever ran before": {"file": {"after": true, "real": "/srv/app/.git/x"}, "effect": "deny", "codes": {"exec.redirect_denied"}},
		"a file that is listed may be read": {"file": {"operator": "<", "reads": true, "writes": false}, "effect": "allow"},
		"a file outside is asked about": {"file": {"real": "/etc/passwd"}, "effect": "ask", "codes": {"exec.redirect_unlisted"}},
		"a file outside is asked about when it is read": {
			"file": {"operator": "<", "reads": true, "writes": false, "real": "/etc/passwd"},
			"effect": "ask",
			"codes": {"exec.redirect_unlisted"},
		},
		"a file on a deny list is denied": {"file": {"real": "/srv/app/.git/hooks/x"}, "effect": "deny", "codes": {"exec.redirect_denied"}},
		"a file that is unknown is asked about": {"file": {"path": "", "real": ""}, "effect": "ask", "codes": {"exec.redirect_unlisted"}},
		"a file that is read and written must be both": {"file": {"operator": "<>", "reads": true, "real": "/srv/app/.git/x"}, "effect": "deny", "codes": {"exec.redirect_denied"}},
		"a descriptor is not a file": {"file": {"operator": ">&", "writes": false, "target": "1", "path": "", "real": ""}, "effect": "allow"},
		"the path as it is written does not count": {"file": {"path": "/srv/app/x", "real": "/etc/x"}, "effect": "ask", "codes": {"exec.redirect_unlisted"}},
	}
	result := _result(_file(c.file), _config(_opened, {}))
	result.effect == c.effect
	object.get(c, "codes", testing.codes(result.reasons)) == testing.codes(result.reasons)
}

# The denial and the question have rules of their own, which do not read this one.
test_a_file_that_no_list_permits_is_not_accepted[name] if {
	some name, file in {
		"on a deny list": {"real": "/srv/app/.git/x"},
		"on no allow list": {"real": "/etc/x"},
		"unknown": {"path": "", "real": ""},
		"behind a link that may have been made": {"after": true},
		"read, and on no allow list": {"operator": "<", "reads": true, "writes": false, "real": "/etc/x"},
	}
	config := _config(_opened, {})
	constructs.accepted with input as _file({}) with data.config as config
	not constructs.accepted with input as _file(file) with data.config as config
}

test_without_lists_no_file_is_accepted if {
	config := object.union(testing.config, {"tools": {"exec": {"constructs": {"redirect": "paths"}}}})
	_result(_file({}), config).effect == "ask"
}

# R19: exactly these.
test_harmless[name] if {
	some name, c in {
		"2>&1": {"file": {"operator": ">&", "descriptor": "2", "target": "1", "writes": false}, "effect": "allow"},
		"1>&2": {"file": {"operator": ">&", "descriptor": "1", "target": "2", "writes": false}, "effect": "deny"},
		">/dev/null": {"file": {"target": "/dev/null"}, "effect": "allow"},
		"2>/dev/null": {"file": {"descriptor": "2", "target": "/dev/null"}, "effect": "allow"},
		"3>/dev/null": {"file": {"descriptor": "3", "target": "/dev/null"}, "effect": "deny"},
		">>/dev/null": {"file": {"operator": ">>", "target": "/dev/null"}, "effect": "deny"},
		"&>/dev/null": {"file": {"operator": "&>", "target": "/dev/null"}, "effect": "allow"},
		"</dev/null": {"file": {"operator": "<", "target": "/dev/null", "reads": true, "writes": false}, "effect": "allow"},
		"<>/dev/null": {"file": {"operator": "<>", "target": "/dev/null", "reads": true}, "effect": "deny"},
		">/dev/zero": {"file": {"target": "/dev/zero"}, "effect": "deny"},
		"a word produced at run time": {"file": {"target": "/dev/null", "dynamic": true}, "effect": "deny"},
	}
	_result(_file(c.file), _config({}, {"harmlessRedirects": "allow"})).effect == c.effect
}

test_harmless_ones_are_denied_by_default if _result(_file({"target": "/dev/null"}), testing.config).effect == "deny"

test_the_advice_names_the_setting_that_opens_least[name] if {
	some name, c in {
		"2>&1": {"file": {"operator": ">&", "descriptor": "2", "target": "1", "writes": false}, "constructs": {}, "advice": "tools.exec.harmlessRedirects to allow"},
		"2>&1, where a person may decide": {"file": {"operator": ">&", "descriptor": "2", "target": "1", "writes": false}, "constructs": {"redirect": "ask"}, "advice": "tools.exec.harmlessRedirects to allow"},
		"a file": {"file": {}, "constructs": {}, "advice": "tools.exec.constructs.redirect to paths"},
		"a file, where a person may decide": {"file": {}, "constructs": {"redirect": "ask"}, "advice": "tools.exec.constructs.redirect"},
	}
	result := _result(_file(c.file), _config(c.constructs, {}))
	some reason in result.reasons
	endswith(reason.fix, c.advice)
}

test_a_harmless_redirection_hides_no_other_at_the_same_place if {
	facts := testing.execution({
		"constructs": [_construct("redirect"), _construct("redirect")],
		"redirects": [_redirect({"target": "/dev/null"}), _redirect({})],
	})
	_result(facts, _config({}, {"harmlessRedirects": "allow"})).effect == "deny"
}

test_missing_facts_never_loosen[path] if {
	some path in [
		"exec/constructs", "exec/redirects", "exec/redirects/0/operator", "exec/redirects/0/reads", "exec/redirects/0/writes",
		"exec/redirects/0/real", "exec/constructs/0/kind", "exec/redirects/0",
	]
	facts := _file({"real": "/etc/passwd"})
	_result(json.remove(facts, [path]), _config(_opened, {})).effect in {"ask", "deny"}
}

test_full_security_ignores_constructs if {
	_result(_facts("compound"), _config({}, {"security": "full", "ask": "off"})).effect == "allow"
}

test_a_shell_builtin_needs_no_entry[name] if {
	some name, c in {
		"one whose words were understood": {"segment": {"builtin": "exit"}, "effect": "allow"},
		"cd inside the working directory": {"segment": {"builtin": "cd", "directory": "/srv/app/x"}, "effect": "allow"},
		"cd to a neighbour where nothing runs": {"segment": {"builtin": "cd", "directory": "/srv/app2"}, "effect": "allow"},
		"an unknown one": {"segment": {"builtin": "fly"}, "effect": "ask"},
		"one whose words were not understood": {"segment": {"builtin": "", "opaque": "read -a"}, "effect": "ask"},
		"one that is opaque anyway": {"segment": {"builtin": "cd", "opaque": "cd"}, "effect": "ask"},
	}
	segment := object.union(testing.lost("cd"), c.segment)
	_result(testing.execution({"segments": [segment]}), testing.config).effect == c.effect
}

test_cd_must_stay_in_the_workspace_when_something_runs_there[name] if {
	some name, c in {
		"to a neighbour": {"segment": {"builtin": "cd", "directory": "/srv/app2"}, "constructs": [], "effect": "ask"},
		"to an unknown directory": {"segment": {"builtin": "cd", "directory": ""}, "constructs": [], "effect": "ask"},
		"into the working directory": {"segment": {"builtin": "cd", "directory": "/srv/app/x"}, "constructs": [], "effect": "allow"},
	}
	after := object.union(testing.segment("/usr/bin/rg"), {"start": 20, "end": 30})
	facts := testing.execution({"segments": [object.union(testing.lost("cd"), c.segment), after]})
	_result(facts, testing.config).effect == c.effect
}

test_in_a_loop_segments_before_cd_run_after_it_too if {
	before := object.union(testing.segment("/usr/bin/rg"), {"start": 0, "end": 3})
	cd := object.union(testing.lost("cd"), {"builtin": "cd", "directory": "/srv/app2", "start": 10, "end": 20})
	facts := testing.execution({"segments": [before, cd]})
	_result(facts, testing.config).effect == "allow"
	looped := object.union(facts, {"exec": {"constructs": [_construct("compound")]}})
	_result(looped, _config({"compound": "segments"}, {})).effect == "ask"
}

test_shell_text_is_judged_by_its_segments[name] if {
	some name, c in {
		"eval": {"wrapper": {"name": "eval"}, "effect": "ask"},
		"trap": {"wrapper": {"name": "trap"}, "effect": "allow"},
		"source": {"wrapper": {"name": "source"}, "effect": "ask"},
	}
	by := object.union(testing.wrapper("/usr/bin/x"), {
		"executable": object.union(testing.lost("x").executable, c.wrapper),
		"kind": "builtin",
		"argv": [c.wrapper.name],
		"hazards": [],
	})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})
	_result(testing.execution({"segments": [segment]}), testing.config).effect == c.effect
}

# EXEC-11: a word produced at run time may be an argument, but not of a program that shows the
# file it names, unless substitutions are open (R19).
test_words_produced_at_run_time[name] if {
	some name, c in {
		"of a program that shows nothing": {"program": "/usr/bin/go", "effect": "allow"},
		"of a program that changes files": {"program": "/usr/bin/touch", "effect": "ask", "codes": {"exec.dynamic"}},
		"of a program that shows files": {"program": "/usr/bin/cat", "effect": "ask", "codes": {"exec.dynamic"}},
		"of another version of it": {"program": "/usr/bin/grep-3.1", "effect": "ask", "codes": {"exec.dynamic"}},
	}
	facts := testing.execution({"segments": [object.union(testing.segment(c.program), {"dynamic": [1]})]})
	config := object.union(testing.config, {"tools": {"exec": {"allowlist": ["/usr/bin/*"]}}})
	result := _result(facts, config)
	result.effect == c.effect
	object.get(c, "codes", testing.codes(result.reasons)) == testing.codes(result.reasons)
}

test_words_produced_at_run_time_are_opened_with_substitutions[name] if {
	some name, c in {
		"where no list limits what may be read": {"lists": {}, "effect": "allow"},
		"where a list does": {"lists": {"read": {"allow": ["/srv/app/**"]}}, "effect": "ask"},
	}
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/cat"), {"dynamic": [1]})]})
	exec := {"exec": {"allowlist": ["/usr/bin/*"], "constructs": {"substitution": "segments"}}}
	_result(facts, object.union(testing.config, {"tools": object.union(exec, c.lists)})).effect == c.effect
}

test_words_produced_at_run_time_never_name_a_file_to_change if {
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/rm"), {"dynamic": [1]})]})
	config := object.union(_config({"substitution": "segments"}, {}), {"tools": {"exec": {"allowlist": ["/usr/bin/*"]}}})
	_result(facts, config).effect == "ask"
}

test_words_in_which_only_the_pid_is_unknown[name] if {
	some name, c in {
		"the only word": {"segment": {"dynamic": [1], "numbered": [1]}, "effect": "allow"},
		"beside another word": {"segment": {"dynamic": [1, 2], "numbered": [1]}, "effect": "ask"},
		"another word": {"segment": {"dynamic": [1], "numbered": [2]}, "effect": "ask"},
		"further words follow": {"segment": {"dynamic": [1, 3], "numbered": [1]}, "effect": "ask"},
		"a hazard anyway": {
			"segment": {"dynamic": [1], "numbered": [1], "hazards": testing.hazardous("/usr/bin/rm", "writes", "-r").hazards},
			"effect": "ask",
		},
	}
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/rm"), c.segment)]})
	config := object.union(testing.config, {"tools": {"exec": {"allowlist": ["/usr/bin/*"]}}})
	_result(facts, config).effect == c.effect
}

test_pids_that_were_not_reported_do_not_count if {
	segment := object.remove(object.union(testing.segment("/usr/bin/rm"), {"dynamic": [1]}), ["numbered"])
	config := object.union(testing.config, {"tools": {"exec": {"allowlist": ["/usr/bin/*"]}}})
	_result(testing.execution({"segments": [segment]}), config).effect in {"ask", "deny"}
}

test_an_entry_for_any_argument_takes_words_produced_at_run_time if {
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/cat"), {"dynamic": [1]})]})
	config := object.union(testing.config, {"tools": {"exec": {"allowlist": [{"pattern": "/usr/bin/cat", "args": "any"}]}}})
	_result(facts, config).effect == "allow"
}

test_unknown_dynamic_words_are_a_miss if {
	segment := object.remove(testing.segment("/usr/bin/rg"), ["dynamic"])
	_result(testing.execution({"segments": [segment]}), testing.config).effect in {"ask", "deny"}
}

# Variables that are special to a shell, as written.
test_special_variables[name] if {
	some name, effect in {"SECONDS": "deny", "lines": "allow", "path": "deny", "i": "allow"}
	_result(testing.execution({"variables": [name], "env": [upper(name)]}), testing.config).effect == effect
}
