package gavel.reason_test

import data.gavel.reason

_plain := {"custom": {"code": "layer.rule", "message": "tool %s of %q", "fix": "call it by name"}}

_placed := {"custom": {"code": "layer.rule", "message": "tool %s of %q", "fix": "edit %s"}}

_source := {"path": "tools.deny", "from": "global"}

test_from_fills_the_message if {
	got := reason.from(_plain, ["exec", "main"], _source) with input as {}
	got == {
		"layer": "layer",
		"code": "layer.rule",
		"message": `tool exec of "main"`,
		"fix": "call it by name",
		"source": _source,
	}
}

test_fixed_fills_the_fix_as_well if {
	got := reason.fixed(_placed, ["exec", "main"], ["tools.deny"], {}) with input as {}
	got == {
		"layer": "layer",
		"code": "layer.rule",
		"message": `tool exec of "main"`,
		"fix": "edit tools.deny",
		"source": {},
	}
}

test_snapshot_gets_code_and_arguments if {
	got := reason.from(_plain, ["exec", "main"], _source) with input as {"frozen": {}}
	got == {"code": "layer.rule", "args": ["exec", "main"], "source": _source}
}

test_snapshot_gets_the_arguments_of_the_fix_as_well if {
	got := reason.fixed(_placed, ["exec", "main"], ["tools.deny"], {}) with input as {"frozen": {}}
	got == {"code": "layer.rule", "args": ["exec", "main"], "fix_args": ["tools.deny"], "source": {}}
}

test_a_reason_has_a_position_in_the_command if {
	reason.placed({"code": "a.b"}, {"start": 3, "end": 5, "kind": "x"}) == {"code": "a.b", "span": {"start": 3, "end": 5}}
}

test_a_reason_without_a_position_is_unchanged[name] if {
	some name, part in {"no members": {}, "no end": {"start": 3}, "not a number": {"start": "3", "end": 5}}
	reason.placed({"code": "a.b"}, part) == {"code": "a.b"}
}
