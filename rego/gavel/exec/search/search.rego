# METADATA
# title: Search
# description: |
#   Where programs are looked up. Resolution depends on it, so a call may not change it
#   (exec.environment), and the directories that were used are compared with the
#   configuration.
# schemas:
#   - input: schema.facts
package gavel.exec.search

import data.gavel.config
import data.gavel.exec.modes
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: |
#   the directories to look up programs in before the search path (EXEC-7): those of pathPrepend
#   if the gateway or a sandbox runs the command, none on a node. ~ is the home directory on that
#   machine. If the home directory is unknown, the ~ stays; a directory that is not absolute ends
#   every search.
first := [] if {
	frozen.result.exec.path_prepend.value == []
} else := [_home_expanded(dir) | some dir in frozen.result.exec.path_prepend.value] if {
	modes.host in {"gateway", "sandbox"}
} else := [] if {
	modes.host == "node"
}

# METADATA
# description: |
#   what the analyzer needs before it looks anything up, for each agent with its own settings and
#   for all others: the configured directories (first), the hosts that a call may request, with
#   whether the directories are searched first there ("" stands for a call without a request), the
#   workspace, the patterns of files that may not be read (denied) and not be written
#   (unwritable), and each list of files that may be written. A snapshot reads it once; every
#   decision compares the directories that were used with the rule first.
table := {
	"agents": {id: _row(id) |
		some id in config.agents
		_differs(id)
	},
	"others": _row(""),
}

_differs(id) if {
	some key in ["pathPrepend", "host", "workspace"]
	config.agent_setting(id, ["exec", key]).from == "agent"
}

_differs(id) if not _denied(id, "read") == _denied("", "read")

_differs(id) if not _denied(id, "write") == _denied("", "write")

_differs(id) if not _writable(id) == _writable("")

_row(id) := {
	"first": _setting(id, "pathPrepend", []),
	"hosts": _hosts(_setting(id, "host", data.gavel.catalog.exec.defaults.host)),
	"workspace": _setting(id, "workspace", ""),
	"denied": _denied(id, "read"),
	"unwritable": _denied(id, "write"),
	"writable": _writable(id),
}

_denied(id, access) := [pattern |
	some scope in config.tool_scopes(id)
	some pattern in object.get(scope.tools, [access, "deny"], [])
]

# As in gavel/resources/lists: each list that is set must have a file.
_writable(id) := array.concat(_allowed(id), [["./**"] |
	some scope in config.tool_scopes(id)
	object.get(scope.tools, ["fs", "workspaceOnly"], false) != false
])

_allowed(id) := [patterns |
	some scope in config.tool_scopes(id)
	patterns := object.get(scope.tools, ["write", "allow"], [])
	count(patterns) > 0
]

_setting(id, key, fallback) := found if {
	found := config.exec_setting(id, key).value
} else := fallback

_hosts("gateway") := {"": true, "auto": true, "gateway": true}

_hosts("node") := {"": false, "auto": false, "node": false}

_hosts(host) := {"": true, "auto": true, "sandbox": true, "gateway": true, "node": false} if host in {"sandbox", "auto"}

_hosts(host) := {} if not host in {"gateway", "node", "sandbox", "auto"}

# METADATA
# title: Programs were looked up elsewhere
# description: names were resolved without the directories that the command's PATH begins with, or with others (EXEC-7)
# custom:
#   code: exec.search_path
#   message: 'programs were not first looked up in exactly the directories of %s'
#   fix: decide the call again, with facts collected under the current policy
deny contains reason.from(rego.metadata.rule(), [frozen.result.exec.path_prepend.path], modes.source(frozen.result.exec.path_prepend)) if {
	not as_configured
}

# METADATA
# description: programs were looked up as the configuration says
as_configured if input.environment.pathPrepend == first

_home_expanded(dir) := dir if not startswith(dir, "~")

_home_expanded(dir) := concat("", [input.environment.home, substring(dir, 1, -1)]) if {
	startswith(dir, "~")
	input.environment.home != ""
}

_home_expanded(dir) := dir if {
	startswith(dir, "~")
	input.environment.home == ""
}
