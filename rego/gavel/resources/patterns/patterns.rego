# METADATA
# title: Patterns of files
# description: Globs over the real paths of files.
# schemas:
#   - input: schema.facts
package gavel.resources.patterns

# METADATA
# scope: document
# description: |
#   the path matches the pattern: * and ? stay inside a directory, ** crosses directories, ~
#   is the home directory, and a leading ./ is the workspace. A pattern for everything in a
#   directory matches the directory too.
matches(pattern, path, home) if _matches(pattern, path, home, workspace)

# METADATA
# scope: document
# description: the same, whatever the case of the letters
matches_folded(pattern, path, home) if _matches(lower(pattern), lower(path), lower(home), lower(workspace))

# METADATA
# scope: document
# description: |
#   the pattern begins in the home directory or in the workspace, which is unknown, and with some
#   directory in its place the path matches, whatever the case of the letters
may_match(pattern, path) if {
	some rest in {_unrooted(pattern), trim_suffix(_unrooted(pattern), "/**")}
	glob_matches(lower(sprintf("/**%s", [rest])), lower(path))
}

_unrooted(pattern) := substring(pattern, 1, -1) if {
	startswith(pattern, "~/")
	not _home_known
}

_unrooted(pattern) := substring(pattern, 1, -1) if {
	startswith(pattern, "./")
	not _workspace_known
}

_home_known if startswith(input.environment.home, "/")

_workspace_known if startswith(workspace, "/")

_matches(pattern, path, home, base) if {
	[literal, subject] := _rooted(pattern, path, home, base)
	glob_matches(literal, subject)
}

_matches(pattern, path, home, base) if {
	[literal, subject] := _rooted(pattern, path, home, base)
	endswith(literal, "/**")
	glob_matches(trim_suffix(literal, "/**"), subject)
}

# METADATA
# scope: document
# description: a text without a root matches a glob
glob_matches(literal, subject) if glob.match(regex.replace(literal, `[\[\]{}\\!]`, `\$0`), ["/"], subject)

# A directory is compared literally, so nothing in its name acts as a pattern.
_rooted(pattern, path, home, _) := [substring(pattern, 1, -1), substring(path, count(home), -1)] if {
	startswith(pattern, "~/")
	within(path, home)
}

_rooted(pattern, path, _, base) := [substring(pattern, 1, -1), substring(path, count(base), -1)] if {
	startswith(pattern, "./")
	within(path, base)
}

_rooted(pattern, path, _, _) := [pattern, path] if {
	startswith(pattern, "/")
	path != ""
}

_rooted("**", path, _, _) := ["**", path] if path != ""

# METADATA
# scope: document
# description: the path is in the directory, or is the directory
within(path, directory) if {
	startswith(directory, "/")
	directory != "/"
	startswith(path, sprintf("%s/", [directory]))
}

within(path, directory) if {
	directory != ""
	path == directory
}

# METADATA
# scope: document
# description: the workspace, which no agent can choose; "" if it is unknown
default workspace := ""

workspace := input.environment.workspace
