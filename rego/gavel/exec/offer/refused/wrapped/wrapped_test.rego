package gavel.exec.offer.refused.wrapped_test

import data.gavel.exec.offer.refused.wrapped
import data.gavel.testing

_codes(segment) := testing.codes(found) if {
	found := wrapped.reasons with input as testing.execution({"segments": [segment]})
}

_within(path, kinds) := object.union(testing.segment(path), {"wrappers": [object.union(testing.wrapper("/bin/x"), {"kind": kind}) | some kind in kinds]})

_by(wrapper) := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [object.union(testing.wrapper("/usr/bin/env"), wrapper)]})

test_refusals[name] if {
	some name, c in {
		"a relative path in the text of a shell": {
			"segment": object.union(_within("/srv/app/s/x.sh", ["shell"]), {"argv": ["s/x.sh"]}),
			"codes": {"exec.offer_inline_script"},
		},
		"three shells": {"segment": _within("/usr/bin/rg", ["shell", "shell", "shell"]), "codes": {"exec.offer_depth"}},
		"env with a variable": {"segment": _by({"argv": ["env", "A=1"]}), "codes": {"exec.offer_environment"}},
		"env that removes variables": {"segment": _by({"argv": ["env", "-i"]}), "codes": {"exec.offer_environment"}},
		"sudo with a variable": {
			"segment": _by({"argv": ["sudo", "A=1"], "kind": "privilege", "executable": {"name": "sudo"}}),
			"codes": {"exec.offer_environment"},
		},
		"an untrusted shell": {"segment": testing.wrapped("/usr/bin/rg", ["/tmp/sh"]), "codes": {"exec.offer_wrapper"}},
		"an untrusted sudo": {
			"segment": _by({"kind": "privilege", "executable": {"real": "/tmp/sudo"}}),
			"codes": {"exec.offer_wrapper"},
		},
	}
	_codes(c.segment) == c.codes
}

# Programs that can be offered although the call is not a plain one.
test_wrappers_that_are_unwrapped[name] if {
	some name, segment in {
		"nice": testing.wrapped("/usr/bin/rg", ["/usr/bin/nice"]),
		"two shells": _within("/usr/bin/rg", ["shell", "shell"]),
		"env that does nothing": _by({"argv": ["env", "--"]}),
		"sudo": _by({"argv": ["sudo", "-n"], "kind": "privilege", "executable": {"name": "sudo"}}),
		"a full path in the text of a shell": object.union(_within("/usr/bin/rg", ["shell"]), {"argv": ["/usr/bin/rg"]}),
	}
	_codes(segment) == set()
}
