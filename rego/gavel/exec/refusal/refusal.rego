# METADATA
# title: Refused commands
# description: |
#   Why a command could not be taken apart, each kind under a code of its own, with
#   the construct and its place (EXEC-4, R19). Where shells and parsers may
#   differ the answer is always a refusal.
package gavel.exec.refusal

import data.gavel.reason

# METADATA
# description: why the command was not understood; empty when it was
reasons contains reason.placed(of(_kind, _construct, _start), object.get(input.exec, "refusal", {}))

# METADATA
# title: Refused without a kind
# description: a command that was not understood, for a reason that no rule knows
# custom:
#   code: exec.refused
#   message: the command was not understood
#   fix: write simple commands joined by ;, &&, || or |
reasons contains reason.from(rego.metadata.rule(), [], {}) if {
	not input.exec.parsed == true
	not of(_kind, _construct, _start)
}

# METADATA
# description: the reason to refuse a construct of a kind; undefined for a kind that no rule knows
of(kind, construct, start) := _refused(kind, construct, start)

# METADATA
# title: Command is too large
# description: a command beyond the limits of the analyzer is not read at all
# custom:
#   code: exec.limit
#   message: 'the command exceeds a limit: %s'
#   fix: 'split the command; docs/http.md lists the limits'
_refused("limit", construct, _) := reason.from(rego.metadata.rule(), [construct], {})

# METADATA
# title: Command deceives
# description: text that a shell and a parser may read differently, or that shows a person something else
# custom:
#   code: exec.guard
#   message: '%s at byte %d: shells and parsers may read this differently'
#   fix: 'write the command on one line, in plain characters'
_refused("guard", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Shell is not understood
# description: the text is for a shell whose grammar is not read
# custom:
#   code: exec.dialect
#   message: 'Gavel does not support the shell %q'
#   fix: 'run the command with bash, sh, dash, ash, mksh, ksh or zsh'
_refused("dialect", construct, _) := reason.from(rego.metadata.rule(), [construct], {})

# METADATA
# title: Command does not parse
# description: text that is no command in the shell that would run it
# custom:
#   code: exec.syntax
#   message: 'the command has a syntax error: %s, at byte %d'
#   fix: 'correct the command'
_refused("syntax", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Redirect
# description: a redirect reads or writes a file that no list names (R19)
# custom:
#   code: exec.redirect
#   message: '%s at byte %d: redirections are not allowed'
#   fix: 'use a tool that reads or writes the file, or set tools.exec.constructs.redirect to paths'
_refused("redirect", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Here-document
# description: a here-document feeds text that no list names (R19)
# custom:
#   code: exec.heredoc
#   message: '%s at byte %d: here-documents are not allowed'
#   fix: 'write the text to a file with the write tool first, or set tools.exec.constructs.heredoc to stdin'
_refused("heredoc", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Substitution
# description: a substitution runs a command to make a word (R19)
# custom:
#   code: exec.substitution
#   message: '%s at byte %d: substitutions are not allowed'
#   fix: 'run the inner command separately, or set tools.exec.constructs.substitution to segments'
_refused("substitution", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Expansion
# description: a word that the shell would expand is not the word that was judged
# custom:
#   code: exec.expansion
#   message: '%s at byte %d: this word must be literal'
#   fix: 'write the value out, or quote it'
_refused("expansion", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Assignment
# description: a variable can change what a program does
# custom:
#   code: exec.assignment
#   message: '%s at byte %d: assignments are not allowed'
#   fix: 'leave out the assignment'
_refused("assignment", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Compound command
# description: loops, conditions, groups and functions are not taken apart (R19)
# custom:
#   code: exec.compound
#   message: '%s at byte %d: compound commands are not allowed'
#   fix: 'write simple commands joined by ;, &&, || or |, or set tools.exec.constructs.compound to segments'
_refused("compound", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Construct is not understood
# description: a part of the grammar that is not known to be safe (R19)
# custom:
#   code: exec.construct
#   message: '%s at byte %d is not understood'
#   fix: 'write simple commands joined by ;, &&, || or |%s'
_refused("construct", construct, start) := reason.fixed(rego.metadata.rule(), [construct, start], [_opened(construct)], {})

# METADATA
# title: Word could run commands
# description: a command of the shell evaluates this word, and what is in it would then run (R37)
# custom:
#   code: exec.evaluated
#   message: '%s at byte %d: the shell could evaluate this word and run code in it'
#   fix: 'write a number or a plain name, without $( ), ${ }, backticks and name[ ]'
_refused("evaluated", construct, start) := reason.from(rego.metadata.rule(), [construct, start], {})

# METADATA
# title: Command is not what was judged
# description: the text to execute was read once more, and did not say exactly what was judged
# custom:
#   code: exec.rendering
#   message: 'could not verify that the text to execute runs exactly what was judged'
#   fix: 'write a simpler command: one step at a time, without nested quotes and constructs'
_refused("rendering", _, _) := reason.from(rego.metadata.rule(), [], {})

# METADATA
# title: No command
# description: exec without a command to judge
# custom:
#   code: exec.parameters
#   message: '%s'
#   fix: 'send the command as text'
_refused("parameters", construct, _) := reason.from(rego.metadata.rule(), [construct], {})

default _kind := ""

_kind := input.exec.refusal.kind if input.exec.parsed == false

default _construct := ""

_construct := input.exec.refusal.construct

default _start := 0

_start := input.exec.refusal.start

# What a setting opens of such constructs, where it is a part of them only.
_opened(construct) := sprintf(". %s", [hint]) if {
	some part, hint in data.gavel.catalog.exec.opened_in_part
	contains(construct, part)
} else := ""
