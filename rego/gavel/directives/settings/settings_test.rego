package gavel.directives.settings_test

import data.gavel.directives.settings
import data.gavel.testing

# R13.
test_values_that_loosen[name] if {
	some name, c in {
		"the same": {"key": "security", "value": "allowlist", "want": false},
		"stricter": {"key": "security", "value": "deny", "want": false},
		"looser": {"key": "security", "value": "full", "want": true},
		"an ask mode": {"key": "ask", "value": "off", "want": true},
		"always": {"key": "ask", "value": "always", "want": false},
		"a word that is none": {"key": "ask", "value": "never", "want": true},
		"a host is neither": {"key": "host", "value": "node", "want": false},
	}
	got := _loosens(c.key, c.value)
	got == c.want
}

_loosens(key, value) if {
	settings.loosens(key, value, "") with input as testing.facts with data.config as testing.config
} else := false

test_values_of_the_session_are_not_part_of_the_base if {
	facts := object.union(testing.facts, {"sessionValues": {"state": "read", "own": {"ask": "always", "security": "deny"}}, "session": {"exec": {"ask": "always"}}})
	settings.base("") == {"security": "allowlist", "ask": "on-miss"} with input as facts with data.config as testing.config
}

test_nodes[node] if {
	some node, want in {"mac-1": true, "mac-2": false}
	config := object.union(testing.config, {"tools": {"exec": {"node": "Mac-1"}}})
	got := _has_node(node, config)
	got == want
}

_has_node(node, config) if {
	settings.has_node(node) with input as testing.facts with data.config as config
} else := false

test_hosts[host] if {
	some host, want in {"gateway": true, "node": false, "sandbox": false, "auto": true}
	config := object.union(testing.config, {"tools": {"exec": {"host": "gateway"}}})
	got := _has_host(host, config)
	got == want
}

_has_host(host, config) if {
	settings.has_host(host) with input as testing.facts with data.config as config
} else := false

test_values_that_cannot_be_read_are_named if {
	found := settings.unknown with input as object.union(testing.facts, {"sessionValues": {"state": "unknown"}})
	testing.codes(found) == {"exec.session_unknown"}
}
