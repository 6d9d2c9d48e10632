# METADATA
# title: Workspace
# description: |
#   The workspace is the directory that a call may treat as its own. The gateway or the
#   configuration names it. workdir is judged like cd to it (R36).
# schemas:
#   - input: schema.facts
package gavel.exec.workspace

import data.gavel.exec.modes
import data.gavel.frozen
import data.gavel.reason
import data.gavel.resources

# METADATA
# title: Working directory is outside the workspace
# description: the command would start outside the workspace, or in a protected directory
# custom:
#   code: exec.workdir
#   message: 'the command would run in %s, which is %s'
#   fix: 'run it in the workspace, or allow the directory under %s'
misses contains reason.fixed(rego.metadata.rule(), [_directory_shown, _directory_is], ["tools.read.allow"], {"path": "tools.read.allow"}) if {
	modes.security == "allowlist"
	input.exec.parsed == true
	not starts_inside
}

# METADATA
# scope: document
# description: the command starts in the workspace, where files may be read, or where the gateway (not the call) says
starts_inside if {
	input.exec.place == ""
	inside(input.exec.directory)
}

starts_inside if {
	input.exec.directory != ""
	input.exec.directory == input.environment.workspace
}

# The root directory, or an unknown directory, is not a workspace.
starts_inside if {
	input.environment.cwd in {"", "/"}
	frozen.result.exec.workspace.value == ""
	input.environment.workspace == ""
	input.exec.workdir == input.environment.cwd
}

# METADATA
# scope: document
# description: the directory is the workspace, is below it, or is one where files may be read
inside(directory) if _within(directory, input.environment.workspace)

inside(directory) if resources.file_verdict("read", directory).verdict == "allowed"

default _directory_shown := "an unknown directory"

_directory_shown := input.exec.directory if {
	input.exec.directory != ""
}

default _directory_is := "outside the workspace"

_directory_is := "a system directory or someone else's" if {
	input.exec.place == "closed"
} else := "a directory that holds secrets" if {
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
