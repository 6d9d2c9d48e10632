package gavel.exec.parameters_test

import data.gavel.exec.parameters
import data.gavel.testing

_codes(facts) := {r.code |
	some r in parameters.deny with input as facts
}

_misfit(name, wants, nearest) := testing.command({
	"tool": {"misfits": [{"name": name, "wants": wants, "nearest": nearest}]},
	"exec": {"unknown": [name]},
})

test_parameters_that_do_not_fit_are_named[name] if {
	some name, c in {
		"unknown, with a name like it": {"facts": _misfit("timout", "", "timeout"), "want": {"exec.unknown_parameter"}},
		"unknown, with none like it": {"facts": _misfit("shell", "", ""), "want": {"exec.unknown_parameter"}},
		"of the wrong type": {"facts": _misfit("pty", "true or false", ""), "want": {"exec.unknown_parameter"}},
		"that nothing describes": {"facts": testing.execution({"unknown": ["shell"]}), "want": {"exec.unknown_parameter"}},
		"none": {"facts": testing.exec_facts, "want": set()},
		"described, and no parameter of exec": {"facts": testing.command({"tool": {"misfits": [{"name": "path", "wants": "", "nearest": ""}]}}), "want": set()},
		"of a call that runs no command": {"facts": testing.facts, "want": set()},
	}
	_codes(c.facts) == c.want
}

test_the_nearest_name_is_the_fix if {
	some r in parameters.deny with input as _misfit("timout", "", "timeout")
	r.message == `exec cannot take the parameter "timout": there is none`
	r.fix == "use timeout, or leave it out"
}

test_each_parameter_is_named_once[name] if {
	some name, c in {
		"described": {"misfits": ["timout"], "unknown": ["timout"], "want": {"timout"}},
		"not described": {"misfits": [], "unknown": ["a", "b"], "want": {"a, b"}},
		"one of them described": {"misfits": ["timout"], "unknown": ["timout", "shell"], "want": {"timout", "shell"}},
	}
	facts := testing.command({
		"tool": {"misfits": [{"name": misfit, "wants": "", "nearest": ""} | some misfit in c.misfits]},
		"exec": {"unknown": c.unknown},
	})
	{sprintf("exec cannot take the parameter %q: %s", [named, _because(named, c.misfits)]) | some named in c.want} == {r.message |
		some r in parameters.deny with input as facts
	}
}

_because(name, described) := "there is none" if {
	name in described
} else := "exec has none, or one of another type"

test_without_a_near_name_every_name_is_the_fix[name] if {
	some name, nearest in {"empty": "", "null": null, "a number": 1}
	some r in parameters.deny with input as _misfit("shell", "", nearest)
	startswith(r.fix, "use only command, workdir,")
}

test_a_type_that_is_not_text_is_ignored[name] if {
	some name, wants in {"empty": "", "null": null, "a number": 1}
	some r in parameters.deny with input as _misfit("pty", wants, "")
	endswith(r.message, "there is none")
}

test_the_type_is_the_fix if {
	some r in parameters.deny with input as _misfit("pty", "true or false", "")
	r.message == `exec cannot take the parameter "pty": it is not true or false`
	r.fix == "pass true or false, or leave it out"
}

_run(changes) := testing.execution({"run": changes})

test_numbers_have_bounds[name] if {
	some name, c in {
		"no number": {"run": {}, "fits": true},
		"a timeout": {"run": {"timeout": 1800000}, "fits": true},
		"a day": {"run": {"timeout": 86400000}, "fits": true},
		"more than a day": {"run": {"timeout": 86400001}, "fits": false},
		"a timeout that is not positive": {"run": {"timeout": -1}, "fits": false},
		"a timeout that is text": {"run": {"timeout": "1"}, "fits": false},
		"a short yieldMs": {"run": {"yieldMs": 9}, "fits": false},
		"the shortest yieldMs": {"run": {"yieldMs": 10}, "fits": true},
		"the longest yieldMs": {"run": {"yieldMs": 120000}, "fits": true},
		"a longer yieldMs": {"run": {"yieldMs": 120001}, "fits": false},
	}
	_bounded(_run(c.run)) == c.fits
	_codes(_run(c.run)) == {"exec.parameter_bounds" | c.fits == false}
}

test_flags_that_are_not_flags_are_not_bounded[name] if {
	some name in ["background", "pty"]
	not _bounded(_run({name: "yes"}))
}

test_a_missing_fact_is_out_of_bounds if {
	facts := json.remove(testing.exec_facts, ["exec/run"])
	_codes(facts) == {"exec.parameter_bounds"}
	_bounded(facts) == false
}

_bounded(facts) if {
	parameters.bounded with input as facts
} else := false

test_a_number_out_of_bounds_denies_in_every_mode[security] if {
	some security in ["allowlist", "full"]
	verdict := testing.verdict(_run({"timeout": -1}), testing.listing({"security": security, "ask": "off"}))
	verdict == {"says": "deny", "codes": {"exec.parameter_bounds"}}
}
