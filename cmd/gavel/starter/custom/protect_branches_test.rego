package custom.protect_branches_test

import data.custom.protect_branches

test_found[name] if {
	some name, argv in {
		"a protected branch by its name": ["git", "push", "origin", "main"],
		"forced, by a full refspec": ["git", "push", "-f", "origin", "+HEAD:refs/heads/release"],
		"behind options of git": ["git", "-C", "app", "push", "origin", "master"],
		"deleted": ["git", "push", "origin", ":main"],
		"every branch": ["git", "push", "--mirror", "origin"],
		"no branch": ["git", "push"],
	}
	count(protect_branches.{{.Ask}}) > 0 with input as _running(argv)
}

test_by_the_file_that_runs if {
	facts := {"exec": {"segments": [{
		"argv": ["vcs", "push", "origin", "main"],
		"executable": {"name": "vcs", "real": "/usr/bin/git"},
	}]}}
	count(protect_branches.{{.Ask}}) == 1 with input as facts
}

test_left_alone[name] if {
	some name, argv in {
		"another branch": ["git", "push", "origin", "fix-typo"],
		"no push": ["git", "log", "main"],
		"another program": ["echo", "push", "main"],
	}
	count(protect_branches.{{.Ask}}) == 0 with input as _running(argv)
}

test_git_stash_push_is_not_a_push if {
	facts := {"exec": {"segments": [{
		"argv": ["git", "stash", "push", "-m", "wip"],
		"subCommand": "stash",
		"executable": {"name": "git", "real": "/usr/bin/git"},
	}]}}
	count(protect_branches.{{.Ask}}) == 0 with input as facts
}

test_other_tools_are_left_alone if {
	count(protect_branches.{{.Ask}}) == 0 with input as {"tool": {"name": "read"}}
}

_running(argv) := {"exec": {"segments": [{
	"argv": argv,
	"executable": {"name": argv[0], "real": sprintf("/usr/bin/%s", [argv[0]])},
}]}}
