# METADATA
# title: Links
# description: |
#   Paths are resolved before anything runs. After a command that may create, move or remove
#   links, a path may lead elsewhere, unless the configuration says that there are no links there
#   (tools.exec.noLinks), or the command runs only code that the agent may write: through it, the
#   agent gains nothing.
# schemas:
#   - input: schema.facts
package gavel.exec.links

import data.gavel.frozen
import data.gavel.resources
import data.gavel.resources.patterns

# METADATA
# scope: document
# description: |
#   the path still leads where it led when it was resolved, when a segment or a redirection uses it
unchanged(step, real) if {
	step.after == false
	is_string(real)
}

unchanged(_, real) if {
	some pattern in frozen.result.exec.no_links.value
	patterns.matches(pattern, real, input.environment.home)
}

unchanged(step, real) if {
	is_string(real)
	count(step.afterCode) > 0
	every file in step.afterCode { agent_may_write(file) }
}

# METADATA
# scope: document
# description: the agent may write the file or directory of the workspace, and so the code that it holds
agent_may_write(file) if {
	patterns.within(file, patterns.workspace)
	resources.file_verdict("write", file).verdict == "allowed"
}
