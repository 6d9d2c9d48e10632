# METADATA
# title: Segment
# description: |
#   Helpers for custom rules: the options of a segment, however they are written. If
#   segment.optionsKnown is open or none, there may be further options.
package gavel.segment

# METADATA
# description: the segment has an option by one of its names, -n or --namespace
has_option(segment, name) if {
	some option in segment.options
	name in option.names
}

# METADATA
# description: |
#   the values of an option, by one of its names. Of a value that is produced at run time, only
#   the beginning is known.
option_values(segment, name) := {option.value |
	some option in segment.options
	name in option.names
	option.hasValue == true
}
