# METADATA
# title: Protected branches
# description: |
#   A push to a protected branch, or one that does not name its branch, {{if .Asks}}needs an answer{{else}}is denied{{end}}.
#   A reason has a code, a message and a fix. Rules are called deny or ask.
package custom.protect_branches

# The branches that only people change.
protected := {"main", "master", "release"}

{{.Ask}} contains reason if {
	some words in _pushes
	some word in words
	_branch(word) in protected
	reason := {
		"code": "custom.protected_branch",
		"message": sprintf("only people may push to %s", [_branch(word)]),
		"fix": "push a branch of your own and open a pull request",
	}
}

{{.Ask}} contains reason if {
	some words in _pushes
	count([word | some word in words; not startswith(word, "-")]) < 2
	reason := {
		"code": "custom.unnamed_branch",
		"message": "the push does not say which branch it changes",
		"fix": "write the remote and the branch: git push origin my-branch",
	}
}

{{.Ask}} contains reason if {
	some words in _pushes
	some word in words
	word in {"--all", "--mirror"}
	reason := {
		"code": "custom.protected_branch",
		"message": sprintf("git push %s pushes protected branches too", [word]),
		"fix": "push one branch by its name",
	}
}

# What follows push in every segment that runs git.
_pushes contains words if {
	some segment in input.exec.segments
	_runs_git(segment)
	not segment.subCommand == "stash" # git stash push puts changes away
	some i, "push" in segment.argv
	words := array.slice(segment.argv, i + 1, count(segment.argv))
}

_runs_git(segment) if segment.executable.name == "git"

_runs_git(segment) if endswith(segment.executable.real, "/git")

# The branch at the far end of a refspec: +HEAD:refs/heads/main is main.
_branch(word) := trim_prefix(target, "refs/heads/") if {
	parts := split(trim_prefix(word, "+"), ":")
	target := parts[count(parts) - 1]
}
