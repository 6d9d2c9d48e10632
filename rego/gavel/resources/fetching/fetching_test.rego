package gavel.resources.fetching_test

import data.gavel.decision
import data.gavel.resources.fetching
import data.gavel.testing

_facts(host, address) := object.union(testing.tool("web_fetch"), {"urls": [{
	"scheme": "https",
	"host": host,
	"address": address,
	"port": "443",
	"userinfo": false,
	"odd": "",
}]})

_obligations(facts, settings) := found if {
	found := fetching.result with input as facts with data.config as object.union(testing.config, {"tools": {"web_fetch": settings}})
}

test_a_name_may_resolve_to_public_addresses_only if {
	found := _obligations(_facts("github.com", ""), {})
	{"network": "169.254.0.0/16", "allow": false} in found.dial
	found.redirects == "decide"
	found.maxResponseBytes == 5242880
}

test_an_address_is_the_only_one_to_dial if {
	_obligations(_facts("1.1.1.1", "1.1.1.1"), {}).dial == [{"network": "1.1.1.1/32", "allow": true}]
	_obligations(_facts("2606:4700::1111", "2606:4700::1111"), {}).dial == [{"network": "2606:4700::1111/128", "allow": true}]
}

test_localhost_is_this_machine if {
	dial := _obligations(_facts("localhost", ""), {"allowedDomains": ["localhost"], "deniedDomains": ["127.0.0.2"]}).dial
	array.slice(dial, 0, 3) == [
		{"network": "127.0.0.2/32", "allow": false},
		{"network": "127.0.0.0/8", "allow": true},
		{"network": "::1/128", "allow": true},
	]
}

test_redirects_can_be_refused if {
	_obligations(_facts("github.com", ""), {"followRedirects": false}).redirects == "none"
}

test_other_tools_have_no_obligations if {
	_obligations(testing.tool("read"), {}) == {}
}

test_the_decision_states_them if {
	result := decision.result with input as _facts("github.com", "") with data.config as testing.config
	result.effect == "allow"
	count(result.web.dial) > 10
}
