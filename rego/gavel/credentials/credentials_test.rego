package gavel.credentials_test

import data.gavel.credentials
import data.gavel.testing

_rule(changes) := object.union_n([testing.blank.credentialRule, {"match": "arg"}, changes])

_verdict(changes, tools) := {"deny": testing.codes(denied), "ask": testing.codes(asked), "permit": permitted} if {
	facts := testing.credential(changes)
	config := object.union(testing.config, {"tools": {"credential": tools}})
	denied := credentials.deny with input as facts with data.config as config
	asked := credentials.ask with input as facts with data.config as config
	permitted := credentials.permit with input as facts with data.config as config
}

default _empty(_) := false

_empty(codes) if codes == set()

test_verdicts[name] if {
	some name, c in {
		"a tool of wrappers.yaml": {"facts": {}, "tools": {}, "codes": set()},
		"what was not described completely": {"facts": {"complete": false}, "tools": {}, "codes": {"credentials.unread"}},
		"a rule that nobody knows": {"facts": {"blocked": [_rule({"match": "glob"})]}, "tools": {}, "codes": {"credentials.unread"}},
		"a denied tool": {"facts": {}, "tools": {"deny": ["gh"]}, "codes": {"credentials.denied"}},
		"every tool is denied": {"facts": {}, "tools": {"deny": ["*"]}, "codes": {"credentials.denied"}},
		"another tool is denied": {"facts": {}, "tools": {"deny": ["aws"]}, "codes": set()},
		"the tool is allowed": {"facts": {}, "tools": {"allow": ["gh"]}, "codes": set()},
		"another tool is allowed": {"facts": {}, "tools": {"allow": ["aws"]}, "codes": {"credentials.not_allowed"}},
		"no tool is allowed": {"facts": {}, "tools": {"allow": []}, "codes": {"credentials.not_allowed"}},
		"a variable that redirects (W6)": {"facts": {"env": ["PATH"]}, "tools": {}, "codes": {"credentials.variable"}},
		"a variable by its beginning": {"facts": {"env": ["GIT_SSH"]}, "tools": {}, "codes": {"credentials.variable"}},
		"a variable by its end": {"facts": {"env": ["PSQL_EDITOR"]}, "tools": {}, "codes": {"credentials.variable"}},
		"a variable in another case": {"facts": {"env": ["Https_Proxy"]}, "tools": {}, "codes": {"credentials.variable"}},
		"a variable that no call may set": {"facts": {"env": ["PGHOST"]}, "tools": {}, "codes": {"credentials.variable"}},
		"the same by its beginning": {"facts": {"env": ["COMPOSE_FILE"]}, "tools": {}, "codes": {"credentials.variable"}},
		"the same by its end": {"facts": {"env": ["X_WRAPPER"]}, "tools": {}, "codes": {"credentials.variable"}},
		"one that a tool may list": {"facts": {"env": ["TMPDIR"]}, "tools": {}, "codes": set()},
		"a variable that does not": {"facts": {"env": ["TZ"]}, "tools": {}, "codes": set()},
		"blocked arguments": {"facts": {"blocked": [_rule({"pattern": "^delete$"})], "words": ["delete"]}, "tools": {}, "codes": {"credentials.blocked"}},
		"a pattern that nobody can read": {"facts": {"blocked": [_rule({"pattern": "("})]}, "tools": {}, "codes": {"credentials.unread"}},
		"arguments that are not listed": {"facts": {"allowlist": true, "allowed": [_rule({"pattern": "^list$"})]}, "tools": {}, "codes": {"credentials.not_listed"}},
		"an allowlist without rules": {"facts": {"allowlist": true}, "tools": {}, "codes": {"credentials.not_listed"}},
		"a line that a rule does not block": {"facts": {"blocked": [_rule({"match": "command", "pattern": "^delete"})], "lines": ["list"]}, "tools": {}, "codes": set()},
		"listed arguments that are blocked, too": {
			"facts": {"allowlist": true, "leading": ["list"], "words": ["list"], "allowed": [_rule({"pattern": "^list$"})], "blocked": [_rule({"pattern": "^list$"})]},
			"tools": {},
			"codes": {"credentials.blocked"},
		},
		"a listed tool that is denied": {
			"facts": {"allowlist": true, "leading": ["list"], "allowed": [_rule({"pattern": "^list$"})]},
			"tools": {"deny": ["gh"]},
			"codes": {"credentials.denied"},
		},
		"listed arguments": {"facts": {"allowlist": true, "leading": ["list"], "allowed": [_rule({"pattern": "^list$"})]}, "tools": {}, "codes": set()},
	}
	v := _verdict(c.facts, c.tools)
	v.deny == c.codes
	v.ask == set()
	v.permit == _empty(c.codes)
}

test_a_person_is_asked_about_a_tool[name] if {
	some name, c in {
		"by name": {"tools": {"ask": ["gh"]}, "codes": {"credentials.ask"}},
		"about every tool": {"tools": {"ask": ["*"]}, "codes": {"credentials.ask"}},
		"about another tool": {"tools": {"ask": ["aws"]}, "codes": set()},
	}
	_verdict({}, c.tools).ask == c.codes
}

test_the_agents_own_lists_count_too if {
	config := object.union(testing.config, {"agents": {"main": {"tools": {"credential": {"deny": ["gh"]}}}}})
	found := credentials.deny with input as testing.credential({}) with data.config as config
	testing.codes(found) == {"credentials.denied"}
}

test_missing_facts_deny if {
	facts := json.remove(testing.credential({}), ["credential"])
	found := credentials.deny with input as facts with data.config as testing.config
	"credentials.unread" in testing.codes(found)
	permitted := credentials.permit with input as facts with data.config as testing.config
	permitted == false
}

test_each_fact_is_required[name] if {
	some name in ["complete", "tool", "args", "words", "lines", "blocked", "env", "unlisted", "allowlist"]
	facts := json.remove(testing.credential({"allowlist": false}), [sprintf("credential/%s", [name])])
	permitted := credentials.permit with input as facts with data.config as testing.config
	permitted == false
}

test_facts_that_cannot_be_read_are_reported[name] if {
	some name, value in {"tool": "", "args": null, "words": "a", "lines": {}, "blocked": {}, "env": null, "unlisted": null}
	facts := json.patch(testing.credential({}), [{"op": "replace", "path": sprintf("/credential/%s", [name]), "value": value}])
	found := credentials.deny with input as facts with data.config as testing.config
	"credentials.unread" in testing.codes(found)
}

test_without_a_stated_mode_the_tool_has_an_allowlist[name] if {
	some name, c in {
		"listed": {"leading": ["list"], "codes": set()},
		"not listed": {"leading": ["delete"], "codes": {"credentials.not_listed"}},
	}
	facts := json.remove(testing.credential({"leading": c.leading, "allowed": [_rule({"pattern": "^list$"})]}), ["credential/allowlist"])
	found := credentials.deny with input as facts with data.config as testing.config
	testing.codes(found) == c.codes
	permitted := credentials.permit with input as facts with data.config as testing.config
	permitted == false
}

test_lists_hold_for_a_tool_without_a_name if {
	config := object.union(testing.config, {"tools": {"credential": {"deny": ["*"], "allow": []}}})
	found := credentials.deny with input as json.remove(testing.credential({}), ["credential/tool"]) with data.config as config
	{"credentials.denied", "credentials.not_allowed", "credentials.unread"} == testing.codes(found)
}

test_the_reason_names_the_tool if {
	some r in credentials.because with input as testing.credential({}) with data.config as testing.config
	r.code == "credentials.permitted"
	contains(r.message, "gh")
}
