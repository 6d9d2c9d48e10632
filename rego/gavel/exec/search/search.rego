# METADATA
# title: Search
# description: |
#   Where programs are found. Resolving a name rests on it, so what a call says about it is
#   denied (exec.environment), and what the configuration says is held to what was done.
# schemas:
#   - input: schema.facts
package gavel.exec.search

import data.gavel.exec.modes
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: |
#   the directories that programs are looked up in before the search path (EXEC-7): those of
#   pathPrepend where the gateway or a sandbox runs the command, none on a node. ~ is the home
#   directory of where it runs. While that is unknown the ~ stays, and as an entry that is not
#   absolute it ends every search.
first := [] if {
	frozen.result.exec.path_prepend.value == []
} else := [_at_home(dir) | some dir in frozen.result.exec.path_prepend.value] if {
	modes.host in {"gateway", "sandbox"}
} else := [] if {
	modes.host == "node"
}

# METADATA
# title: Programs were looked for elsewhere
# description: names were resolved without the directories that the command's PATH begins with, or with others (EXEC-7)
# custom:
#   code: exec.search_path
#   message: 'programs were looked up in directories other than those of %s first'
#   fix: decide the call again, with the policy that its facts were collected for
unusual contains reason.from(rego.metadata.rule(), [frozen.result.exec.path_prepend.path], modes.source(frozen.result.exec.path_prepend)) if {
	not performed
}

# METADATA
# description: names were resolved as the configuration says
performed if input.environment.pathPrepend == first

_at_home(dir) := dir if not startswith(dir, "~")

_at_home(dir) := concat("", [input.environment.home, substring(dir, 1, -1)]) if {
	startswith(dir, "~")
	input.environment.home != ""
}

_at_home(dir) := dir if {
	startswith(dir, "~")
	input.environment.home == ""
}
