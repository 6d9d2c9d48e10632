package gavel.exec.parameters_test

import data.gavel.exec.parameters
import data.gavel.testing

_codes(facts) := {r.code |
	some r in parameters.unusual with input as facts
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
	}
	_codes(c.facts) == c.want
}

test_the_nearest_name_is_the_fix if {
	some r in parameters.unusual with input as _misfit("timout", "", "timeout")
	r.message == `exec cannot take the parameter "timout": there is none`
	r.fix == "use timeout, or leave it out"
}

test_the_type_is_the_fix if {
	some r in parameters.unusual with input as _misfit("pty", "true or false", "")
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
