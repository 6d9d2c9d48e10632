# METADATA
# title: Modes
# description: |
#   The settings in force for a command when the configuration, the session, the call and the
#   approvals file all have one. The strictest wins; a call can never loosen anything (R12,
#   R13, R30).
# schemas:
#   - input: schema.facts
package gavel.exec.modes

import data.gavel.elevated.level
import data.gavel.exec.commands
import data.gavel.exec.file
import data.gavel.exec.values
import data.gavel.frozen

# METADATA
# description: the host that runs the command (R30); undefined for a host that the call may not choose
host := frozen.result.exec.default_host if {
	not overridden
} else := "node" if {
	level.active != "off"
	"node" in {frozen.result.exec.host.value, requested_host}
} else := "gateway" if {
	level.active != "off"
} else := frozen.result.exec.host.value if {
	frozen.result.exec.host.value in {"gateway", "node"}
	requested_host in {"", "auto", frozen.result.exec.host.value}
} else := "sandbox" if {
	_host_is_automatic
	frozen.result.exec.sandboxed == true
	requested_host in {"", "auto", "sandbox"}
} else := "gateway" if {
	_host_is_automatic
	frozen.result.exec.sandboxed == false
	requested_host in {"", "auto", "sandbox", "gateway"}
} else := "node" if {
	_host_is_automatic
	frozen.result.exec.sandboxed == false
	requested_host == "node"
}

_host_is_automatic if frozen.result.exec.host.value in {"sandbox", "auto"}

# METADATA
# description: the node that runs it, if the host is a node
node := frozen.result.exec.node.value if {
	frozen.result.exec.node.value != ""
} else := requested_node

# METADATA
# scope: document
# description: the strictest security of the configuration, the session and the call (R13)
default security := "deny"

security := frozen.result.exec.default_security if {
	not overridden
} else := "deny" if {
	"deny" in _securities
} else := "allowlist" if {
	"allowlist" in _securities
} else := "full" if {
	_securities == {"full"}
}

_securities := ({configured_security, input.session.exec.security, _request.security, file.setting("security").value} | values.of("security")) - {""}

# METADATA
# scope: document
# description: the security of the configuration alone, for the host that runs the command
default configured_security := "deny"

configured_security := frozen.result.exec.security.value if {
	frozen.result.exec.security.value != ""
} else := mode if {
	mode := data.gavel.catalog.exec.defaults.security[host]
}

# METADATA
# scope: document
# description: the strictest ask of the configuration, the session and the call (R13)
default ask_mode := "always"

ask_mode := frozen.result.exec.ask.value if {
	not overridden
} else := "always" if {
	"always" in _asks
} else := "on-miss" if {
	"on-miss" in _asks
} else := "off" if {
	_asks == {"off"}
}

# METADATA
# scope: document
# description: |
#   the ask mode for misses: off, which denies them, if the configuration, the approvals file and
#   the elevated level never ask. A session or a call cannot turn such a denial into a question
#   (R13).
default miss_mode := "off"

miss_mode := frozen.result.exec.ask.value if {
	not overridden
} else := ask_mode if {
	some mode in {"on-miss", "always"}
	mode in _configured_asks
}

_configured_asks := {frozen.result.exec.ask.value, file.setting("ask").value} | _elevated_ask

# METADATA
# description: |
#   the configuration and the approvals file set security full. If the session or the call then
#   sets allowlist, the questions of full mode are still asked (R13).
configured_full if {configured_security, file.setting("security").value} - {""} == {"full"}

_asks := (({frozen.result.exec.ask.value, _request.ask, input.session.exec.ask, file.setting("ask").value} | _elevated_ask) | values.of("ask")) - {""}

# Outside the sandbox people are asked at least about misses (R31).
_elevated_ask := {{"on": "on-miss", "ask": "always", "full": "on-miss", "off": ""}[level.active]}

# METADATA
# description: the session, the call or the approvals file has a setting of its own; it can only tighten
overridden if not as_configured

# METADATA
# description: neither the session, nor the call, nor the approvals file has a setting of its own
as_configured if {
	file.without_settings
	level.active == "off"
	input.session.exec == {"security": "", "ask": "", "host": "", "node": ""}
	values.none_stored
	_request == {"security": "", "ask": "", "host": "", "node": "", "elevated": false, "declined": false}
}

_request := input.exec.request

# Input for a running program requests no host, security or ask.
_request := {"security": "", "ask": "", "host": "", "node": "", "elevated": false, "declined": false} if {
	commands.process
	commands.absent
}

# METADATA
# description: the host that the call asks for, or else its session
requested_host := _first_stated([_request.host, input.session.exec.host, values.own("host")])

# METADATA
# description: the node that the call asks for, or else its session
requested_node := _first_stated([_request.node, input.session.exec.node, values.own("node")])

# The first value that is not empty; undefined if a value before it is missing.
_first_stated(stated) := stated[0] if {
	stated[0] != ""
} else := stated[1] if {
	stated[0] == ""
	stated[1] != ""
} else := stated[2] if {
	stated[0] == ""
	stated[1] == ""
}

# METADATA
# scope: document
# description: the source of the ask mode in force
default ask_setting := {"value": "always", "path": "tools.exec.ask", "from": "default"}

ask_setting := frozen.result.exec.ask if {
	frozen.result.exec.ask.value == ask_mode
} else := found if {
	found := file.setting("ask")
	found.value == ask_mode
} else := {"value": ask_mode, "path": "tool.params.ask", "from": ""} if {
	_request.ask == ask_mode
} else := {"value": ask_mode, "path": "session.exec.ask", "from": ""} if {
	ask_mode in ({input.session.exec.ask} | values.of("ask"))
} else := {"value": ask_mode, "path": _elevated_path, "from": ""} if {
	ask_mode in _elevated_ask
} else := frozen.result.exec.ask

default _elevated_path := "tool.params.elevated"

_elevated_path := "message.inline.elevated" if {
	input.session.inline != ""
} else := "session.elevated" if {
	level.stated != ""
} else := "agents.defaults.elevatedDefault" if {
	frozen.result.elevated["default"] != ""
}

# METADATA
# description: the source of a setting, as the source of a reason
source(setting) := {"path": setting.path, "from": setting.from}
