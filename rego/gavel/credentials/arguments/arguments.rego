# METADATA
# title: Arguments of tools with credentials
# description: |
#   What blocked_args and allowed_args of wrappers.yaml match. A blocking rule is tried on every
#   word and every line that the program may read the arguments as. An allowing rule is tried on
#   the arguments as they are.
# schemas:
#   - input: schema.facts
package gavel.credentials.arguments

# METADATA
# description: the messages of the rules that block the arguments
blocked contains _message(rule, "operation blocked by security policy") if {
	some rule in input.credential.blocked
	_blocks(rule)
}

# METADATA
# scope: document
# description: a rule allows the arguments
default listed := false

listed if {
	some rule in input.credential.allowed
	_allows(rule)
}

# METADATA
# scope: document
# description: the message when no rule allows the arguments
default unlisted := "operation not in allowlist"

unlisted := messages[0] if {
	messages := [rule.message | some rule in input.credential.allowed; rule.message != ""]
}

_message(rule, otherwise) := rule.message if {
	rule.message != ""
} else := otherwise

_blocks(rule) if {
	rule.match == "arg"
	some word in input.credential.words
	regex.match(rule.pattern, word)
}

_blocks(rule) if {
	rule.match == "command"
	some line in input.credential.lines
	regex.match(rule.pattern, line)
}

# If no grammar lists the option, --forc may be short for --force.
_blocks(rule) if {
	some word in input.credential.unlisted
	some option in rule.options
	startswith(option, word)
}

# An allowing rule for single arguments looks at the sub-command, or else at the words before any
# option. Later words are values or operands: ^list$ does not permit delete --all list.
_allows(rule) if {
	rule.match == "arg"
	some word in _deciding_words
	regex.match(rule.pattern, word)
}

_allows(rule) if {
	rule.match == "command"
	regex.match(rule.pattern, input.credential.quoted)
}

_allows(rule) if {
	rule.match == "argv"
	count(rule.argv) > 0
	count(rule.argv) == count(input.credential.args)
	every i, pattern in rule.argv { regex.match(sprintf(`\A(?:%s)\z`, [pattern]), input.credential.args[i]) }
}

_deciding_words := input.credential.commands if {
	input.credential.commandsKnown == "exact"
	count(input.credential.commands) > 0
} else := array.slice(input.credential.leading, 0, 2)
