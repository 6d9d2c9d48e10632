# Properties of what a gateway or a session states (LAYERS-3): a fact that nobody states, and a value
# of a session, never permit more (R13, R43).
package gavel.decision_test

import data.gavel.check
import data.gavel.decision
import data.gavel.testing

# What is stored for a session cannot be read, or nobody states who wrote the message.
_unknown_in_sessions := {
	"stored values": {"sessionValues": {"state": "unknown", "own": testing.blank.storedValues, "others": []}},
	"state of stored values": {"sessionValues": {"state": "other"}},
	"sender": _unstated.sender,
	"the channel of the sender": {"sender": {"channel": ""}},
	"the id of the sender": {"sender": {"id": ""}},
	"sandboxed": {"stated": {"sandboxed": false}},
}

_of_sessions[name] := facts if {
	some name, facts in testing.samples
	regex.match(`session|elevate`, name)
}

test_an_unknown_session_value_never_loosens[name] if {
	count(_of_sessions) >= 10
	some name, settings in testing.configurations
	_loosened(settings, _of_sessions, _unknown_in_sessions) == set()
}

# Values of a session, by the gateway or by directives. Only an elevated level can loosen (R13).
# A call to which a verifier must agree is left out: it is denied until somebody asks the
# verifier, which is after people were asked.
_values_of_sessions := {sprintf("%s %s %s", [by, key, value]): change |
	some key, values in {
		"security": ["deny", "allowlist", "full"],
		"ask": ["always", "on-miss", "off"],
		"host": ["sandbox", "gateway", "node"],
		"node": ["n"],
	}
	some value in values
	some by, change in {
		"gateway": {"session": {"exec": {key: value}}},
		"directive": {"sessionValues": {"state": "read", "own": {key: value}}},
		"perhaps": {"sessionValues": {"state": "read", "others": [object.union(testing.blank.storedValues, {key: value})]}},
	}
}

test_values_of_a_session_never_loosen[name] if {
	some name, settings in object.remove(testing.configurations, ["verified"])
	plain := {which: testing.samples[which] | some which in [
		"an allowlisted command",
		"a command that is not allowlisted",
		"a command in a sandbox",
		"a command that a person approved",
		"a command that nobody answered",
		"a command that was refused",
		"a command with a hazard",
		"a command that a rule asks about",
		"a safe bin",
		"a command of an elevated session",
		"a command of a session that a directive has elevated",
	]}
	_loosened(settings, plain, _values_of_sessions) == set()
}

# off is binding, wherever it is said: such a command runs in the sandbox, or not at all.
test_the_level_off_keeps_commands_in_the_sandbox[name] if {
	some name, settings in testing.configurations
	every facts in _of_sessions {
		every off in [{"session": {"inline": "off"}}, {"session": {"inline": "", "elevated": "off"}}] {
			said := decision.result with input as object.union_n([facts, {"agent": {"sandboxed": true}}, off])
				with data.config as object.union(settings, {"tools": {"exec": {"host": "sandbox"}}})
				with check.problems as set()
			object.get(said, ["exec", "host"], "sandbox") == "sandbox"
		}
	}
}

_loosened(settings, calls, changes) := {[which, how] |
	some which, facts in calls
	full := testing.rank[_effect_if_valid(facts, settings)]
	_can_loosen(full)
	some how, change in changes
	testing.rank[_effect_if_valid(object.union(facts, change), settings)] > full
}

# A fact that was not stated is present, but empty (R43). The samples are used as a gateway
# and as an agent would send them, with a configuration that reads every fact.
_unstated := {
	"model": {"stated": {"model": false}, "model": {"provider": "", "id": ""}},
	"the id of the model": {"model": {"id": ""}},
	"group": {"stated": {"group": false}, "group": {"channel": "", "account": "", "ids": []}},
	"the channel of the group": {"group": {"channel": ""}},
	"the account of the group": {"group": {"account": ""}},
	"depth": {"stated": {"depth": false}, "agent": {"depth": 0, "maxDepth": 0, "parents": []}},
	"sandboxed": {"stated": {"sandboxed": false}, "agent": {"sandboxed": false}},
	"sender": {"stated": {"sender": false}, "sender": {
		"channel": "",
		"id": "",
		"name": "",
		"username": "",
		"tag": "",
		"from": "",
		"e164": "",
		"owner": false,
	}},
	"the id of the sender": {"sender": {"id": ""}},
	"the name of the sender": {"sender": {"name": ""}},
}

_stating := {
	"depth 1": {"agent": {"depth": 1}},
	"depth 2": {"agent": {"depth": 2}},
	"a sandbox": {"agent": {"sandboxed": true}},
	"another model": {"model": {"provider": "local", "id": "m"}},
	"a group": {"group": {"channel": "discord", "account": "work", "ids": ["g1"]}},
	"a group of no account": {"group": {"channel": "discord", "account": "home", "ids": ["g1"]}},
	"a group and a sender": {"group": {"channel": "discord", "account": "home", "ids": ["g1"]}, "sender": {"id": "9", "name": "bob"}},
	"nothing else": {},
}

_reading := {
	"tools": {
		"profile": "full",
		"alsoAllow": ["cron", "lobster", "canvas"],
		"exec": {"host": "gateway", "security": "allowlist", "ask": "on-miss", "allowlist": ["/usr/bin/rg"]},
		"byProvider": {"openai": {"deny": ["write"]}, "openai/gpt-5.2": {"deny": ["canvas"]}, "local": {"profile": "minimal"}},
		"subagents": {"tools": {"deny": ["read"]}},
		"sandbox": {"tools": {"deny": ["exec"]}},
	},
	"agents": {"defaults": {}},
	"channels": {"discord": {
		"groups": {"g1": {"tools": {"deny": ["cron"]}, "toolsBySender": {"id:9": {"deny": ["write"]}, "name:bob": {"deny": ["read"]}}}},
		"accounts": {"work": {"groups": {"*": {"tools": {"allow": ["read"]}}}}},
	}},
}

_left_out contains [name, stated, by, fact] if {
	some name in ["a call to read", "a call to write in a sandbox", "a call to cron by the owner", "a call to a plugin's tool", "an allowlisted command"]
	some stated, change in _stating
	some by in [true, false]
	facts := object.union_n([testing.samples[name], change, {"stated": {"byGateway": by}}])
	full := testing.rank[_effect_if_valid(facts, _reading)]
	_can_loosen(full)
	some fact, nothing in _unstated
	_is_there(facts, fact)
	testing.rank[_effect_if_valid(object.union(facts, nothing), _reading)] > full
}

# Without a group there is no channel or account.
_is_there(_, fact) if not fact in {"the channel of the group", "the account of the group"}

_is_there(facts, _) if count(facts.group.ids) > 0

test_an_unstated_fact_never_loosens if _left_out == set()

test_the_configuration_that_reads_every_fact_is_valid_and_permits if {
	problems := check.problems with data.config as _reading
	problems == set()
	_effect_if_valid(testing.facts, _reading) == "allow"
	_effect_if_valid(object.union(testing.facts, _unstated.model), _reading) == "deny"
	_effect_if_valid(object.union(testing.exec_facts, _unstated.sandboxed), _reading) == "deny"
}
