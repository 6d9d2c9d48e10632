# The workspace: the directory that a call may treat as its own. The gateway or the
# configuration states it. workdir is judged as cd to it is (R36).
package gavel.exec

import data.gavel.reason
import data.gavel.resources

# METADATA
# title: Directory to run in is elsewhere
# description: the command would begin outside of the workspace, or in a place that is closed
# custom:
#   code: exec.workdir
#   message: 'the command would run in %s, which is %s'
#   fix: 'run it in the workspace, or allow the directory under %s'
miss contains reason.fixed(rego.metadata.rule(), [_directory_shown, _directory_is], ["tools.read.allow"], {"path": "tools.read.allow"}) if {
	security == "allowlist"
	input.exec.parsed == true
	not begins_inside
}

# METADATA
# description: the command begins in the workspace, where files may be read, or where the gateway says and not the call
begins_inside if {
	input.exec.place == ""
	_inside(input.exec.directory)
}

begins_inside if {
	input.exec.directory != ""
	input.exec.directory == input.environment.workspace
}

# The root, or a directory that is not known, is no workspace.
begins_inside if {
	input.environment.cwd in {"", "/"}
	configured.workspace.value == ""
	input.environment.workspace == ""
	input.exec.workdir == input.environment.cwd
}

_inside(directory) if _within(directory, input.environment.workspace)

_inside(directory) if resources.judged("read", directory).verdict == "allowed"

_directory_shown := input.exec.directory if {
	input.exec.directory != ""
} else := "a directory that is not known"

_directory_is := "a place of the system or of somebody else" if {
	input.exec.place == "closed"
} else := "a place of secrets" if {
	input.exec.place == "secret"
} else := "outside of the workspace"
