# METADATA
# title: Fixtures
# description: |
#   Facts that the policy's tests share: complete facts, and small changes to them. Every test
#   starts from complete facts and says what it changes. Which facts there are is generated,
#   in blank: a fixture says only what is not empty.
package gavel.testing

# METADATA
# description: complete facts of a call to read, by an agent outside a sandbox
facts := object.union(blank.facts, {
	"caller": {
		"kind": "gateway",
		"agents": ["*"],
		"inSession": true,
		"sessionAgent": "main",
		"claims": ["depth", "environment", "group", "model", "parents", "sandboxed", "sender"],
	},
	"stated": {"model": true, "group": true, "depth": true, "sandboxed": true, "sender": true, "byGateway": true},
	"agent": {"id": "main"},
	"session": {"key": "agent:main:main"},
	"model": {"provider": "openai", "id": "gpt-5.2"},
	"sender": {
		"channel": "discord",
		"id": "123",
		"name": "alice",
		"username": "alice99",
		"tag": "alice#1234",
		"from": "alice@corp",
		"e164": "+15551234567",
	},
	"group": {"channel": "discord"},
	"tool": {"name": "read", "given": "read"},
	"environment": {"cwd": "/srv/app", "home": "/home/u", "platform": "linux", "workspace": "/srv/app"},
	"resources": [file("read", "/srv/app/a.txt")],
})

# METADATA
# description: a small file with one name, as a tool reads or writes it
file(access, real) := {
	"access": access,
	"given": "a.txt",
	"path": real,
	"real": real,
	"file": true,
	"size": 100,
	"sized": true,
	"names": 1,
}

# METADATA
# description: a binding, as for a call that was looked up
binding := "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

# METADATA
# description: changes for a call that was looked up and has no answer
looked := {"approval": {"looked": true, "bound": binding}}

# METADATA
# description: changes for a call that a person has answered
answered(answer) := {"approval": {
	"looked": true,
	"bound": binding,
	"found": true,
	"id": "a1",
	"state": "resolved",
	"decision": answer,
	"binding": binding,
}}

# METADATA
# description: changes for a call that nobody answered, for this reason
lapsed(why) := {"approval": {
	"looked": true,
	"bound": binding,
	"found": true,
	"id": "a1",
	"state": "expired",
	"binding": binding,
	"expired": why,
}}

# METADATA
# description: changes for the approvals file's settings for this agent
filed(changes) := {"approvalsFile": {"state": "read", "settings": [object.union_n([
	blank.approvalsFileSetting,
	{"path": "agents.main"},
	changes,
])]}}

# METADATA
# description: a segment whose program matches an entry of the approvals file
listed(path) := object.union(
	segment(path),
	{"listed": object.union(blank.match, {"found": true, "pattern": path, "path": "exec-approvals.json#agents.main.allowlist[0]"})},
)

# METADATA
# description: complete facts of a call to exec with one segment, /usr/bin/rg
exec_facts := object.union_n([tool("exec"), {"exec": blank.exec}, {"exec": {
	"command": "rg TODO",
	"shell": "bash",
	"workdir": "/srv/app",
	"directory": "/srv/app",
	"parsed": true,
	"segments": [segment("/usr/bin/rg")],
	"rendered": "'/usr/bin/rg' 'TODO'",
}}])

# METADATA
# description: the facts with changes merged in, key by key
call(changes) := object.union(facts, changes)

# METADATA
# description: the facts of a call to process about a session of less, with changes to the session
typing(action, sent, changes) := object.union(tool("process"), {
	"tool": {"parameters": ["action", "sessionId"]},
	"process": object.union(
		{
			"action": action,
			"session": "s1",
			"input": sent,
			"stated": true,
			"agent": "main",
			"host": "gateway",
			"program": "/usr/bin/less",
		},
		changes,
	),
})

# METADATA
# description: the facts of a call to this tool
tool(name) := call({"tool": {"name": name, "given": name}})

# METADATA
# description: the facts of a call to run gh with credentials, with changes to what the daemon describes
credential(changes) := object.union(tool("credential"), {"credential": object.union_n([
	blank.credential,
	{"complete": true, "tool": "gh", "binary": "/usr/bin/gh", "caller": "/usr/bin/gavel", "commandsKnown": "none"},
	changes,
])})

# METADATA
# description: the facts of an exec call with changes merged in
command(changes) := object.union(exec_facts, changes)

# METADATA
# description: the facts of an exec call with changes to exec itself
execution(changes) := command({"exec": changes})

# METADATA
# description: the facts of an exec call of these programs, by real path
programs(paths) := execution({"segments": [segment(path) | some path in paths]})

# METADATA
# description: the names that tables may have for a program, as the analyzer gives them for most programs
named(name) := [lower(name), regex.replace(lower(name), `[0-9._-]+$`, "")]

# METADATA
# description: the facts of an exec call that was not understood, with this kind of reason
refused(kind) := execution({
	"parsed": false,
	"segments": [],
	"rendered": "",
	"refusal": object.union(blank.refusal, {"kind": kind, "construct": "a construct", "start": 3, "end": 4, "line": 1, "column": 4}),
})

# METADATA
# description: a segment whose program was found at its real path
segment(path) := object.union(blank.segment, {
	"argv": [base(path), "TODO"],
	"executable": {
		"name": base(path),
		"path": path,
		"real": path,
		"realName": base(path),
		"programs": named(base(path)),
		"found": true,
		"device": "2049",
		"inode": "7",
	},
	"commandsKnown": "none",
	"optionsKnown": "exact",
	"end": 7,
	"cwd": "/srv/app",
	"known": true,
})

# METADATA
# description: a segment whose program a skill has registered
skilled(path) := object.union(segment(path), {"skill": {"skill": "mail", "program": path, "sha256": binding, "content": binding}})

# METADATA
# description: a segment that would run through these programs, outermost first, by real path
wrapped(path, wrappers) := object.union(segment(path), {"wrappers": [wrapper(by) | some by in wrappers]})

# METADATA
# description: a program that runs a segment
wrapper(path) := object.union(blank.wrapper, {
	"executable": segment(path).executable,
	"kind": "dispatcher",
	"argv": [base(path)],
	"commandsKnown": "none",
	"optionsKnown": "exact",
})

# METADATA
# description: a segment with one argument hazard
hazardous(path, kind, option) := object.union(
	segment(path),
	{"hazards": [object.union(blank.hazard, {"kind": kind, "option": option, "argument": "./evil", "index": 1})]},
)

# METADATA
# description: a segment of a filter in /usr/bin with only flags, all of which were read
filter(name, flags) := object.union(segment(sprintf("/usr/bin/%s", [name])), {
	"argv": array.concat([name], flags),
	"class": object.union(blank.class, {
		"program": name,
		"options": [object.union(blank.classOption, {"name": flag, "form": "none", "index": i + 1}) | some i, flag in flags],
		"complete": true,
	}),
})

# METADATA
# description: a segment of a filter with one operand
filtering(name, operand) := object.union(filter(name, []), {
	"argv": [name, operand],
	"class": {"operands": [object.union(blank.classOperand, {"text": operand, "form": "plain", "index": 1})]},
})

# METADATA
# description: a segment whose program was not found
lost(name) := object.union(blank.segment, {
	"argv": [name],
	"executable": {"name": name, "programs": [lower(name)]},
	"commandsKnown": "none",
	"optionsKnown": "exact",
	"end": 7,
	"cwd": "/srv/app",
	"known": true,
})

# METADATA
# description: the last part of a path
base(path) := parts[count(parts) - 1] if parts := split(path, "/")

# METADATA
# description: the codes of reasons
codes(reasons) := {reason.code | some reason in reasons}

# METADATA
# description: what each effect permits, least first
rank := {"deny": 0, "ask": 1, "allow": 2}

# METADATA
# description: a configuration that admits every agent and lists /usr/bin/rg
config := {
	"tools": {"profile": "full", "exec": {
		"host": "gateway",
		"security": "allowlist",
		"ask": "on-miss",
		"allowlist": ["/usr/bin/rg"],
	}},
	"agents": {"defaults": {}},
}

# METADATA
# description: the configuration with changes merged in, key by key
configured(changes) := object.union(config, changes)
