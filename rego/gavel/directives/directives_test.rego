package gavel.directives_test

import data.gavel.directives
import data.gavel.testing

_open := {
	"commands": {"allowFrom": ["discord:123"]},
	"approvals": {"exec": {"allowFrom": ["discord:123"]}},
	"tools": {"exec": {"host": "auto"}, "elevated": {"allowFrom": ["discord:123"]}},
}

_blank := {"name": "", "options": [], "level": "", "words": [], "problem": ""}

_exec(options) := object.union(_blank, {"name": "exec", "options": [{"key": key, "value": value} | some key, value in options]})

_elevated(level) := object.union(_blank, {"name": "elevated", "level": level})

_approve(words) := object.union(_blank, {"name": "approve", "words": words})

_message(directive, changes) := object.union_n([
	testing.facts,
	{"message": {"mentioned": false, "rest": false, "directives": [directive]}},
	changes,
])

_verdict(facts, config) := verdict if {
	[verdict] := directives.result with input as facts with data.config as object.union(testing.config, config)
}

_codes(facts, config) := testing.codes(_verdict(facts, config).reasons)

test_accepted[name] if {
	some name, c in {
		"options are stored for the session, for a day": {"said": _exec({"ask": "always", "node": "mac-1"}), "want": {
			"action": "store",
			"values": {"ask": "always", "node": "mac-1"},
			"timeoutMs": 86400000,
		}},
		"a host that the configuration leaves open": {"said": _exec({"host": "node"}), "want": {
			"action": "store",
			"values": {"host": "node"},
			"timeoutMs": 86400000,
		}},
		"a level, in its usual word": {"said": _elevated("yes"), "want": {
			"action": "store",
			"values": {"elevated": "on"},
			"timeoutMs": 86400000,
		}},
		"the level off": {"said": _elevated("off"), "want": {
			"action": "store",
			"values": {"elevated": "off"},
			"timeoutMs": 86400000,
		}},
		"an answer": {"said": _approve(["abc", "ALLOW"]), "want": {"action": "answer", "id": "abc", "answer": "allow-once"}},
		"an answer, the decision first": {"said": _approve(["always", "abc"]), "want": {"action": "answer", "id": "abc", "answer": "allow-always"}},
	}
	_verdict(_message(c.said, {}), _open) == c.want
}

# APPROVALS-7
test_a_named_person_may_answer if {
	named := {"approvals": {"exec": {"people": {"alice": ["discord:123"]}}}}
	said := _approve(["abc", "allow"])
	_verdict(_message(said, {}), named) == {"action": "answer", "id": "abc", "answer": "allow-once", "person": "alice"}
	_codes(_message(said, {"sender": {"id": "124"}}), named) == {"directives.approver"}
	_verdict(_message(said, {"sender": {"id": "124"}}), object.union(named, {"approvals": {"exec": {"allowFrom": ["discord:124"]}}})) == {
		"action": "answer",
		"id": "abc",
		"answer": "allow-once",
	}
}

test_a_level_with_other_text_applies_to_the_message_only if {
	verdict := _verdict(_message(_elevated("full"), {"message": {"rest": true}}), _open)
	verdict == {"action": "inline", "values": {"elevated": "full"}}
}

test_the_time_is_configured if {
	_verdict(_message(_exec({"ask": "always"}), {}), object.union(_open, {"commands": {"timeout": 60000}})).timeoutMs == 60000
	_verdict(_message(_exec({"ask": "always"}), {}), object.union(_open, {"commands": {"timeout": 1000000000000}})).timeoutMs == 2592000000
}

test_the_current_values_say_where_they_come_from if {
	stored := {"sessionValues": {"state": "read", "own": {"ask": "always", "host": "node", "node": "mac-1"}}}
	verdict := _verdict(_message(_exec({}), stored), _open)
	verdict.action == "show"
	[[s.key, s.value, s.from] | some s in verdict.current] == [
		["host", "node", "session"],
		["security", "allowlist", "global"],
		["ask", "always", "session"],
		["node", "mac-1", "session"],
	]
}

test_the_current_level_says_where_it_comes_from[name] if {
	some name, c in {
		"nobody has set one": {"config": {}, "stored": "", "want": ["off", "default"]},
		"the configuration": {"config": {"agents": {"defaults": {"elevatedDefault": "ask"}}}, "stored": "", "want": ["ask", "global"]},
		"the session": {"config": {"agents": {"defaults": {"elevatedDefault": "ask"}}}, "stored": "full", "want": ["full", "session"]},
	}
	facts := _message(_elevated(""), {"sessionValues": {"state": "read", "own": {"elevated": c.stored}}})
	verdict := _verdict(facts, object.union(_open, c.config))
	[[s.value, s.from] | some s in verdict.current] == [c.want]
}

_stranger := {"sender": {"id": "9"}}

_group := {"group": {"channel": "discord", "ids": ["g1"]}}

test_refused[name] if {
	some name, c in {
		"an answer without a decision": {"said": _approve(["a"]), "changes": {}, "want": {"directives.answer"}},
		"an answer with a word too many": {"said": _approve(["a", "deny", "b"]), "changes": {}, "want": {"directives.answer"}},
		"an answer with another word": {"said": _approve(["a", "yes"]), "changes": {}, "want": {"directives.answer"}},
		"a level of a sender on no list": {"said": _elevated("full"), "changes": _stranger, "want": {"elevated.sender"}},
		"off of a sender on no list": {"said": _elevated("off"), "changes": _stranger, "want": {"elevated.sender"}},
		"the level, for a sender on no list": {"said": _elevated(""), "changes": _stranger, "want": {"elevated.sender"}},
		"a level of nobody": {"said": _elevated("on"), "changes": {"sender": {"channel": ""}}, "want": {"elevated.nobody"}},
		"an unknown level": {"said": _elevated("maximum"), "changes": {}, "want": {"elevated.level"}},
		"a session of another agent": {"said": _exec({}), "changes": {"caller": {"sessionAgent": "coder"}}, "want": {"agent.session"}},
		"no session": {"said": _exec({"ask": "always"}), "changes": {"session": {"key": ""}}, "want": {"directives.no_session"}},
		"a level for no session": {"said": _elevated("off"), "changes": {"session": {"key": ""}}, "want": {"directives.no_session"}},
		"an option twice": {"said": object.union(_exec({}), {"problem": "twice"}), "changes": {}, "want": {"directives.unreadable"}},
		"what is stored is unknown": {"said": _exec({"ask": "always"}), "changes": {"sessionValues": {"state": "unknown"}}, "want": {"exec.session_unknown"}},
	}
	_codes(_message(c.said, c.changes), _open) == c.want
}

test_in_a_group_a_directive_must_mention_the_agent_or_only_tighten[name] if {
	some name, c in {
		"a mention": {"said": _elevated("on"), "mentioned": true, "want": "store"},
		"security deny": {"said": _exec({"security": "deny"}), "mentioned": false, "want": "store"},
		"security deny and more": {"said": _exec({"security": "deny", "ask": "always"}), "mentioned": false, "want": "refuse"},
		"off": {"said": _elevated("off"), "mentioned": false, "want": "store"},
		"an answer": {"said": _approve(["a", "deny"]), "mentioned": false, "want": "answer"},
	}
	_verdict(_message(c.said, object.union(_group, {"message": {"mentioned": c.mentioned}})), _open).action == c.want
}

test_the_owner_needs_no_list_for_exec if {
	facts := _message(_exec({"ask": "always"}), {"sender": {"id": "9", "owner": true}})
	_verdict(facts, {}).action == "store"
}

test_every_closed_gate_is_named_at_once if {
	config := object.union(_open, {"tools": {"exec": {"host": "gateway", "node": "n1"}, "elevated": {"enabled": false}}})
	facts := _message(_exec({"host": "node", "node": "n2", "ask": "off", "security": "full"}), _stranger)
	_codes(facts, config) == {"directives.sender", "directives.host", "directives.node", "directives.loosens"}
	own := {"agents": {"main": {"tools": {"elevated": {"enabled": false, "allowFrom": ["discord:8"]}}}}}
	found := _verdict(_message(_elevated("on"), _stranger), object.union(config, own)).reasons
	{[r.code, r.source.path] | some r in found} == {
		["elevated.off", "tools.elevated.enabled"],
		["elevated.off", "agents.main.tools.elevated.enabled"],
		["elevated.sender", "tools.elevated.allowFrom"],
		["elevated.sender", "agents.main.tools.elevated.allowFrom"],
	}
}

test_a_value_is_compared_with_the_settings_of_its_host if {
	sandboxed := object.union(_open, {"agents": {"main": {"sandbox": {"mode": "all"}}}})
	facts := _message(_exec({"security": "allowlist"}), {"agent": {"sandboxed": true}})
	_codes(facts, object.union(sandboxed, {"agents": {"main": {"exec": {"security": "deny"}}}})) == {"directives.loosens"}
}

test_every_directive_has_a_verdict_of_its_own if {
	facts := object.union(testing.facts, {"message": {"directives": [_exec({"ask": "off"}), _elevated("on"), object.union(_blank, {"name": "other"})]}})
	verdicts := directives.result with input as facts with data.config as object.union(testing.config, _open)
	[v.action | some v in verdicts] == ["refuse", "store", "refuse"]
}

# STYLE: a missing fact permits nothing.
test_missing_facts_refuse[path] if {
	some path in [
		"caller/kind", "session/key", "sender/channel", "sender/id", "group/ids", "sessionValues/state",
		"message/directives/0/problem", "agent/id", "session", "sender", "caller",
	]
	facts := json.remove(_message(_exec({"ask": "always"}), {}), [path])
	verdict := _verdict(facts, _open)
	verdict.action == "refuse"
}
