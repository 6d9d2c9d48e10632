# Properties of every call and every configuration (LAYERS-3): what is unknown or not
# understood never permits more than what is known.
package gavel.decision_test

import data.gavel.check
import data.gavel.decision
import data.gavel.testing

_effect(facts, settings) := effect if {
	effect := decision.result.effect with input as facts with data.config as settings
}

# A test shows that the configurations are valid; checking them again for every call would
# only be slow.
_effect_if_valid(facts, settings) := effect if {
	effect := decision.result.effect with input as facts
		with data.config as settings
		with check.problems as set()
}

test_samples_are_many if {
	count(testing.samples) >= 12
	count(testing.configurations) >= 4
}

test_configurations_are_valid[name] if {
	some name, settings in testing.configurations
	problems := check.problems with data.config as settings
	problems == set()
}

test_samples_reach_every_effect[effect] if {
	some effect in ["deny", "ask", "allow"]
	_reached(effect)
}

_reached(effect) if {
	some facts in testing.samples
	some settings in testing.configurations
	_effect_if_valid(facts, settings) == effect
}

# Nothing is looser than allow, so what would be compared with it is not evaluated.
_can_loosen(rank) if rank < testing.rank.allow

# Every member of an object, at any depth. An element of a list is not a fact that can be
# missing: a shorter list is a different call.
_members(facts) := {path |
	some path, _ in _walked(facts)
	parent := object.get(facts, array.slice(path, 0, count(path) - 1), facts)
	is_object(parent)
}

_walked(document) := {path: true |
	walk(document, [path, _])
	count(path) > 0
}

# The facts about the caller are the same for every call, so a few samples show what their
# absence does.
_worth_removing(_, path) if not path[0] in {"caller", "stated", "pause"}

_worth_removing("a call to read", _)

_worth_removing("an allowlisted command", _)

# A fact that a sample shares with the call it was made from is removed only from that call;
# exhaustive_test.rego removes every fact from every sample.
_own(name, _, _) if name in {"a call to read", "an allowlisted command"}

_own(_, facts, path) if object.get(_made_from(facts), path, "nothing") != object.get(facts, path, "nothing")

_made_from(facts) := testing.exec_facts if {
	facts.exec
} else := testing.facts

_removed[name] contains path if {
	some name, facts in testing.samples
	some path in _members(facts)
	_worth_removing(name, path)
	_own(name, facts, path)
}

_looser_without_a_fact(settings, removed) := {[name, concat("/", [sprintf("%v", [step]) | some step in path])] |
	some name, facts in testing.samples
	full := testing.rank[_effect_if_valid(facts, settings)]
	_can_loosen(full)
	some path in removed[name]
	testing.rank[_effect_if_valid(json.remove(facts, [path]), settings)] > full
}

test_facts_are_removed_from_every_sample if {
	object.keys(_removed) == object.keys(testing.samples)
}

test_every_kind_of_fact_is_removed if {
	kinds := {concat("/", [step | some step in path; is_string(step)]) | some paths in _removed; some path in paths}
	kinds == {concat("/", [step | some step in path; is_string(step)]) | some facts in testing.samples; some path in _members(facts)}
}

test_a_missing_fact_never_loosens_an_allowlist_that_asks if {
	_looser_without_a_fact(testing.configurations["allowlist that asks"], _removed) == set()
}

test_a_missing_fact_never_loosens_an_allowlist_that_is_silent if {
	_looser_without_a_fact(testing.configurations["allowlist that is silent"], _removed) == set()
}

test_a_missing_fact_never_loosens_full_without_questions if {
	_looser_without_a_fact(testing.configurations["full without questions"], _removed) == set()
}

test_a_missing_fact_never_loosens_full_that_asks if {
	_looser_without_a_fact(testing.configurations["full that asks"], _removed) == set()
}

test_a_missing_fact_never_loosens_deny if {
	_looser_without_a_fact(testing.configurations.deny, _removed) == set()
}

test_a_missing_fact_never_loosens_what_is_verified if {
	_looser_without_a_fact(testing.configurations.verified, _removed) == set()
}

test_a_missing_fact_never_loosens_elevated if {
	_looser_without_a_fact(testing.configurations.elevated, _removed) == set()
}

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

test_what_is_unknown_in_a_session_never_loosens[name] if {
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

test_what_is_not_stated_never_loosens if _left_out == set()

test_the_configuration_that_reads_every_fact_is_valid_and_permits if {
	problems := check.problems with data.config as _reading
	problems == set()
	_effect_if_valid(testing.facts, _reading) == "allow"
	_effect_if_valid(object.union(testing.facts, _unstated.model), _reading) == "deny"
	_effect_if_valid(object.union(testing.exec_facts, _unstated.sandboxed), _reading) == "deny"
}

test_facts_of_no_call_at_all_are_denied[name] if {
	some name, settings in testing.configurations
	_effect_if_valid({}, settings) == "deny"
}

# Values of a wrong type, and an unknown value for an enumeration. true, a number, or a name
# in a list of names would be valid settings.
_nonsense(value) := {"nonsense", 7, [], null, true} if is_object(value)

_nonsense(value) := {"nonsense", 7, {}, null, true} if is_array(value)

_nonsense(value) := {7, [], {}, null, true} if is_string(value)

_nonsense(value) := {"nonsense", 7, [], {}, null} if is_boolean(value)

_nonsense(value) := {"nonsense", [], {}, null, true} if is_number(value)

_spoilt(settings) := {replaced |
	walk(settings, [path, value])
	some wrong in _nonsense(value)
	replaced := json.patch(settings, [{"op": "replace", "path": path, "value": wrong}])
}

_misspelt(settings) := {replaced |
	walk(settings, [path, value])
	is_string(value)
	not is_number(path[count(path) - 1])
	replaced := json.patch(settings, [{"op": "replace", "path": path, "value": "nonsense"}])
}

# A configuration that fails the check denies every call, as the next test shows; one that
# passes must not decide more loosely.
_looser_with(changed, settings) := {[name, replaced] |
	meant := {name: testing.rank[_effect_if_valid(facts, settings)] | some name, facts in testing.samples}
	some replaced in changed
	problems := check.problems with data.config as replaced
	count(problems) == 0
	some name, full in meant
	_can_loosen(full)
	testing.rank[_effect_if_valid(testing.samples[name], replaced)] > full
}

test_configuration_with_a_problem_denies_every_call[name] if {
	some name, settings in testing.configurations
	every facts in testing.samples {
		effect := decision.result.effect with input as facts
			with data.config as settings
			with check.problems as {{"path": "tools", "message": "wrong"}}
		effect == "deny"
	}
}

test_nonsense_never_loosens_an_allowlist_that_asks if {
	settings := testing.configurations["allowlist that asks"]
	_looser_with(_spoilt(settings), settings) == set()
}

test_nonsense_never_loosens_an_allowlist_that_is_silent if {
	settings := testing.configurations["allowlist that is silent"]
	_looser_with(_spoilt(settings), settings) == set()
}

test_nonsense_never_loosens_full_that_asks if {
	settings := testing.configurations["full that asks"]
	_looser_with(_spoilt(settings), settings) == set()
}

test_nonsense_never_loosens_deny if {
	settings := testing.configurations.deny
	_looser_with(_spoilt(settings), settings) == set()
}

test_nonsense_never_loosens_elevated if {
	settings := testing.configurations.elevated
	_looser_with(_spoilt(settings), settings) == set()
}

test_misspelt_words_never_loosen_elevated if {
	settings := testing.configurations.elevated
	_looser_with(_misspelt(settings), settings) == set()
}

test_nonsense_never_loosens_what_is_verified if {
	settings := testing.configurations.verified
	_looser_with(_spoilt(settings), settings) == set()
}

test_misspelt_words_never_loosen_what_is_verified if {
	settings := testing.configurations.verified
	_looser_with(_misspelt(settings), settings) == set()
}

test_misspelt_words_never_loosen_an_allowlist_that_asks if {
	settings := testing.configurations["allowlist that asks"]
	_looser_with(_misspelt(settings), settings) == set()
}

test_misspelt_words_never_loosen_full_that_asks if {
	settings := testing.configurations["full that asks"]
	_looser_with(_misspelt(settings), settings) == set()
}

# An unknown key stands for a misspelt setting.
_overgrown(settings) := {path |
	walk(settings, [path, value])
	is_object(value)
	path[0] in {"tools", "agents"}
}

test_unknown_keys_are_problems[name] if {
	some name, settings in testing.configurations
	every path in _overgrown(settings) {
		overgrown := json.patch(settings, [{"op": "add", "path": array.concat(path, ["nonsense"]), "value": 7}])
		problems := check.problems with data.config as overgrown
		count(problems) > 0
	}
}

test_unknown_key_denies[name] if {
	some name, settings in {
		"below tools": {"tools": {"nonsense": 7}},
		"below tools.exec": {"tools": {"exec": {"nonsense": 7}}},
		"below an agent": {"agents": {"main": {"nonsense": 7}}},
		"below agents.defaults": {"agents": {"defaults": {"nonsense": 7}}},
		"below an agent's tools": {"agents": {"main": {"tools": {"nonsense": 7}}}},
	}
	_effect(testing.facts, testing.configured(settings)) == "deny"
	_effect(testing.facts, testing.config) == "allow"
}
