# METADATA
# title: Segment
# description: |
#   Helpers for rules of a policy's own: what a program was given, whichever way it was
#   written. Where segment.optionsKnown is open or none, further options may be there.
package gavel.segment

# METADATA
# description: the segment has an option by one of its names, -n or --namespace
has_option(segment, name) if {
	some option in segment.options
	name in option.names
}

# METADATA
# description: |
#   the values that an option is given, by one of its names. A value that is produced at run
#   time is what it begins with.
option_values(segment, name) := {option.value |
	some option in segment.options
	name in option.names
	option.hasValue == true
}
