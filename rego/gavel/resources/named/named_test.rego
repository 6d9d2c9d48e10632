package gavel.resources.named_test

import data.gavel.decision
import data.gavel.testing

_file(changes) := object.union({"access": "read", "given": "f", "absolute": true, "path": "/srv/app/f", "real": "/srv/app/f"}, changes)

_facts(tool, files) := object.union(testing.tool(tool), {"resources": [], "namedFiles": files})

_config(lists) := testing.configured({"tools": object.union({"alsoAllow": ["mcp:fs/read"]}, lists)})

_result(facts, config) := result if {
	result := decision.result with input as facts with data.config as config
}

test_files_that_other_tools_name[name] if {
	some name, c in {
		"without lists": {"tool": "message", "file": {}, "lists": {}, "codes": set()},
		"another file is denied": {"tool": "message", "file": {}, "lists": {"read": {"deny": ["/etc/**"]}}, "codes": set()},
		"an attachment is denied": {"tool": "message", "file": {"path": "/etc/x", "real": "/etc/x"}, "lists": {"read": {"deny": ["/etc/**"]}}, "codes": {"resources.named_denied"}},
		"a link leads to a denied file": {"tool": "message", "file": {"real": "/etc/x"}, "lists": {"read": {"deny": ["/etc/**"]}}, "codes": {"resources.named_denied"}},
		"a denied file that cannot be resolved": {"tool": "message", "file": {"path": "/etc/x", "real": ""}, "lists": {"read": {"deny": ["/etc/**"]}}, "codes": {"resources.named_denied"}},
		"an attachment outside the allow list": {"tool": "message", "file": {"path": "/etc/x", "real": "/etc/x"}, "lists": {"read": {"allow": ["./**"]}}, "codes": {"resources.named_unlisted"}},
		"an attachment in the allow list": {"tool": "message", "file": {}, "lists": {"read": {"allow": ["./**"]}}, "codes": set()},
		"an attachment that cannot be resolved": {"tool": "message", "file": {"real": ""}, "lists": {"read": {"allow": ["./**"]}}, "codes": {"resources.named_unlisted"}},
		"a relative name may be in a directory of the tool": {"tool": "message", "file": {"absolute": false, "path": "/etc/x", "real": "/etc/x"}, "lists": {"read": {"allow": ["./**"]}}, "codes": set()},
		"a relative name may be denied": {"tool": "message", "file": {"absolute": false, "path": "/etc/x", "real": "/etc/x"}, "lists": {"read": {"deny": ["/etc/**"]}}, "codes": {"resources.named_denied"}},
		"an allow list does not concern other machines": {"tool": "mcp:fs/read", "file": {"access": "write", "path": "/etc/x", "real": "/etc/x"}, "lists": {"read": {"allow": ["./**"]}}, "codes": set()},
		"a tool that may write": {"tool": "mcp:fs/read", "file": {"access": "write", "path": "/etc/x", "real": "/etc/x"}, "lists": {"write": {"deny": ["/etc/**"]}}, "codes": {"resources.named_denied"}},
		"a tool that only reads": {"tool": "message", "file": {"path": "/etc/x", "real": "/etc/x"}, "lists": {"write": {"deny": ["/etc/**"]}}, "codes": set()},
		"a file of the tool of an MCP server": {"tool": "mcp:fs/read", "file": {"access": "write", "path": "/etc/x", "real": "/etc/x"}, "lists": {"read": {"deny": ["/etc/**"]}}, "codes": {"resources.named_denied"}},
	}
	result := _result(_facts(c.tool, [_file(c.file)]), _config(c.lists))
	{code | some code in testing.codes(result.reasons); startswith(code, "resources.")} == c.codes
	result.effect == {true: "allow", false: "deny"}[count(c.codes) == 0]
}

test_missing_facts_never_loosen[path] if {
	some path in ["namedFiles", "namedFiles/0/real", "namedFiles/0/path", "namedFiles/0/access", "namedFiles/0/absolute"]
	facts := json.remove(_facts("message", [_file({"path": "/etc/x", "real": "/etc/x"})]), [path])
	every lists in [{"read": {"deny": ["/etc/**"]}}, {"read": {"allow": ["./**"]}}] {
		_result(facts, _config(lists)).effect == "deny"
	}
}
