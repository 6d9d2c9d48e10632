package gavel.credentials.arguments_test

import data.gavel.credentials.arguments
import data.gavel.testing

_rule(changes) := object.union_n([testing.blank.credentialRule, {"match": "arg"}, changes])

_facts(changes) := {"credential": object.union(testing.blank.credential, changes)}

default _some(_) := true

_some(found) := false if found == set()

test_blocked[name] if {
	some name, c in {
		"a word as given": {"rule": {"pattern": "^delete$"}, "facts": {"words": ["repo", "delete"]}, "blocked": true},
		"no word": {"rule": {"pattern": "^delete$"}, "facts": {"words": ["repo", "deleted"]}, "blocked": false},
		"nothing at all": {"rule": {"pattern": "--force"}, "facts": {}, "blocked": false},
		"a line": {"rule": {"pattern": `repo\s+delete`, "match": "command"}, "facts": {"lines": ["-- repo delete", "repo delete"]}, "blocked": true},
		"another line": {"rule": {"pattern": `repo\s+delete`, "match": "command"}, "facts": {"lines": ["repo list"]}, "blocked": false},
		"a word is not a line": {"rule": {"pattern": "x", "match": "command"}, "facts": {"words": ["x"]}, "blocked": false},
		"a line is not a word": {"rule": {"pattern": "x"}, "facts": {"lines": ["x"]}, "blocked": false},
		"an abbreviation": {"rule": {"pattern": "^--force$", "options": ["--force"]}, "facts": {"unlisted": ["--fo"]}, "blocked": true},
		"another option": {"rule": {"pattern": "^--force$", "options": ["--force"]}, "facts": {"unlisted": ["--forced"]}, "blocked": false},
		"a way to match that does not exist": {"rule": {"pattern": ".", "match": "glob"}, "facts": {"words": ["x"], "lines": ["x"]}, "blocked": false},
	}
	found := arguments.blocked with input as _facts(object.union(c.facts, {"blocked": [_rule(c.rule)]}))
	_some(found) == c.blocked
}

test_messages if {
	arguments.blocked == {"no", "operation blocked by security policy"} with input as _facts({"words": ["a"], "blocked": [_rule({"pattern": "a", "message": "no"}), _rule({"pattern": "a"})]})
	arguments.unlisted == "operation not in allowlist" with input as _facts({})
	arguments.unlisted == "reads only" with input as _facts({"allowed": [_rule({"pattern": "a"}), _rule({"pattern": "b", "message": "reads only"})]})
}

test_listed[name] if {
	some name, c in {
		"the sub-command": {"rule": {"pattern": "^list$"}, "facts": {"commands": ["repo", "list"], "commandsKnown": "exact", "leading": ["repo", "list"]}, "listed": true},
		"the group of the sub-command": {"rule": {"pattern": "^repo$"}, "facts": {"commands": ["repo", "list"], "commandsKnown": "exact"}, "listed": true},
		"an operand of another sub-command": {"rule": {"pattern": "^list$"}, "facts": {"commands": ["repo", "delete"], "commandsKnown": "exact", "leading": ["repo", "delete", "list"]}, "listed": false},
		"a word before the options": {"rule": {"pattern": "^list$"}, "facts": {"commandsKnown": "none", "leading": ["repo", "list"]}, "listed": true},
		"a word behind an option (W13)": {"rule": {"pattern": "^list$"}, "facts": {"commandsKnown": "none", "leading": ["delete"], "args": ["delete", "--all", "list"]}, "listed": false},
		"an operand far behind": {"rule": {"pattern": "^list$"}, "facts": {"commandsKnown": "none", "leading": ["repo", "delete", "list"]}, "listed": false},
		"no arguments": {"rule": {"pattern": "^list$"}, "facts": {}, "listed": false},
		"the command": {"rule": {"pattern": `^pr\s+view`, "match": "command"}, "facts": {"quoted": "pr view 1"}, "listed": true},
		"one argument that looks like two (W14)": {"rule": {"pattern": `^pr\s+view`, "match": "command"}, "facts": {"quoted": "'pr view'", "lines": ["pr view"]}, "listed": false},
		"a word of the command": {"rule": {"pattern": "^list$", "match": "command"}, "facts": {"quoted": "list --all", "leading": ["list"]}, "listed": false},
		"patterns of each argument in another rule": {"rule": {"pattern": "^x$", "argv": ["list"]}, "facts": {"args": ["list"], "leading": ["list"]}, "listed": false},
		"each argument": {"rule": {"match": "argv", "argv": ["call", `front\.(read|list)`, `(?s)\{.*\}`]}, "facts": {"args": ["call", "front.read", "{\n}"]}, "listed": true},
		"each argument in full": {"rule": {"match": "argv", "argv": ["call", `front\.(read|list)`]}, "facts": {"args": ["call", "front.readX"]}, "listed": false},
		"each argument from its start": {"rule": {"match": "argv", "argv": ["call", `front\.(read|list)`]}, "facts": {"args": ["call", "xfront.read"]}, "listed": false},
		"an alternative in full": {"rule": {"match": "argv", "argv": ["a|b"]}, "facts": {"args": ["ax"]}, "listed": false},
		"more arguments": {"rule": {"match": "argv", "argv": ["call"]}, "facts": {"args": ["call", "x"]}, "listed": false},
		"no patterns": {"rule": {"match": "argv"}, "facts": {"args": []}, "listed": false},
		"a line feed in an argument": {"rule": {"match": "argv", "argv": ["a.*"]}, "facts": {"args": ["a\nb"]}, "listed": false},
	}
	found := arguments.listed with input as _facts(object.union(c.facts, {"allowed": [_rule(c.rule)]}))
	found == c.listed
}
