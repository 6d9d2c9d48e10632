# METADATA
# title: Globs of a rule
# description: Whether a text matches a glob of a rule
package gavel.exec.rules.words.globs

# METADATA
# scope: document
# description: a text may match a pattern; of a text that is produced at run time, only the beginning is known
may_match(pattern, text, false) if matches(pattern, text)

may_match(pattern, text, dynamic) if {
	not dynamic == false
	written := split(replace(pattern, "?", "*"), "*")[0]
	startswith(written, text)
}

may_match(pattern, text, dynamic) if {
	not dynamic == false
	written := split(replace(pattern, "?", "*"), "*")[0]
	startswith(text, written)
}

# METADATA
# scope: document
# description: |
#   a text matches a pattern: * and ? stay between slashes, ** crosses them, ~ is the home
#   directory, everything else is itself, and * alone is any text
matches("*", _)

matches(pattern, text) if {
	not pattern == "*"
	glob.match(regex.replace(_homed(pattern), `[\[\]{}\\!]`, `\$0`), ["/"], text)
}

_homed(pattern) := sprintf("%s%s", [input.environment.home, substring(pattern, 1, -1)]) if {
	startswith(pattern, "~/")
	startswith(input.environment.home, "/")
} else := pattern
