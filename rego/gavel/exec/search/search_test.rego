package gavel.exec.search_test

import data.gavel.exec.search
import data.gavel.testing

_looked_in(dirs, changes) := object.union(testing.execution(changes), {"environment": {"pathPrepend": dirs}})

_first(facts, settings) := first if {
	first := search.first with input as facts with data.config as testing.listing(settings) with data.gavel.check.problems as set()
}

# EXEC-7: gateway and sandbox, and not a node.
test_directories_are_searched_where_the_gateway_or_a_sandbox_runs_it[name] if {
	boxed := object.union(testing.exec_facts, {"agent": {"sandboxed": true}})
	some name, c in {
		"on the gateway": {"facts": testing.exec_facts, "host": "gateway", "want": ["/opt/a", "/opt/b"]},
		"in a sandbox": {"facts": boxed, "host": "sandbox", "want": ["/opt/a", "/opt/b"]},
		"on a node": {"facts": testing.exec_facts, "host": "node", "want": []},
		"on a node that the call asks for": {"facts": testing.execution({"request": {"host": "node"}}), "host": "auto", "want": []},
		"on the gateway, where there is no sandbox": {"facts": testing.exec_facts, "host": "sandbox", "want": ["/opt/a", "/opt/b"]},
	}
	_first(c.facts, {"host": c.host, "pathPrepend": ["/opt/a", "/opt/b"]}) == c.want
}

test_no_directory_is_searched_first_on_a_refused_host if {
	facts := testing.execution({"request": {"host": "node"}})
	not search.first with input as facts
		with data.config as testing.listing({"host": "gateway", "pathPrepend": ["/opt/a"]})
		with data.gavel.check.problems as set()
}

test_a_tilde_is_the_home_directory_of_the_call[name] if {
	some name, c in {
		"the home is known": {"home": "/home/x", "want": ["/home/x/bin", "/opt/a"]},
		"the home is unknown": {"home": "", "want": ["~/bin", "/opt/a"]},
	}
	facts := object.union(testing.exec_facts, {"environment": {"home": c.home}})
	_first(facts, {"host": "gateway", "pathPrepend": ["~/bin", "/opt/a"]}) == c.want
}

test_an_agents_directories_replace_those_of_all if {
	config := {"tools": {"exec": {"pathPrepend": ["/opt/all"]}}, "agents": {"main": {"exec": {"pathPrepend": ["/opt/own"]}}}}
	first := search.first with input as testing.exec_facts with data.config as config with data.gavel.check.problems as set()
	first == ["/opt/own"]
}

# The directories that were searched must be the configured ones.
test_programs_are_looked_up_in_the_configured_directories[name] if {
	some security in ["allowlist", "full"]
	some case, c in {
		"nowhere first, as it says": {"fact": [], "setting": [], "says": "permit"},
		"in its directories": {"fact": ["/opt/a"], "setting": ["/opt/a"], "says": "permit"},
		"not in its directories": {"fact": [], "setting": ["/opt/a"], "says": "deny"},
		"in others": {"fact": ["/opt/b"], "setting": ["/opt/a"], "says": "deny"},
		"in more": {"fact": ["/opt/a", "/opt/b"], "setting": ["/opt/a"], "says": "deny"},
		"in another order": {"fact": ["/opt/b", "/opt/a"], "setting": ["/opt/a", "/opt/b"], "says": "deny"},
		"first where it says nowhere": {"fact": ["/opt/a"], "setting": [], "says": "deny"},
		"the fact is missing": {"fact": null, "setting": [], "says": "deny"},
	}
	name := sprintf("%s, with security %s", [case, security])
	settings := {"host": "gateway", "security": security, "ask": "off", "pathPrepend": c.setting}
	verdict := testing.verdict(_looked_in(c.fact, {}), testing.listing(settings))
	verdict == {"says": c.says, "codes": {"exec.search_path" | c.says == "deny"}}
}

test_a_call_without_a_directory_permits_nothing if {
	facts := json.remove(testing.exec_facts, ["environment/pathPrepend"])
	testing.verdict(facts, testing.listing({})).says == "deny"
}

# The analyzer reads the table before it looks anything up, and a decision compares what it
# did with the rule: both say the same wherever the call may run at all.
test_the_table_agrees_with_the_rule[name] if {
	some own in ["gateway", "node", "sandbox", "auto"]
	some asked in ["", "auto", "gateway", "sandbox", "node"]
	some boxed in [true, false]
	name := sprintf("host %s, asked for %q, sandboxed %v", [own, asked, boxed])
	settings := testing.listing({"host": own, "pathPrepend": ["/opt/a"]})
	facts := object.union(testing.execution({"request": {"host": asked}}), {"agent": {"sandboxed": boxed}})
	rule := [first |
		first := search.first with input as facts with data.config as settings with data.gavel.check.problems as set()
	]
	table := search.table with data.config as settings with data.gavel.check.problems as set()
	_agree(rule, object.get(table.others.hosts, asked, "none"))
}

_agree([], _)

_agree([["/opt/a"]], true)

_agree([[]], false)

test_the_table_has_agents_with_settings_of_their_own if {
	config := {
		"tools": {"exec": {"host": "gateway", "pathPrepend": ["/opt/all"], "workspace": "/srv"}, "read": {"deny": ["/**/.env"]}, "write": {"allow": ["./**"], "deny": ["./gen/**"]}},
		"agents": {
			"defaults": {"exec": {"workspace": "/w"}},
			"own": {"exec": {"pathPrepend": ["~/own"]}},
			"away": {"exec": {"host": "node"}},
			"shy": {"tools": {"read": {"deny": ["./private/**"]}}},
			"careful": {"tools": {"write": {"deny": ["./dist/**"]}}},
			"narrow": {"tools": {"write": {"allow": ["./src/**"]}, "fs": {"workspaceOnly": true}}},
			"plain": {"exec": {"ask": "off"}},
		},
	}
	table := search.table with data.config as config with data.gavel.check.problems as set()
	here := {"": true, "auto": true, "gateway": true}
	others := {
		"first": ["/opt/all"], "hosts": here, "workspace": "/w",
		"denied": ["/**/.env"], "unwritable": ["./gen/**"], "writable": [["./**"]],
	}
	table == {
		"agents": {
			"own": object.union(others, {"first": ["~/own"]}),
			"away": object.union(object.remove(others, ["hosts"]), {"hosts": {"": false, "auto": false, "node": false}}),
			"shy": object.union(others, {"denied": ["/**/.env", "./private/**"]}),
			"careful": object.union(others, {"unwritable": ["./gen/**", "./dist/**"]}),
			"narrow": object.union(others, {"writable": [["./**"], ["./src/**"], ["./**"]]}),
		},
		"others": others,
	}
}

test_an_unknown_host_has_no_directories if {
	table := search.table with data.config as testing.listing({"host": "moon"}) with data.gavel.check.problems as set()
	table.others.hosts == {}
}
