package gavel.resources.web_test

import data.gavel.decision
import data.gavel.resources.web
import data.gavel.testing

_url := {"scheme": "https", "host": "github.com", "address": "", "port": "443", "userinfo": false, "odd": ""}

_facts(tool, changes) := object.union(testing.tool(tool), {"urls": [object.union(_url, changes)]})

_at(host) := {"host": host}

_ip(address) := {"host": address, "address": address}

_config(tool, settings) := object.union(testing.config, {"tools": {"profile": "full", "alsoAllow": ["browser"], tool: settings}})

_result(facts, config) := result if {
	result := decision.result with input as facts with data.config as config
}

# WEB-1, WEB-2, WEB-3.
test_hosts_that_web_fetch_opens[name] if {
	some name, c in {
		"a public host": {"url": {}, "codes": set()},
		"plain http": {"url": {"scheme": "http", "port": "80"}, "codes": set()},
		"another scheme": {"url": {"scheme": "ftp"}, "codes": {"resources.web_scheme"}},
		"a user name": {"url": {"userinfo": true}, "codes": {"resources.web_userinfo"}},
		"a URL that parsers read differently": {"url": {"host": "", "odd": "a backslash"}, "codes": {"resources.web_odd"}},
		"a private address": {"url": _ip("10.1.2.3"), "codes": {"resources.web_closed"}},
		"this machine": {"url": _ip("127.0.0.1"), "codes": {"resources.web_closed"}},
		"this machine in IPv6": {"url": _ip("::1"), "codes": {"resources.web_closed"}},
		"where clouds hand out credentials": {"url": _ip("169.254.169.254"), "codes": {"resources.web_closed"}},
		"the network of a provider": {"url": _ip("100.100.100.200"), "codes": {"resources.web_closed"}},
		"an address of IPv4 inside IPv6": {"url": _ip("64:ff9b::7f00:1"), "codes": {"resources.web_closed"}},
		"an address of IPv4 that is translated": {"url": _ip("::ffff:0:7f00:1"), "codes": {"resources.web_closed"}},
		"the host of a virtual machine": {"url": _ip("168.63.129.16"), "codes": {"resources.web_closed"}},
		"a service of a cluster": {"url": _at("kubernetes.default.svc"), "codes": {"resources.web_closed"}},
		"a name that has its address in it": {"url": _at("169.254.169.254.nip.io"), "codes": {"resources.web_closed"}},
		"a domain whose names are this machine": {"url": _at("localtest.me"), "codes": {"resources.web_closed"}},
		"a name that ends like one of those": {"url": _at("notnip.io"), "codes": set()},
		"multicast": {"url": _ip("224.0.0.1"), "codes": {"resources.web_closed"}},
		"a public address": {"url": _ip("1.1.1.1"), "codes": set()},
		"a public address in IPv6": {"url": _ip("2606:4700::1111"), "codes": set()},
		"localhost": {"url": _at("localhost"), "codes": {"resources.web_closed"}},
		"a name below localhost": {"url": _at("app.localhost"), "codes": {"resources.web_closed"}},
		"a name without a dot": {"url": _at("intranet"), "codes": {"resources.web_closed"}},
		"a local name": {"url": _at("metadata.google.internal"), "codes": {"resources.web_closed"}},
		"a name that ends like a local one": {"url": _at("mylocal"), "codes": {"resources.web_closed"}},
		"a public name that contains a local one": {"url": _at("local.example.com"), "codes": set()},
	}
	result := _result(_facts("web_fetch", c.url), testing.config)
	_refusals(result) == c.codes
}

_refusals(result) := testing.codes(result.reasons) if {
	result.effect == "deny"
} else := set()

test_lists_of_domains[name] if {
	some name, c in {
		"a listed domain": {"allow": ["github.com"], "url": {}, "codes": set()},
		"case and a dot at the end": {"allow": ["GitHub.com."], "url": {}, "codes": set()},
		"another domain": {"allow": ["github.com"], "url": _at("gitlab.com"), "codes": {"resources.web_unlisted"}},
		"a subdomain of a listed domain": {"allow": ["github.com"], "url": _at("api.github.com"), "codes": {"resources.web_unlisted"}},
		"below a wildcard": {"allow": ["*.npmjs.com"], "url": _at("a.b.npmjs.com"), "codes": set()},
		"the domain of a wildcard itself": {"allow": ["*.npmjs.com"], "url": _at("npmjs.com"), "codes": {"resources.web_unlisted"}},
		"a domain that ends like a wildcard": {"allow": ["*.npmjs.com"], "url": _at("evilnpmjs.com"), "codes": {"resources.web_unlisted"}},
		"an address never matches a wildcard": {"allow": ["*.1"], "url": _ip("1.1.1.1"), "codes": {"resources.web_unlisted"}},
		"an address": {"allow": ["1.1.1.1"], "url": _ip("1.1.1.1"), "codes": set()},
		"an address in another notation": {"allow": ["2606:4700:0::1111"], "url": _ip("2606:4700::1111"), "codes": set()},
		"a private network that is listed": {"allow": ["10.0.0.0/8"], "url": _ip("10.1.2.3"), "codes": set()},
		"a network does not open another": {
			"allow": ["10.0.0.0/8"],
			"url": _ip("192.168.1.1"),
			"codes": {"resources.web_unlisted", "resources.web_closed"},
		},
		"a local name that is listed": {"allow": ["*", "localhost"], "url": _at("localhost"), "codes": set()},
		"everything does not open what is closed": {"allow": ["*"], "url": _at("localhost"), "codes": {"resources.web_closed"}},
		"everything does not open a private address": {"allow": ["*"], "url": _ip("10.1.2.3"), "codes": {"resources.web_closed"}},
		"everything opens what is public": {"allow": ["*"], "url": {}, "codes": set()},
		"a denied domain": {"deny": ["github.com"], "url": {}, "codes": {"resources.web_denied"}},
		"below a denied domain": {"deny": ["github.com"], "url": _at("api.github.com"), "codes": {"resources.web_denied"}},
		"deny wins": {"allow": ["github.com"], "deny": ["github.com"], "url": {}, "codes": {"resources.web_denied"}},
		"a denied network": {"deny": ["1.1.0.0/16"], "url": _ip("1.1.1.1"), "codes": {"resources.web_denied"}},
		"beside a denied network": {"deny": ["1.1.0.0/16"], "url": _ip("1.2.1.1"), "codes": set()},
	}
	settings := {"allowedDomains": object.get(c, "allow", []), "deniedDomains": object.get(c, "deny", [])}
	_refusals(_result(_facts("web_fetch", c.url), _config("web_fetch", settings))) == c.codes
}

test_lists_of_origins[name] if {
	some name, c in {
		"a listed origin": {"allow": ["https://github.com"], "url": {}, "codes": set()},
		"a standard port that is written": {"allow": ["https://github.com:443"], "url": {}, "codes": set()},
		"another port": {"allow": ["https://github.com"], "url": {"port": "8443"}, "codes": {"resources.web_unlisted"}},
		"another scheme": {"allow": ["https://github.com"], "url": {"scheme": "http", "port": "80"}, "codes": {"resources.web_unlisted"}},
		"another scheme on the same port": {"allow": ["https://github.com:8080"], "url": {"scheme": "http", "port": "8080"}, "codes": {"resources.web_unlisted"}},
		"a standard port of http": {"allow": ["http://github.com"], "url": {"scheme": "http", "port": "80"}, "codes": set()},
		"below a wildcard": {"allow": ["https://*.github.com"], "url": _at("api.github.com"), "codes": set()},
		"a port of this machine": {
			"allow": ["http://localhost:3000"],
			"url": {"scheme": "http", "host": "localhost", "port": "3000"},
			"codes": set(),
		},
		"another port of this machine": {
			"allow": ["http://localhost:3000"],
			"url": {"scheme": "http", "host": "localhost", "port": "9222"},
			"codes": {"resources.web_unlisted", "resources.web_closed"},
		},
		"every port": {
			"allow": ["http://[::1]:*"],
			"url": {"scheme": "http", "host": "::1", "address": "::1", "port": "9222"},
			"codes": set(),
		},
		"without a list, every public origin": {"url": {"port": "8443"}, "codes": set()},
		"without a list, no local one": {"url": _at("localhost"), "codes": {"resources.web_closed"}},
		"a denied origin": {"deny": ["https://github.com"], "url": {}, "codes": {"resources.web_denied"}},
		"below a denied origin": {"deny": ["https://github.com"], "url": _at("api.github.com"), "codes": set()},
		"another port of a denied origin": {"deny": ["https://github.com"], "url": {"port": "8443"}, "codes": set()},
	}
	settings := {"allowedOrigins": object.get(c, "allow", []), "deniedOrigins": object.get(c, "deny", [])}
	_refusals(_result(_facts("browser", c.url), _config("browser", settings))) == c.codes
}

test_the_agents_list_and_the_global_list_both_apply if {
	config := object.union(testing.config, {
		"tools": {"web_fetch": {"allowedDomains": ["github.com", "example.com"]}},
		"agents": {"main": {"tools": {"web_fetch": {"allowedDomains": ["github.com", "gitlab.com"]}}}},
	})
	_refusals(_result(_facts("web_fetch", {}), config)) == set()
	every host in ["example.com", "gitlab.com"] {
		_refusals(_result(_facts("web_fetch", _at(host)), config)) == {"resources.web_unlisted"}
	}
}

test_a_tool_that_is_turned_off if {
	_refusals(_result(_facts("web_fetch", {}), _config("web_fetch", {"enabled": false}))) == {"resources.web_off"}
	_refusals(_result(_facts("browser", {}), _config("browser", {"enabled": false}))) == {"resources.web_off"}
}

test_calls_without_a_url[name] if {
	some name, c in {
		"web_fetch without parameters": {"tool": "web_fetch", "action": "", "codes": set()},
		"web_fetch with others": {"tool": "web_fetch", "parameters": ["uri"], "action": "", "codes": {"resources.web_missing"}},
		"where a list is set": {"tool": "web_fetch", "lists": {"deniedDomains": ["a.b"]}, "action": "", "codes": {"resources.web_missing"}},
		"where a list of what is allowed is set": {"tool": "web_fetch", "lists": {"allowedDomains": ["a.b"]}, "action": "", "codes": {"resources.web_missing"}},
		"an action of web_fetch": {"tool": "web_fetch", "action": "snapshot", "parameters": ["action"], "codes": {"resources.web_missing"}},
		"a snapshot": {"tool": "browser", "action": "snapshot", "parameters": ["action"], "codes": set()},
		"a snapshot where a list is set": {
			"tool": "browser",
			"action": "snapshot",
			"parameters": ["action"],
			"lists": {"allowedOrigins": ["https://a.b"]},
			"codes": set(),
		},
		"browser opens nothing": {"tool": "browser", "action": "open", "parameters": ["action"], "codes": {"resources.web_missing"}},
		"an unknown action": {"tool": "browser", "action": "teleport", "parameters": ["action"], "codes": {"resources.web_missing"}},
	}
	facts := object.union(testing.tool(c.tool), {
		"tool": {"action": c.action, "parameters": object.get(c, "parameters", [])},
		"urls": [],
	})
	_refusals(_result(facts, _config(c.tool, object.get(c, "lists", {})))) == c.codes
}

test_a_tool_without_listed_actions_must_name_a_url if {
	facts := object.union(testing.tool("web_fetch"), {"tool": {"action": "snapshot", "parameters": ["action"]}, "urls": []})
	found := web.deny with input as facts with data.config as testing.config with data.gavel.catalog.web.without_url as {}
	testing.codes(found) == {"resources.web_missing"}
}

test_other_tools_open_nothing if {
	web.permit with input as testing.tool("web_search") with data.config as testing.config
	web.deny == set() with input as testing.tool("web_search") with data.config as testing.config
}

test_missing_facts_never_permit[name] if {
	some name, facts in {
		"no tool": json.remove(_facts("web_fetch", {}), ["tool/name"]),
		"no URLs": json.remove(_facts("web_fetch", {}), ["urls"]),
		"no host": json.remove(_facts("web_fetch", {}), ["urls/0/host"]),
		"no address": json.remove(_facts("web_fetch", _ip("10.1.2.3")), ["urls/0/address"]),
		"no scheme": json.remove(_facts("web_fetch", {}), ["urls/0/scheme"]),
		"not whether there is a user name": json.remove(_facts("web_fetch", {}), ["urls/0/userinfo"]),
		"not whether it was read": json.remove(_facts("web_fetch", {}), ["urls/0/odd"]),
	}
	not web.permit with input as facts with data.config as testing.config
}

test_a_list_that_cannot_be_read_permits_nothing if {
	not web.permit with input as object.union(_facts("web_fetch", {}), {"frozen": {"web": {}}}) with data.config as testing.config
}

# What objects is tested above. That nothing is permitted without a reason is the second lock.
test_what_is_permitted[name] if {
	some name, c in {
		"a public host": {"facts": _facts("web_fetch", {}), "permit": true},
		"a private address": {"facts": _facts("web_fetch", _ip("10.1.2.3")), "permit": false},
		"no list of addresses": {"facts": json.remove(_facts("web_fetch", {}), ["urls"]), "permit": false},
		"a tool without a name": {"facts": json.remove(_facts("web_fetch", {}), ["tool/name"]), "permit": false},
	}
	permits := web.permit with input as c.facts with data.config as testing.config
	permits == c.permit
}

# What permits does not rely on what objects.
test_what_is_permitted_if_nothing_objects[name] if {
	lists := {"web": {"web_fetch": {"allow": [], "dial": [1]}}}
	url := _facts("web_fetch", {})
	some name, c in {
		"a public host": {"facts": url, "frozen": lists, "permit": true},
		"a list of what may be opened that is none": {"facts": url, "frozen": {"web": {"web_fetch": {"allow": {}, "dial": [1]}}}, "permit": false},
		"no network that may be dialled": {"facts": url, "frozen": {"web": {"web_fetch": {"allow": [], "dial": []}}}, "permit": false},
		"addresses that are not a list": {"facts": object.union(url, {"urls": {}}), "frozen": lists, "permit": false},
		"a URL that was not read": {"facts": _facts("web_fetch", {"odd": "a backslash"}), "frozen": lists, "permit": false},
		"a user name": {"facts": _facts("web_fetch", {"userinfo": true}), "frozen": lists, "permit": false},
		"another scheme": {"facts": _facts("web_fetch", {"scheme": "ftp"}), "frozen": lists, "permit": false},
		"no host": {"facts": _facts("web_fetch", {"host": ""}), "frozen": lists, "permit": false},
	}
	permits := web.permit with input as c.facts
		with data.gavel.frozen.result as c.frozen
		with web.deny as set()
	permits == c.permit
}

test_nothing_is_permitted_without_lists if {
	permits := web.permit with input as _facts("web_fetch", {}) with data.gavel.frozen.result as {}
	permits == false
}
