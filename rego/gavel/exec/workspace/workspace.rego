# METADATA
# title: Workspace
# description: |
#   The workspace: the directory that a call may treat as its own. The gateway or the
#   configuration states it. workdir is judged as cd to it is (R36).
# schemas:
#   - input: schema.facts
package gavel.exec.workspace

import data.gavel.exec.modes
import data.gavel.frozen
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
	modes.security == "allowlist"
	input.exec.parsed == true
	not begins_inside
}

# METADATA
# scope: document
# description: the command begins in the workspace, where files may be read, or where the gateway says and not the call
begins_inside if {
	input.exec.place == ""
	inside(input.exec.directory)
}

begins_inside if {
	input.exec.directory != ""
	input.exec.directory == input.environment.workspace
}

# The root, or a directory that is not known, is no workspace.
begins_inside if {
	input.environment.cwd in {"", "/"}
	frozen.result.exec.workspace.value == ""
	input.environment.workspace == ""
	input.exec.workdir == input.environment.cwd
}

# METADATA
# scope: document
# description: the directory is the workspace, lies in it, or is one where files may be read
inside(directory) if _within(directory, input.environment.workspace)

inside(directory) if resources.judged("read", directory).verdict == "allowed"

default _directory_shown := "a directory that is not known"

_directory_shown := input.exec.directory if {
	input.exec.directory != ""
}

default _directory_is := "outside of the workspace"

_directory_is := "a place of the system or of somebody else" if {
	input.exec.place == "closed"
} else := "a place of secrets" if {
	input.exec.place == "secret"
}

_within(path, directory) if {
	startswith(directory, "/")
	path == directory
}

_within(path, directory) if {
	startswith(directory, "/")
	startswith(path, sprintf("%s/", [directory]))
}
