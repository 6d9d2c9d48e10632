# METADATA
# title: Observed
# description: |
#   How much of a command was observed, and whether any part of it was not judged.
# schemas:
#   - input: schema.facts
package gavel.exec.observed

import data.gavel.exec.modes
import data.gavel.exec.parameters
import data.gavel.exec.search

# METADATA
# description: everything was judged that a setting, a parameter or a variable could change
complete if {
	is_string(modes.host)
	count(input.exec.unknown) == 0
	parameters.bounded
	is_array(input.exec.env)
	is_array(input.exec.variables)
	is_array(input.exec.assigned)
	is_array(input.exec.expanded)
	search.as_configured
}

# METADATA
# scope: document
# description: |
#   the command does something that was judged: it runs programs, sets variables, or is a
#   construct itself
does_something if count(input.exec.segments) > 0

does_something if {
	input.exec.segments == []
	count(input.exec.assigned) + count(input.exec.constructs) > 0
}

# METADATA
# scope: document
# description: a shell would run the text as it was read; full mode needs that too
readable if input.exec.parsed == true

readable if {
	input.exec.parsed == false
	not input.exec.refusal.kind in {"limit", "guard", "dialect", "syntax", "parameters", "rendering"}
	is_string(input.exec.refusal.kind)
}
