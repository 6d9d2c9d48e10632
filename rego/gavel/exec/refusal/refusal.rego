# METADATA
# title: Refused commands
# description: |
#   Why a command was not understood: a code for each kind of problem, with the construct and
#   its position (EXEC-4, R19). Wherever shells and parsers may differ, the command is
#   refused.
package gavel.exec.refusal

import data.gavel.reason

# METADATA
# description: why the command was not understood; empty when it was
reasons contains reason.placed(_refused(_kind, _construct, _start, "unreadable"), object.get(input.exec, "refusal", {}))

# METADATA
# title: Command was not understood
# description: the command was not understood, for a reason that no rule describes
# custom:
#   code: exec.refused
#   message: the command was not understood
#   fix: write simple commands joined by ;, &&, || or |
reasons contains reason.from(rego.metadata.rule(), [], {}) if {
	not input.exec.parsed == true
	not _refused(_kind, _construct, _start, "unreadable")
}

# METADATA
# description: |
#   the reason to refuse a construct of a kind that a setting would open; undefined for a kind
#   that no rule describes
closed(kind, construct, start) := _refused(kind, construct, start, "closed")

# METADATA
# description: the reason to refuse a redirection that harmlessRedirects would open
closed_harmless(construct, start) := _refused("redirect", construct, start, "harmless")

# METADATA
# title: Command is too large
# description: a command beyond the analyzer's limits is not read at all
# custom:
#   code: exec.limit
#   message: 'the command exceeds a limit: %s'
#   fix: 'split the command; docs/http.md lists the limits'
_refused("limit", construct, _, _) := reason.from(rego.metadata.rule(), [construct], {})

# METADATA
# title: Command is ambiguous
# description: a shell and a parser may read the text differently, or it shows a person something other than what runs
# custom:
#   code: exec.guard
#   message: 'shells may read the command differently from Gavel: %s (at byte %d)'
#   fix: 'write the command on one line, in plain characters'
_refused("guard", construct, start, _) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Shell is not supported
# description: the text is for a shell whose grammar Gavel does not read
# custom:
#   code: exec.dialect
#   message: 'Gavel does not support the shell %q'
#   fix: 'run the command with bash, sh, dash, ash, mksh, ksh or zsh'
_refused("dialect", construct, _, _) := reason.from(rego.metadata.rule(), [construct], {})

# METADATA
# title: Command has a syntax error
# description: the shell that would run the text cannot parse it
# custom:
#   code: exec.syntax
#   message: 'the command has a syntax error: %s (at byte %d)'
#   fix: 'correct the command'
_refused("syntax", construct, start, _) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Redirection
# description: a redirection reads or writes a file that no list names (R19)
# custom:
#   code: exec.redirect
#   message: '%s is not allowed: %s (at byte %d)'
#   fix: '%s'
#   advises: 'use a tool that reads or writes the file, or set harmlessRedirects or constructs.redirect; where that is set, which forms Gavel reads'
_refused("redirect", construct, start, state) := reason.fixed(
	rego.metadata.rule(),
	[construct, _because("redirect", state), start],
	[_instead("redirect", state)],
	{},
)

# METADATA
# title: Here-document
# description: a here-document passes text that no list names (R19)
# custom:
#   code: exec.heredoc
#   message: '%s is not allowed: %s (at byte %d)'
#   fix: '%s'
#   advises: 'write the text to a file with the write tool first, or set tools.exec.constructs.heredoc to stdin; where that is set, which forms Gavel reads'
_refused("heredoc", construct, start, state) := reason.fixed(
	rego.metadata.rule(),
	[construct, _because("heredoc", state), start],
	[_instead("heredoc", state)],
	{},
)

# METADATA
# title: Substitution
# description: a substitution runs a command to produce a word (R19)
# custom:
#   code: exec.substitution
#   message: '%s is not allowed: %s (at byte %d)'
#   fix: '%s'
#   advises: 'run the inner command separately, or set tools.exec.constructs.substitution to segments'
_refused("substitution", construct, start, state) := reason.fixed(
	rego.metadata.rule(),
	[construct, _because("substitution", state), start],
	[_instead("substitution", state)],
	{},
)

# METADATA
# title: Expansion
# description: the shell expands this word, so it is not the word that was judged
# custom:
#   code: exec.expansion
#   message: '%s is not allowed here, where a word must be literal (at byte %d)'
#   fix: 'write the value out, or put it in single quotes'
_refused("expansion", construct, start, _) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Assignment
# description: a variable can change what a program does
# custom:
#   code: exec.assignment
#   message: '%s is not allowed: it could change what programs do (at byte %d)'
#   fix: 'leave it out, or write NAME=VALUE with a plain value'
_refused("assignment", construct, start, _) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Compound command
# description: loops, conditions, groups and functions are not analyzed (R19)
# custom:
#   code: exec.compound
#   message: '%s is not allowed: %s (at byte %d)'
#   fix: '%s'
#   advises: 'write simple commands joined by ;, &&, || or |, or set tools.exec.constructs.compound to segments'
_refused("compound", construct, start, state) := reason.fixed(
	rego.metadata.rule(),
	[construct, _because("compound", state), start],
	[_instead("compound", state)],
	{},
)

# METADATA
# title: Construct is not understood
# description: a part of the grammar that is unknown to be safe (R19)
# custom:
#   code: exec.construct
#   message: 'Gavel does not understand this: %s (at byte %d)'
#   fix: 'write simple commands joined by ;, &&, || or |%s'
_refused("construct", construct, start, _) := reason.fixed(rego.metadata.rule(), [construct, start], [_opened(construct)], {})

# METADATA
# title: Word could run commands
# description: a shell builtin evaluates this word, and would run commands in it (R37)
# custom:
#   code: exec.evaluated
#   message: 'the shell could run code that is in %s (at byte %d)'
#   fix: 'write a number or a plain name, without $( ), ${ }, backticks and name[ ]'
_refused("evaluated", construct, start, _) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Text to execute could not be verified
# description: the text to execute was parsed again, and did not match what was judged
# custom:
#   code: exec.rendering
#   message: 'could not verify that the text to execute runs exactly what was judged'
#   fix: 'write a simpler command: one step at a time, without nested quotes and constructs'
_refused("rendering", _, _, _) := reason.from(rego.metadata.rule(), [], {})

# METADATA
# title: No command
# description: the call to exec has no command
# custom:
#   code: exec.parameters
#   message: '%s'
#   fix: 'send the command as text'
#   says: the command is missing, empty or not text
_refused("parameters", construct, _, _) := reason.from(rego.metadata.rule(), [construct], {})

default _kind := ""

_kind := input.exec.refusal.kind if input.exec.parsed == false

default _construct := "a part of the command"

_construct := input.exec.refusal.construct

default _start := 0

_start := input.exec.refusal.start

# Why the construct is refused, and what to write, or which setting opens it, if one does.
_because(kind, state) := data.gavel.catalog.exec.instead[kind][state].why

_instead(kind, state) := data.gavel.catalog.exec.instead[kind][state].write

# What a setting opens of such constructs, if only part of them.
_opened(construct) := sprintf(". %s", [hint]) if {
	some part, hint in data.gavel.catalog.exec.opened_in_part
	contains(construct, part)
} else := ""
