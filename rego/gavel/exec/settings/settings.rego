# METADATA
# title: Exec settings
# description: |
#   The configuration's settings for an agent's commands. They depend on the agent only and
#   belong to the frozen part; nothing here looks at the call.
package gavel.exec.settings

import data.gavel.config
import data.gavel.exec.profiles
import data.gavel.exec.rules.lists
import data.gavel.tools.subjects

# METADATA
# description: |
#   the agent's exec settings. security, ask, host and node are {"value", "path", "from"}. A
#   value that is not configured is the catalog's default; security has no default here,
#   because it depends on the host (R12).
configured := {
	"security": _setting("security", ""),
	"ask": _setting("ask", data.gavel.catalog.exec.defaults.ask),
	"ask_fallback": _setting("askFallback", "deny"),
	"approvers": _approvers,
	"host": _setting("host", data.gavel.catalog.exec.defaults.host),
	"node": _setting("node", ""),
	"full_on_miss": _setting("fullAskOnMiss", "unseen"),
	"harmless": _setting("harmlessRedirects", "deny"),
	"constructs": {kind: _construct(kind) | some kind, _ in data.gavel.catalog.exec.constructs},
	"environment": _environment,
	"input": _input,
	"sandboxed": subjects.self.sandboxed,
	"path_prepend": _setting("pathPrepend", []),
	"workspace": _setting("workspace", ""),
	"no_links": _setting("noLinks", []),
	"trusted_dirs": _trusted_dirs,
	"strict_inline_eval": _setting("strictInlineEval", false),
	"allowlist": _allowlist_path,
	"rules": _rules,
	"safe_bins": profiles.configured,
	"requires_stated_sessions": _requires_process,
	"skills": _setting("autoAllowSkills", false),
	"default_host": _default_host,
	"default_security": _default_security,
	"lifecycle": _lifecycle,
}

# Where commands run and which settings apply if neither the session nor the call asks for
# something else (R12, R30).
default _default_host := "gateway"

_default_host := host if {
	host := _setting("host", data.gavel.catalog.exec.defaults.host).value
	host in {"gateway", "node"}
} else := "sandbox" if {
	subjects.self.sandboxed
}

_default_security := mode if {
	mode := _setting("security", "").value
	mode != ""
} else := data.gavel.catalog.exec.defaults.security[_default_host]

_setting(key, fallback) := found[0] if {
	found := array.concat(_overrides(key), [said |
		some scope in config.exec_scopes(subjects.self.id)
		some said in _setting_of(scope, key)
	])
	count(found) > 0
} else := {"value": fallback, "path": sprintf("tools.exec.%s", [key]), "from": "default"}

# --exec-security and --exec-ask.
_overrides(key) := [given] if {
	key in {"security", "ask"}
	given := config.override(key)
} else := []

# The value in one section: of the key itself, or of mode, which sets security and ask together.
# An unknown mode counts as the strictest.
_setting_of(scope, key) := [{"value": value, "path": sprintf("%s.%s", [scope.path, key]), "from": scope.from}] if {
	value := object.get(scope.value, key, null)
	value != null
} else := [{"value": value, "path": sprintf("%s.mode", [scope.path]), "from": scope.from}] if {
	mode := object.get(scope.value, "mode", null)
	mode != null
	strictest := {"security": "deny", "ask": "always"}[key]
	value := object.get(data.gavel.catalog.exec.modes, [mode, key], strictest)
} else := []

# What is configured about how commands run and how their end is reported. It permits nothing.
_lifecycle := {key: setting.value |
	some key in ["approvalRunningNoticeMs", "backgroundMs", "cleanupMs", "notifyOnExit", "notifyOnExitEmptySuccess", "timeoutSec"]
	setting := _setting(key, null)
	setting.value != null
}

# Whether tools.require has process, for everybody or for the agent (PROCESS-1).
default _requires_process := false

_requires_process if "process" in config.section(["tools"]).require

_requires_process if {
	some scope in config.scopes(subjects.self.id)
	"process" in scope.value.tools.require
}

# Each kind of construct has its own setting; opening one opens no other (R19).
_construct(kind) := found if {
	found := config.setting(subjects.self.id, ["exec", "constructs", kind], ["tools", "exec", "constructs", kind])
} else := {"value": "deny", "path": sprintf("tools.exec.constructs.%s", [kind]), "from": "default"}

# Whether there are rules about commands for this agent, by effect.
_rules := {
	"any": count(_effects) > 0,
	"asks": "ask" in _effects,
	"denies": "deny" in _effects,
	"objects": count(_effects & {"ask", "deny"}) > 0,
}

_effects := {rule.effect | some rule in lists.for_agent(subjects.self.id)}

# The directories in all sections that apply to the agent.
_trusted_dirs := {directory |
	some scope in config.exec_scopes(subjects.self.id)
	some directory in scope.value.trustedDirs
	is_string(directory)
}

# Names of variables that may have any value.
default _environment := {"value": [], "path": "tools.exec.environment.allow", "from": "default"}

_environment := config.setting(subjects.self.id, ["exec", "environment", "allow"], ["tools", "exec", "environment", "allow"])

# Programs whose input needs no answer.
default _input := {"value": [], "path": "tools.exec.input.allow", "from": "default"}

_input := config.setting(subjects.self.id, ["exec", "input", "allow"], ["tools", "exec", "input", "allow"])

# Who may answer for this agent: its own list, or else the global one.
default _approvers := []

_approvers := found.value if {
	found := config.exec_setting(subjects.self.id, "approvers")
} else := found if {
	found := config.section(["approvals", "exec", "approvers"])
	is_array(found)
}

# The configuration path for new allowlist entries of this agent.
default _allowlist_path := "tools.exec.allowlist"

_allowlist_path := config.agent_setting(subjects.self.id, ["exec", "allowlist"]).path
