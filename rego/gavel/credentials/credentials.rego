# METADATA
# title: Tools with credentials
# description: |
#   The tool credential: a program that the credential daemon would run with credentials for an
#   agent that must not see them. wrappers.yaml says what is permitted, and tools.credential
#   tightens it: which of these tools the agent has, and about which a person is asked each time.
# schemas:
#   - input: schema.facts
package gavel.credentials

import data.gavel.config
import data.gavel.credentials.arguments
import data.gavel.reason

# METADATA
# title: Use of a credential was not understood
# description: the daemon did not describe everything that it would do, or the description has something unknown
# custom:
#   code: credentials.unread
#   message: 'cannot tell what would run with the credentials of %q'
#   fix: pass fewer or shorter arguments; if that does not help, use a credential daemon and a Gavel of the same version
deny contains reason.from(rego.metadata.rule(), [_tool], {}) if not _complete

# METADATA
# title: Tool is denied
# description: tools.credential.deny names the tool
# custom:
#   code: credentials.denied
#   message: 'this agent may not use %q with its credentials: %s denies it'
#   fix: 'do without it, or remove it from %s'
deny contains reason.fixed(rego.metadata.rule(), [_tool, list.path], [list.path], {"path": list.path}) if {
	some list in _lists("deny")
	_lists_tool(list)
}

# METADATA
# title: Tool is on no list
# description: tools.credential.allow is set, and does not name the tool
# custom:
#   code: credentials.not_allowed
#   message: 'this agent may not use %q with its credentials: %s does not name it'
#   fix: 'add it to %s'
deny contains reason.fixed(rego.metadata.rule(), [_tool, list.path], [list.path], {"path": list.path}) if {
	some list in _lists("allow")
	not _lists_tool(list)
}

# METADATA
# title: Variable redirects a tool with credentials
# description: a request sets a variable that changes what the program runs, loads, trusts or contacts
# custom:
#   code: credentials.variable
#   message: 'a request may not set the variable %s for %q, which is given credentials'
#   fix: leave it out, or set it in env or forced_env of the tool in wrappers.yaml
deny contains reason.from(rego.metadata.rule(), [name, _tool], {}) if {
	some name in input.credential.env
	_is_dangerous_variable(name)
}

# METADATA
# title: Arguments are blocked
# description: a rule of blocked_args matches the arguments, in one of the ways in which the program may read them
# custom:
#   code: credentials.blocked
#   message: '%s'
#   says: the message of the rule in wrappers.yaml that blocks them
#   fix: use other arguments, or change blocked_args of the tool in wrappers.yaml
deny contains reason.from(rego.metadata.rule(), [message], {}) if some message in arguments.blocked

# METADATA
# title: Arguments are not listed
# description: mode is allowlist, and no rule of allowed_args matches the arguments
# custom:
#   code: credentials.not_listed
#   message: '%s'
#   says: the message of the first rule in wrappers.yaml that has one, or that the operation is not listed
#   fix: use other arguments, or change allowed_args of the tool in wrappers.yaml
deny contains reason.from(rego.metadata.rule(), [arguments.unlisted], {}) if {
	not _unrestricted
	not arguments.listed
}

# METADATA
# title: A person is asked about each use
# description: tools.credential.ask names the tool
# custom:
#   code: credentials.ask
#   message: 'a person must agree to each use of %q with its credentials'
#   fix: 'have a person agree, or remove the tool from %s'
ask contains reason.fixed(rego.metadata.rule(), [_tool], [list.path], {"path": list.path}) if {
	some list in _lists("ask")
	_lists_tool(list)
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: blocked_args match nothing, and mode is blocklist
permit if {
	_complete
	_unrestricted
	count(deny) == 0
}

# METADATA
# description: blocked_args match nothing, and allowed_args match
permit if {
	_complete
	input.credential.allowlist == true
	arguments.listed
	count(deny) == 0
}

# METADATA
# title: wrappers.yaml permits the use
# description: the tool is in wrappers.yaml, and its rules permit the arguments
# custom:
#   code: credentials.permitted
#   message: 'wrappers.yaml permits %q with these arguments'
#   fix: ""
because contains reason.from(rego.metadata.rule(), [_tool], {}) if permit

default _tool := "?"

_tool := input.credential.tool

_complete if {
	input.credential.complete == true
	input.credential.tool != ""
	is_array(input.credential.args)
	is_array(input.credential.words)
	is_array(input.credential.lines)
	is_array(input.credential.blocked)
	is_array(input.credential.env)
	is_array(input.credential.unlisted)
	every rule in input.credential.blocked {
		rule.match in {"arg", "command"}
		regex.is_valid(rule.pattern)
	}
}

_unrestricted if input.credential.allowlist == false

# Every list of one kind that is set for this agent, even if it is empty.
_lists(kind) := [{"path": sprintf("%s.credential.%s", [scope.path, kind]), "tools": list} |
	some scope in config.tool_scopes(input.agent.id)
	list := object.get(scope.tools, ["credential", kind], null)
	list != null
]

_lists_tool(list) if _tool in list.tools

_lists_tool(list) if "*" in list.tools

_is_dangerous_variable(name) if {
	data.gavel.catalog.environment.blocked[name]
	not name in data.gavel.catalog.credentials.environment.listable
}

_is_dangerous_variable(name) if strings.any_prefix_match(name, data.gavel.catalog.environment.prefixes)

_is_dangerous_variable(name) if strings.any_suffix_match(name, data.gavel.catalog.environment.suffixes)

_is_dangerous_variable(name) if name in data.gavel.catalog.credentials.environment.names

_is_dangerous_variable(name) if lower(name) in data.gavel.catalog.credentials.environment.any_case

_is_dangerous_variable(name) if {
	some prefix in data.gavel.catalog.credentials.environment.prefixes
	startswith(name, prefix)
}

_is_dangerous_variable(name) if {
	some suffix in data.gavel.catalog.credentials.environment.suffixes
	endswith(name, suffix)
}
