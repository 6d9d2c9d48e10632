# Segments: whether each simple command of a line may run, and why not. A segment is
# satisfied when its program is on the allowlist, its arguments hold no hazard that the
# entry does not accept, and whatever wraps it is trusted (R20, R21).
package gavel.exec

import data.gavel.exec.allowlist
import data.gavel.exec.hazards
import data.gavel.reason

# METADATA
# description: a segment that no entry satisfies; the ask mode says whether to ask or deny
miss contains _missing(_miss_kind(segment), segment) if some segment in _missed

# METADATA
# description: a program is on the list, and one that would run it is not trusted
miss contains _untrusted(wrapper) if {
	some segment in _missed
	some wrapper in segment.wrappers
	not trusted(wrapper)
}

# METADATA
# description: a segment whose program is on the list, with an argument that its entry does not accept
miss contains r if {
	some segment in _missed
	_miss_kind(segment) == "hazard"
	some r in hazards.objections(segment, allowlist.entry(segment))
}

_missed contains segment if {
	security == "allowlist"
	input.exec.parsed == true
	some segment in input.exec.segments
	not satisfied(segment)
}

_miss_kind(segment) := "opaque" if {
	segment.executable.found == true
	opaque(segment)
} else := "hazard" if {
	allowlist.entry(segment).found == true
} else := "unlisted" if {
	segment.executable.found == true
	not allowlist.entry(segment).found == true
} else := "not found" if {
	not segment.executable.found == true
}

# METADATA
# title: Program is not on the allowlist
# description: a segment whose program satisfies no entry
# custom:
#   code: exec.allowlist_miss
#   message: '%s is on no allowlist entry'
#   fix: 'add %q to %s'
_missing("unlisted", segment) := reason.fixed(
	rego.metadata.rule(),
	[segment.executable.real],
	[segment.executable.real, configured.allowlist],
	{"path": configured.allowlist},
)

# METADATA
# title: Program was not found
# description: a name that the search path does not have cannot be on a list of paths
# custom:
#   code: exec.not_found
#   message: 'program %q was not found'
#   fix: check the name, the search path and the working directory; a relative path needs a known one
_missing("not found", segment) := reason.from(
	rego.metadata.rule(),
	[segment.argv[0]],
	{"path": configured.allowlist},
)

# METADATA
# title: Program runs other programs
# description: an entry for a shell, a wrapper or an evaluating builtin would permit everything
# custom:
#   code: exec.opaque_program
#   message: '%s runs other commands, so no allowlist entry can vouch for it'
#   fix: call the program itself
_missing("opaque", segment) := reason.from(
	rego.metadata.rule(),
	[_opaque_shown(segment)],
	{"path": configured.allowlist},
)

_opaque_shown(segment) := segment.executable.real if {
	segment.opaque == ""
} else := sprintf("%s (%s)", [segment.executable.real, segment.opaque])

# METADATA
# title: Wrapper is not trusted
# description: what would run an allowed program is itself a program that somebody must vouch for (R21)
# custom:
#   code: exec.wrapper_untrusted
#   message: '%s would run the command, and is neither in a trusted directory nor on the allowlist'
#   fix: 'call the program itself, or add the wrapper to %s'
_untrusted(wrapper) := reason.from(
	rego.metadata.rule(),
	[_wrapper_shown(wrapper), configured.allowlist],
	{"path": configured.allowlist},
)

_wrapper_shown(wrapper) := wrapper.executable.real if {
	wrapper.executable.found == true
} else := wrapper.argv[0]

# METADATA
# description: |
#   the segment's program is on the list, and is none that runs others; its entry accepts
#   the arguments, and every wrapper around it is trusted
satisfied(segment) if {
	segment.executable.found == true
	not opaque(segment)
	found := allowlist.entry(segment)
	found.found == true
	hazards.accepted(segment, found)
	is_array(segment.wrappers)
	every wrapper in segment.wrappers { trusted(wrapper) }
}

# METADATA
# description: the wrapper's real path is in a trusted directory, or on the list
trusted(wrapper) if {
	wrapper.executable.found == true
	some directory in data.gavel.catalog.exec.trusted_directories
	within := sprintf("%s/", [directory])
	startswith(wrapper.executable.real, within)
	not contains(trim_prefix(wrapper.executable.real, within), "/")
}

trusted(wrapper) if {
	wrapper.executable.found == true
	allowlist.entry(wrapper).found == true
}

# METADATA
# description: |
#   the program runs other programs, or changes what the next command means. A wrapper
#   whose words were understood is no segment; one that is a segment was not peeled.
opaque(segment) if not segment.opaque == ""

opaque(segment) if _opaque(lower(segment.executable.name))

opaque(segment) if _opaque(lower(segment.executable.realName))

_opaque(name) if _carries(name)

# bash-5.2, ksh93, busybox.static and ld-linux-x86-64.so.2 are what they begin with.
_opaque(name) if {
	regex.match(`[0-9._-]`, name)
	_carries(regex.find_n(`^[a-z]+`, name, 1)[0])
}

_carries(name) if data.gavel.catalog.wrappers.programs[name]

_carries(name) if data.gavel.catalog.exec.opaque[name]
