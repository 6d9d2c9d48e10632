# Facts and configurations for the properties of the policy. Together they reach every effect
# and every layer.
package gavel.testing

_subagent := {"agent": {
	"id": "coder",
	"depth": 1,
	"maxDepth": 2,
	"parents": [object.union(blank.parent, {"id": "main"})],
}}

_subagent_of_strict := {"agent": {
	"id": "free",
	"depth": 1,
	"maxDepth": 2,
	"parents": [object.union(blank.parent, {"id": "main"})],
}}

_asking := {"exec": {"request": {"security": "allowlist", "ask": "always", "host": "gateway"}}}

_grouped := {"group": {"channel": "discord", "account": "work", "ids": ["g1:topic:7", "g1"]}}

_raised := object.union(segment("/usr/bin/rg"), {"wrappers": [object.union(wrapper("/usr/bin/sudo"), {"kind": "privilege"})]})

_scripted := object.union(wrapped("/usr/bin/rg", ["/bin/bash"]), {"scripts": [object.union(blank.script, {
	"role": "script",
	"path": "/usr/bin/rg",
	"real": "/usr/bin/rg",
	"device": "1",
	"inode": "2",
	"sha256": "ab",
	"found": true,
})]})

_stored(values) := {"sessionValues": {"state": "read", "own": values}}

_boxed(changes) := object.union_n([exec_facts, {"agent": {"sandboxed": true}}, changes])

_touch(changes) := object.union(blank.touch, changes)

# git COMMAND OPTION origin
_spoken(command, option) := object.union(segment("/usr/bin/git"), {
	"argv": ["git", command, option, "origin"],
	"subCommand": command,
	"commands": [command],
	"commandsKnown": "exact",
	"options": [{"name": option, "names": [option], "value": "", "hasValue": false, "dynamic": false, "known": true, "index": 2}],
	"operands": [{"text": "origin", "path": "/srv/app/origin", "real": "/srv/app/origin", "dynamic": false, "index": 3}],
})

_rules := [
	{"program": "git", "commands": ["log"], "options": {"-p": "any"}, "operands": ["orig*"], "effect": "allow"},
	{"program": "git", "commands": ["push"], "operands": ["origin"], "effect": "ask", "approvers": ["a"], "quorum": 2},
	{"program": "/usr/bin/git", "commands": ["push"], "options": ["-f"], "effect": "deny"},
]

_typed := object.union(exec_facts.exec, {"request": {"host": "gateway", "declined": true}})

# METADATA
# description: complete facts of calls of every kind
samples := {
	"a call to read": facts,
	"a call to read in a group": object.union(facts, _grouped),
	"a tool with credentials": credential({}),
	"blocked arguments for a tool with credentials": credential({
		"words": ["repo", "delete"],
		"blocked": [object.union(blank.credentialRule, {"match": "arg", "pattern": "^delete$", "message": "no delete"})],
	}),
	"listed arguments for a tool with credentials": credential({
		"allowlist": true,
		"args": ["pr", "view"],
		"quoted": "pr view",
		"allowed": [object.union(blank.credentialRule, {"match": "command", "pattern": `^pr\s+view`})],
	}),
	"a session with values that directives have set": object.union(exec_facts, {"sessionValues": {
		"state": "read",
		"own": {"security": "allowlist", "ask": "on-miss", "host": "gateway", "node": "", "elevated": "off"},
		"others": [{"security": "full", "ask": "off", "host": "", "node": "", "elevated": ""}],
	}}),
	"a session in which a directive forbids commands": object.union(exec_facts, _stored({"security": "deny", "ask": "always"})),
	"a session that may be one in which a directive forbids commands": object.union(exec_facts, {"sessionValues": {
		"state": "read",
		"others": [object.union(blank.storedValues, {"security": "deny"})],
	}}),
	"a session whose values cannot be read": object.union(exec_facts, {"sessionValues": {"state": "unknown"}}),
	"a command of an elevated session": _boxed({"session": {"elevated": "full"}}),
	"a command of a session that a directive has elevated": _boxed(_stored({"elevated": "on"})),
	"a command that a message elevates": _boxed({"session": {"elevated": "off", "inline": "full"}}),
	"a command that asks to be elevated": _boxed({"exec": {"request": {"elevated": true}}}),
	"a command of an elevated session with somebody else": _boxed({"session": {"elevated": "full"}, "sender": {"id": "9"}}),
	"a command of an elevated session in which a directive forbids commands": _boxed(object.union(
		{"session": {"elevated": "full"}},
		_stored({"security": "deny"}),
	)),
	"a call to cron by the owner": object.union(tool("cron"), {"sender": {"owner": true}}),
	"a call to read by a subagent": object.union(facts, _subagent),
	"a call to write in a sandbox": object.union(tool("write"), {"agent": {"sandboxed": true}}),
	"a call to write of a file of Gavel's": object.union(facts, {"touches": [_touch({
		"kind": "state",
		"access": "write",
		"given": "t",
		"real": "/var/gavel/t",
	})]}),
	"a call to read of settings": object.union(facts, {"touches": [_touch({
		"kind": "host",
		"access": "read",
		"given": ".git/config",
		"real": "/srv/app/.git/config",
	})]}),
	"a command given a directory around Gavel's files": object.union(exec_facts, {"touches": [_touch({
		"kind": "state",
		"access": "read",
		"given": "/home",
		"real": "/home",
		"holds": true,
		"program": "rg",
	})]}),
	"a command next to a protected location": object.union(exec_facts, {"touches": [_touch({
		"kind": "state",
		"access": "read",
		"given": "/home",
		"real": "/home",
		"holds": true,
		"program": "ls",
	})]}),
	"a call to a parameter that is not read": object.union(facts, {"tool": {"parameters": ["file_path", "path"]}}),
	"a call that exceeded a limit": object.union(facts, {"exceeded": ["path"]}),
	"a session that is looked at": typing("poll", "none", {}),
	"a line for a shell": object.union(typing("write", "line", {"shell": "bash", "program": "/bin/bash", "waiting": true}), {"exec": _typed}),
	"a line for a shell that is asked about": object.union(
		typing("write", "line", {"shell": "bash", "program": "/bin/bash", "waiting": true}),
		{"exec": object.union(_typed, {"segments": [segment("/usr/bin/vi")]})},
	),
	"input for a program": typing("write", "text", {}),
	"a key that interrupts": typing("send-keys", "keys", {"keys": ["C-c"]}),
	"a command that starts elsewhere": execution({"workdir": "/opt", "directory": "/opt"}),
	"a call to a plugin's tool": object.union(tool("lobster"), {"plugins": {"crabs": ["lobster"]}}),
	"an allowlisted command": exec_facts,
	"an allowlisted pipeline": programs(["/usr/bin/rg", "/usr/bin/head"]),
	"a read of a large file": object.union(facts, {"resources": [object.union(file("read", "/srv/app/a"), {"size": 2000})]}),
	"a read of a file whose size is unknown": object.union(facts, {"resources": [object.union(file("read", "/srv/app/a"), {"sized": false})]}),
	"a write of a file with other names": object.union(tool("write"), {"resources": [object.union(file("write", "/srv/app/a"), {"names": 2})]}),
	"a patch": object.union(tool("apply_patch"), {"tool": {"parameters": ["input"]}, "resources": [file("write", "/srv/app/a")]}),
	"a patch outside the workspace": object.union(tool("apply_patch"), {"tool": {"parameters": ["input"]}, "resources": [file("write", "/opt/a")]}),
	"a command with a hazard": execution({"segments": [hazardous("/usr/bin/rg", "runs", "--pre")]}),
	"a command with a hazard that passes": execution({"segments": [hazardous("/usr/bin/rg", "project", "run")]}),
	"a command with a hazard that is listed": execution({"segments": [hazardous("/usr/bin/h", "writes", "-o")]}),
	"a command that a rule permits": execution({"segments": [_spoken("log", "-p")]}),
	"a command that a rule asks about": execution({"segments": [_spoken("push", "-u")]}),
	"a command that a rule denies": execution({"segments": [_spoken("push", "-f")]}),
	"a command that is not allowlisted": programs(["/usr/bin/vi"]),
	"a command through a wrapper": execution({"segments": [wrapped("/usr/bin/rg", ["/usr/bin/nice"])]}),
	"a command through an untrusted wrapper": execution({"segments": [wrapped("/usr/bin/rg", ["/tmp/nice"])]}),
	"a command through a wrapper that raises rights": execution({"segments": [_raised]}),
	"a command with a word that is made": execution({"segments": [object.union(segment("/usr/bin/rg"), {"dynamic": [1]})]}),
	"the program of a skill": object.union(
		execution({"segments": [skilled("/opt/skills/gog")]}),
		filed({"autoAllowSkills": "true"}),
	),
	"the program of a skill that was changed": execution({"segments": [object.union(skilled("/opt/skills/gog"), {"skill": {"content": "00"}})]}),
	"a script that a shell is given": execution({"segments": [_scripted]}),
	"a wrapper that was not understood": execution({"segments": [object.union(segment("/usr/bin/rg"), {"opaque": "env -S"})]}),
	"a command that was not found": execution({"segments": [lost("zz")]}),
	"a safe bin": execution({"segments": [filter("wc", ["-l"])]}),
	"a safe bin with an operand": execution({"segments": [filtering("tr", "a")]}),
	"a safe bin with a file": execution({"segments": [filtering("wc", "f")]}),
	"a safe bin with a program": execution({"segments": [object.union(
		filtering("jq", ".a"),
		{"class": {"filter": {"parsed": true, "names": ["map"]}}},
	)]}),
	"a safe bin through a wrapper": execution({"segments": [object.union(filter("wc", []), {"wrappers": [wrapper("/usr/bin/nice")]})]}),
	"a command that was refused": refused("redirect"),
	"a call to canvas by a subagent whose parent is stricter": object.union(tool("canvas"), _subagent_of_strict),
	"a command of a subagent": object.union(exec_facts, _subagent),
	"a command that asks to be asked about": object.union(exec_facts, _asking),
	"a command of a session with settings": command({"session": {"exec": {"security": "allowlist", "ask": "on-miss"}}}),
	"a command with a variable": execution({"env": ["NO_COLOR"]}),
	"a command that a person approved": object.union(programs(["/usr/bin/vi"]), answered("allow-once")),
	"a command that a person denied": object.union(exec_facts, answered("deny")),
	"a command that nobody answered": object.union(exec_facts, lapsed("timeout")),
	"a command that was seen": object.union(exec_facts, {"approval": {"looked": true, "bound": binding, "seen": "allow-always"}}),
	"a command that cannot be bound": object.union(exec_facts, {"approval": {"looked": true}}),
	"a command under a stricter file": object.union(exec_facts, filed({"security": "allowlist", "ask": "always", "askFallback": "deny"})),
	"a command that the file lists": execution({"segments": [listed("/usr/bin/vi")]}),
	"a command with a file that is refused": object.union(exec_facts, {"approvalsFile": {"state": "refused"}}),
	"a command that was looked up elsewhere": command({"environment": {"pathPrepend": ["/opt/a"]}}),
	"a call that a verifier allowed": object.union(facts, _verified("allowed")),
	"a command that no verifier could be asked about": object.union(exec_facts, _verified("unreachable")),
	"a command that a verifier denied": object.union(exec_facts, _verified("denied")),
	"a command in a sandbox": command({"agent": {"sandboxed": true}, "session": {"elevated": "off", "inline": "off"}}),
}

_verified(outcome) := {"verification": {"asked": true, "answers": [{"verifier": "webhook", "outcome": outcome, "detail": "d"}]}}

_verifier := {
	"enabled": true,
	"failMode": "allow",
	"scope": {"include": ["read", "exec"]},
	"timeout": 60,
	"remember": 30,
	"redact": ["/name"],
	"agentOverrides": ["url"],
	"webhook": {"url": "https://v.example/verify", "secret": "${SECRET}", "timeout": 20, "requireRequestIdEcho": true},
}

_agents := {
	"defaults": {"tools": {"alsoAllow": ["lobster"], "deny": ["tts"]}},
	"main": {"tools": {"profile": "full", "deny": ["canvas"]}},
	"free": {"tools": {"profile": "full", "alsoAllow": ["canvas"]}},
	"coder": {
		"tools": {"profile": "coding", "allow": ["read", "exec"]},
		"exec": {"allowlist": ["/usr/bin/rg"]},
		"subagents": {"maxSpawnDepth": 2},
	},
}

_exec(security, ask) := {
	"host": "gateway",
	"security": security,
	"ask": ask,
	"askFallback": "allowlist",
	"allowlist": ["/usr/bin/rg", {"pattern": "/usr/bin/h*", "args": ["-o"]}],
	"applyPatch": {"enabled": true, "impliedBy": "exec"},
	"safeBins": ["jq", "mine", "tr", "wc"],
	"safeBinTrustedDirs": ["/opt/bin"],
	"safeBinProfiles": {
		"wc": {"deniedFlags": ["-m"]},
		"mine": {"allowedFlags": ["-v"], "allowedValueFlags": ["-n"], "deniedFlags": ["-f"], "maxPositional": 1},
	},
	"strictInlineEval": true,
	"autoAllowSkills": true,
}

# METADATA
# description: valid configurations that admit the samples' agents
configurations := {
	"allowlist that asks": {
		"tools": {
			"profile": "full",
			"alsoAllow": ["cron", "lobster"],
			"deny": ["gateway"],
			"exec": _exec("allowlist", "on-miss"),
			"byProvider": {"openai": {"profile": "full", "alsoAllow": ["lobster"], "deny": ["nodes"]}},
		},
		"agents": _agents,
		"channels": {"discord": {"accounts": {"work": {"groups": {"g1": {
			"tools": {"deny": ["exec"]},
			"toolsBySender": {"id:123": {"allow": ["read"]}},
		}}}}}},
	},
	"allowlist that is silent": {
		"tools": {
			"exec": object.union(_exec("allowlist", "off"), {"rules": _rules}),
			"sandbox": {"tools": {"allow": ["write", "exec"], "deny": ["browser"]}},
			"read": {"maxSizeBytes": 1000},
			"write": {"deny": ["/etc/**"], "maxSizeBytes": 1000},
		},
		"agents": _agents,
		"sandboxing": {"mode": "off", "workspaceAccess": "rw"},
	},
	"full without questions": {
		"tools": {"exec": object.union(_exec("full", "off"), {
			"fullAskOnMiss": "never",
			"rules": _rules,
			"applyPatch": {"workspaceOnly": false},
		})},
		"agents": _agents,
	},
	"full that asks": {
		"tools": {
			"exec": object.union(_exec("full", "on-miss"), {"fullAskOnMiss": "unseen"}),
			"subagents": {"tools": {"allow": ["read", "exec"], "deny": ["process"]}},
			"pluginOnlyAllowlist": "strip",
		},
		"agents": _agents,
	},
	"deny": {"tools": {"exec": _exec("deny", "always")}, "agents": _agents},
	"elevated": {
		"tools": {
			"exec": object.union(_exec("full", "off"), {"host": "sandbox", "fullAskOnMiss": "never"}),
			"elevated": {"enabled": true, "allowFrom": ["discord:123", "name:alice"]},
		},
		"agents": object.union(_agents, {"defaults": {"elevatedDefault": "ask"}, "main": {"tools": {"elevated": {"enabled": true, "allowFrom": ["id:123"]}}}}),
	},
	"verified": {
		"tools": {"exec": object.union(_exec("full", "off"), {"fullAskOnMiss": "never"}), "verifier": _verifier},
		"agents": object.union(_agents, {"free": {"tools": {"verifier": {
			"enabled": true,
			"failMode": "deny",
			"scope": {"exclude": ["canvas"]},
			"webhook": {"url": "https://w.example", "timeout": 5},
		}}}}),
	},
}
