package gavel.decision.layers_test

import data.gavel.decision.layers
import data.gavel.testing

test_verdicts_of_a_command if {
	verdicts := layers.explained with input as _vi with data.config as testing.config
	{layer | some layer, verdict in verdicts; verdict.required} == {"agent", "tools", "exec", "approvals"}
	{layer | some layer, verdict in verdicts; verdict.permit} == {"agent", "tools", "approvals"}
	testing.codes(verdicts.exec.ask) == {"exec.allowlist_miss"}
}

test_verdicts_of_another_tool if {
	verdicts := layers.explained with input as testing.tool("write") with data.config as testing.config
	{layer | some layer, verdict in verdicts; verdict.required} == {"agent", "tools"}
	verdicts.exec.deny == set()
}

test_verdicts_of_a_file_tool_where_lists_are_set if {
	settings := object.union(testing.config, {"tools": {"read": {"allow": ["/srv/**"]}}})
	verdicts := layers.explained with input as testing.facts with data.config as settings
	{layer | some layer, verdict in verdicts; verdict.required} == {"agent", "tools", "resources"}
}

test_limits_are_judged_where_no_list_is_set[name] if {
	some name, c in {
		"a read, whose size has a default": {"tool": "read", "tools": {}, "judged": true},
		"a patch, which stays in the workspace": {"tool": "apply_patch", "tools": {}, "judged": true},
		"a patch that may leave it": {"tool": "apply_patch", "tools": {"exec": {"applyPatch": {"workspaceOnly": false}}}, "judged": false},
		"a write without a limit": {"tool": "write", "tools": {}, "judged": false},
		"a write with one": {"tool": "write", "tools": {"write": {"maxSizeBytes": 1}}, "judged": true},
	}
	idle := layers.skipped with input as testing.tool(c.tool) with data.config as object.union(testing.config, {"tools": c.tools})
	not "resources" in (idle == c.judged)
}

test_verdicts_of_a_tool_without_files if {
	verdicts := layers.explained with input as testing.tool("web_search") with data.config as testing.config
	{layer | some layer, verdict in verdicts; verdict.required} == {"agent", "tools"}
}

_vi := testing.programs(["/usr/bin/vi"])

_boxed := object.union(_vi, {"agent": {"sandboxed": true}})

_names := {layer.name | some layer in layers.table}

# Without a verifier that must agree.
_inner := _names - {"verifier"}

test_exactly_the_layers_of_the_table_have_a_verdict if {
	says := layers.verdict with input as _vi with data.config as testing.config
	object.keys(says) == _names
}

# An undefined member would remove the whole layer from the table.
test_every_verdict_has_every_member[name] if {
	some name, facts in {"a command": _vi, "another tool": testing.facts, "no facts at all": {}}
	says := layers.verdict with input as facts with data.config as testing.config
	every layer in _names {
		object.keys(says[layer]) == {"deny", "ask", "permit", "because"}
		is_boolean(says[layer].permit)
	}
}

_applying(facts) := {layer.name | some layer in found} if {
	found := layers.applicable with input as facts with data.config as testing.config
}

test_layers_that_apply[name] if {
	some name, c in {
		"to a command": {"facts": _vi, "layers": _inner - {"credentials", "resources", "elevated"}},
		"to a command of an agent in a sandbox": {"facts": _boxed, "layers": _inner - {"credentials", "resources"}},
		"to a command of an agent that may be in a sandbox": {"facts": json.remove(_vi, ["agent/sandboxed"]), "layers": _inner - {"credentials", "resources"}},
		"to another tool": {"facts": testing.tool("web_search"), "layers": _inner - {"credentials", "resources", "exec", "approvals", "elevated"}},
		"to another tool, about which a person was asked": {
			"facts": object.union(testing.tool("web_search"), testing.answered("deny")),
			"layers": _inner - {"credentials", "resources", "exec", "elevated"},
		},
		"to a call without a name": {"facts": json.remove(testing.facts, ["tool/name"]), "layers": _inner - {"elevated"}},
		"to a tool that opens URLs": {"facts": testing.tool("web_fetch"), "layers": _inner - {"credentials", "exec", "approvals", "elevated"}},
		"where nobody says whether a person was asked": {
			"facts": json.remove(testing.tool("web_search"), ["approval"]),
			"layers": _inner - {"credentials", "resources", "exec", "elevated"},
		},
		"to a tool with credentials": {"facts": testing.credential({}), "layers": _inner - {"resources", "exec", "approvals", "elevated"}},
		"to nothing": {"facts": {}, "layers": _inner},
	}
	_applying(c.facts) == c.layers
}

test_an_answer_about_another_tool_is_judged_by_layer_approvals[answer] if {
	some answer, permit in {"deny": true, "allow-once": true}
	verdicts := layers.explained with input as object.union(testing.facts, testing.answered(answer)) with data.config as testing.config
	verdicts.approvals.permit == permit
	testing.codes(verdicts.approvals.deny | verdicts.approvals.because) == {{"deny": "approvals.denied", "allow-once": "approvals.approved"}[answer]}
}

test_the_verifiers_apply_where_the_configuration_has_some if {
	settings := object.union(testing.config, {"tools": {"verifier": {"webhook": {"url": "https://v.example"}}}})
	verdicts := layers.explained with input as testing.facts with data.config as settings
	verdicts.verifier.required
	not verdicts.verifier.permit
	inner := layers.before_verifiers with input as testing.facts with data.config as settings
	not "verifier" in {layer.name | some layer in inner}
}
