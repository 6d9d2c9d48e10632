package gavel.resources.weblists_test

import data.gavel.resources.weblists
import data.gavel.testing

_configured(tools, own) := found if {
	found := weblists.configured with input as testing.facts
		with data.config as {"tools": tools, "agents": {"main": {"tools": own}}}
}

_any := {"scheme": "", "port": ""}

test_patterns_are_read_in_parts[text] if {
	some text, want in {
		"GitHub.com": {"host": "github.com"},
		"*.npmjs.com.": {"host": "*.npmjs.com"},
		"*": {"host": "*"},
		"10.0.0.0/8": {"host": "10.0.0.0/8"},
		"10.0.0.1": {"host": "10.0.0.1/32"},
		"::1": {"host": "::1/128"},
		"fc00::/7": {"host": "fc00::/7"},
		"https://*.github.com": {"scheme": "https", "host": "*.github.com"},
		"http://localhost:3000": {"scheme": "http", "host": "localhost", "port": "3000"},
		"http://[::1]:*": {"scheme": "http", "host": "::1/128", "port": "*"},
		"http://127.0.0.1:80": {"scheme": "http", "host": "127.0.0.1/32", "port": "80"},
	}
	found := _configured({"web_fetch": {"allowedDomains": [text]}}, {})
	found.web_fetch.allow == [{"path": "tools.web_fetch.allowedDomains", "patterns": [object.union(_any, want)]}]
}

test_lists_of_both_scopes if {
	found := _configured({"browser": {"deniedOrigins": ["https://a.com"]}}, {"browser": {"deniedOrigins": ["https://b.com"]}})
	[list.path | some list in found.browser.deny] == ["tools.browser.deniedOrigins", "agents.main.tools.browser.deniedOrigins"]
}

test_the_smaller_limit_counts if {
	_configured({}, {}).web_fetch.maxResponseBytes == 5242880
	_configured({"web_fetch": {"maxResponseBytes": 9000000}}, {}).web_fetch.maxResponseBytes == 9000000
	_configured({"web_fetch": {"maxResponseBytes": 9000000}}, {"web_fetch": {"maxResponseBytes": 7}}).web_fetch.maxResponseBytes == 7
}

test_one_scope_can_refuse_redirects if {
	_configured({}, {}).web_fetch.followRedirects == true
	_configured({"web_fetch": {"followRedirects": true}}, {"web_fetch": {"followRedirects": false}}).web_fetch.followRedirects == false
	_configured({"web_fetch": {"followRedirects": false}}, {"web_fetch": {"followRedirects": true}}).web_fetch.followRedirects == false
}

test_one_scope_can_turn_a_tool_off if {
	_configured({"browser": {"enabled": true}}, {"browser": {"enabled": false}}).browser.off == ["agents.main.tools.browser.enabled"]
	_configured({}, {}).browser.off == []
}

test_closed_networks_are_not_dialled_unless_listed if {
	found := _configured({"web_fetch": {"allowedDomains": ["*", "10.1.0.0/16"], "deniedDomains": ["evil.com", "1.1.1.1"]}}, {}).web_fetch
	found.refused == [{"network": "1.1.1.1/32", "allow": false}]
	found.dial[0] == {"network": "10.1.0.0/16", "allow": true}
	{"network": "10.0.0.0/8", "allow": false} in found.dial
	array.slice(found.dial, count(found.dial) - 2, count(found.dial)) == [
		{"network": "0.0.0.0/0", "allow": true},
		{"network": "::/0", "allow": true},
	]
}

test_every_closed_network_is_a_network if {
	every network, what in data.gavel.catalog.web.networks {
		net.cidr_is_valid(network)
		what != ""
	}
}
