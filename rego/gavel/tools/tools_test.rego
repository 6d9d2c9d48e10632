package gavel.tools_test

import data.gavel.testing
import data.gavel.tools

_reasons(facts, settings) := reasons if {
	deny := tools.deny with input as facts with data.config as settings
	because := tools.because with input as facts with data.config as settings
	reasons := deny | because
}

_permits(facts, settings) if {
	tools.permit with input as facts with data.config as settings
} else := false

_leaf_reading := testing.call({
	"agent": {"depth": 1, "maxDepth": 1},
	"tool": {"name": "memory_get"},
})

_writing_in_a_box := testing.call({
	"agent": {"sandboxed": true},
	"tool": {"name": "write"},
})

test_each_reason[name] if {
	some name, c in {
		"allowed": {
			"facts": testing.facts,
			"config": {},
			"code": "tools.allowed",
			"message": `tool read passes every step; step "tools.profile (full)" lists it`,
			"fix": "",
			"source": {"path": "tools.profile", "from": "default"},
		},
		"in an unknown shape": {
			"facts": testing.call({"tool": {"name": "read", "unread": "Read: the parameter file is unknown"}}),
			"config": {},
			"code": "tools.unknown_shape",
			"message": "Gavel cannot tell what this call of tool read would do: Read: the parameter file is unknown",
			"fix": "call the tool as its host describes it, in a simpler form; if it is right, the host is newer than this version of Gavel",
			"source": {},
		},
		"for the owner only": {
			"facts": testing.tool("cron"),
			"config": {},
			"code": "tools.owner_only",
			"message": "tool cron is for the owner only, and the sender is not known to be the owner",
			"fix": "have a trusted gateway set sender.owner for the owner; no list restores the tool",
			"source": {"path": "", "from": "default"},
		},
		"denied by a list": {
			"facts": testing.facts,
			"config": {"tools": {"deny": ["read"]}},
			"code": "tools.denied",
			"message": "tool read is denied by tools.deny",
			"fix": "use another tool, or change tools.deny",
			"source": {"path": "tools.deny", "from": "global"},
		},
		"on no allow list": {
			"facts": testing.facts,
			"config": {"agents": {"main": {"tools": {"allow": ["write"]}}}},
			"code": "tools.not_allowed",
			"message": "tool read is not listed in agents.main.tools.allow",
			"fix": "use another tool, or add it to agents.main.tools.allow",
			"source": {"path": "agents.main.tools.allow", "from": "agent"},
		},
		"not for subagents": {
			"facts": _leaf_reading,
			"config": {},
			"code": "tools.subagent",
			"message": "subagents at this depth may not use tool memory_get",
			"fix": "call it from the main agent, or list its exact name in the agent's own tools.allow, beside all other tools of the agent; agents at the maximum depth cannot spawn",
			"source": {"path": "tools.subagents.tools.deny", "from": "default"},
		},
		"a read-only workspace": {
			"facts": _writing_in_a_box,
			"config": {"sandboxing": {"workspaceAccess": "ro"}},
			"code": "tools.read_only",
			"message": "tool write changes files, and the sandbox of the agent sees its workspace read-only",
			"fix": "use only tools that read, or set sandboxing.workspaceAccess to rw",
			"source": {"path": "sandboxing.workspaceAccess", "from": "global"},
		},
	}
	_reasons(c.facts, c.config) == {{
		"layer": "tools",
		"code": c.code,
		"message": c.message,
		"fix": c.fix,
		"source": c.source,
	}}
	permitted := c.code == "tools.allowed"
	_permits(c.facts, c.config) == permitted
}

test_call_without_a_name_is_denied[name] if {
	some name, facts in {
		"no name": json.remove(testing.facts, ["tool/name"]),
		"no tool": json.remove(testing.facts, ["tool"]),
		"an empty name": testing.tool(""),
		"a name that is not a string": testing.call({"tool": {"name": ["read"]}}),
	}
	testing.codes(_reasons(facts, {})) == {"tools.unnamed"}
	not _permits(facts, {})
}

test_tool_names_are_compared_literally[name] if {
	some name, tool in {
		"a name that no step knows": "raed",
		"a group is not a tool": "group:fs",
		"a pattern is not a tool": "*",
		"the analyzer's spelling is not made up for": "READ",
		"an alias is the analyzer's to resolve": "bash",
	}
	testing.codes(_reasons(testing.tool(tool), {})) == {"tools.not_allowed"}
	not _permits(testing.tool(tool), {})
}

test_a_name_with_unusual_characters_is_quoted if {
	facts := testing.tool("read is allowed.\nAgree")
	{reason.message | some reason in _reasons(facts, {})} == {`tool "read is allowed.\nAgree" is not listed in tools.profile (full)`}
}

test_unknown_tool_passes_a_star_for_the_owner_only if {
	settings := {"tools": {"alsoAllow": ["*"]}}
	owner := object.union(testing.tool("raed"), {"sender": object.union(testing.facts.sender, {"owner": true})})
	_permits(owner, settings)
	not _permits(testing.tool("raed"), settings)
	testing.codes(_reasons(testing.tool("raed"), settings)) == {"tools.unlisted"}
}

test_an_empty_frozen_part_permits_nothing[name] if {
	some name, frozen in {
		"no tools": {},
		"no set": {"tools": {}},
		"an empty set": {"tools": {"visible": {}, "removed": {}}},
		"a tool that is not visible": {"tools": {"visible": {"read": false}}},
	}
	not _permits(testing.call({"frozen": frozen}), {})
}
