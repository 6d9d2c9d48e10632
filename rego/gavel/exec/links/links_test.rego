package gavel.exec.links_test

import data.gavel.exec.links
import data.gavel.testing

_config(patterns) := testing.configured({"tools": {"exec": {"noLinks": patterns}, "write": {"allow": ["./**"], "deny": ["./Makefile"]}}})

test_known[name] if {
	some name, c in {
		"nothing ran before": {"after": false, "patterns": [], "known": true},
		"something ran before": {"after": true, "patterns": [], "known": false},
		"no facts": {"after": null, "patterns": [], "known": false},
		"code that the agent may write ran before": {"after": true, "code": ["/srv/app/run.sh", "/srv/app"], "patterns": [], "known": true},
		"some of it the agent may not write": {"after": true, "code": ["/srv/app/run.sh", "/srv/app/Makefile"], "patterns": [], "known": false},
		"code outside the workspace ran before": {"after": true, "code": ["/opt/x"], "patterns": [], "known": false},
		"something ran before, and nobody makes links there": {"after": true, "patterns": ["./**"], "known": true},
		"something ran before, and nobody makes links elsewhere": {"after": true, "patterns": ["/opt/**"], "known": false},
	}
	_known(c) == c.known
}

_known(c) if {
	links.unchanged({"after": c.after, "afterCode": object.get(c, "code", [])}, "/srv/app/f") with input as testing.exec_facts with data.config as _config(c.patterns)
} else := false
