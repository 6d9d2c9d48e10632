# What a team would write that has one question only: look-ups, and no explanations.
package tuned

default allow := false

allow if {
	data.tools[input.tool]
	every segment in input.segments {
		data.programs[segment.program]
	}
}
