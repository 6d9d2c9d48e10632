package gavel.exec.environment_test

import data.gavel.decision
import data.gavel.exec.environment
import data.gavel.testing

_assigned := {"form": "plain", "exported": false, "shell": "", "value": "", "places": [], "code": []}

_set(assignment) := testing.execution({"env": [upper(assignment.name)], "assigned": [object.union(_assigned, assignment)]})

_codes(facts, config) := {r.code | some r in reasons} if {
	reasons := decision.result.reasons with input as facts with data.config as config
}

_effect(facts, config) := effect if {
	effect := decision.result.effect with input as facts with data.config as config
}

_configured := testing.configured({"tools": {"exec": {"environment": {"allow": ["LISTED", "MINE_*"]}}}})

test_the_values_that_a_variable_may_have[name] if {
	some name, c in {
		"a plain value": {"set": ["FOO", "plain", true], "want": ["allow", ""]},
		"a variable that is taken away": {"set": ["FOO", "none", true], "want": ["allow", ""]},
		"a value that names a file": {"set": ["GREP", "other", true], "want": ["ask", "exec.environment_value"]},
		"a value produced at run time": {"set": ["GREP", "dynamic", true], "want": ["ask", "exec.environment_value"]},
		"a value that could be evaluated": {"set": ["FOO", "evaluates", true], "want": ["deny", "exec.environment_evaluated"]},
		"a harmless name": {"set": ["TZ", "other", true], "want": ["allow", ""]},
		"a harmless name with a value that could be evaluated": {"set": ["TZ", "evaluates", true], "want": ["deny", "exec.environment_evaluated"]},
		"a name of the policy": {"set": ["LISTED", "other", true], "want": ["allow", ""]},
		"a name that begins as one of the policy": {"set": ["MINE_X", "dynamic", true], "want": ["allow", ""]},
		"a name that only looks like one of the policy": {"set": ["LISTED_TOO", "other", true], "want": ["ask", "exec.environment_value"]},
		"a name of the policy with a value that could be evaluated": {"set": ["LISTED", "evaluates", true], "want": ["deny", "exec.environment_evaluated"]},
		"a variable of the shell alone": {"set": ["tmp", "dynamic", false], "want": ["allow", ""]},
		"the same once programs get it": {"set": ["tmp", "dynamic", true], "want": ["ask", "exec.environment_value"]},
		"a variable of the shell in capitals that scripts use": {"set": ["FILE", "other", false], "want": ["allow", ""]},
		"a variable of the shell in other capitals": {"set": ["GREP", "other", false], "want": ["ask", "exec.environment_value"]},
		"a name that names code, and a plain value": {"set": ["MIX_EXS", "plain", true], "want": ["ask", "exec.environment_names_code"]},
		"a name that names settings of apt-cache": {"set": ["APT_CONFIG", "plain", true], "want": ["ask", "exec.environment_names_code"]},
		"a name that says where xcrun finds programs": {"set": ["DEVELOPER_DIR", "plain", true], "want": ["ask", "exec.environment_names_code"]},
		"a name in mixed case": {"set": ["MSBuildSDKsPath", "plain", true], "want": ["ask", "exec.environment_names_code"]},
		"a blocked name": {"set": ["NODE_OPTIONS", "plain", true], "want": ["deny", "exec.environment"]},
		"an unknown form": {"set": ["FOO", "nonsense", true], "want": ["deny", "exec.environment_evaluated"]},
	}
	facts := _set({"name": c.set[0], "form": c.set[1], "exported": c.set[2]})
	_effect(facts, _configured) == c.want[0]
	_said(facts, c.want[1])
}

# The denial has a rule of its own, which does not read these two.
test_a_person_cannot_permit_a_value_that_could_be_evaluated[form] if {
	some form in ["evaluates", "nonsense", ""]
	facts := _set({"name": "LISTED", "form": form, "exported": true})
	not environment.answerable with input as facts with data.config as _configured
	not environment.accepted with input as facts with data.config as _configured
	environment.answerable with input as _set({"name": "LISTED", "form": "other", "exported": true}) with data.config as _configured
}

_said(_, "")

_said(facts, code) if code in _codes(facts, _configured)

# Each: the variable, its value, and whether the call may set it.
test_some_values_of_blocked_variables_are_harmless[name] if {
	some name, c in {
		"one": ["NODE_OPTIONS", "--max-old-space-size=4096", "allow"],
		"several": ["GOFLAGS", "-mod=mod -count=1", "allow"],
		"one that is not an option": ["PAGER", "cat", "allow"],
		"a number": ["COLUMNS", "200", "allow"],
		"one that is not known": ["NODE_OPTIONS", "--require=./x", "deny"],
		"one behind a harmless one": ["NODE_OPTIONS", "--no-warnings --require=./x", "deny"],
		"one in a quote": ["NODE_OPTIONS", `--max-old-space-size=1" --require=./x"`, "deny"],
		"a harmless one with more behind it": ["PAGER", "cat x", "deny"],
		"one that begins like a harmless one": ["PAGER", "catx", "deny"],
		"a harmless one of another variable": ["GIT_PAGER", "--no-warnings", "deny"],
		"none": ["NODE_OPTIONS", "", "deny"],
		"a variable without harmless values": ["LD_PRELOAD", "cat", "deny"],
		"a database of this machine": ["DATABASE_URL", "postgresql+psycopg2://u:p@127.0.0.1:5432/test", "allow"],
		"a database in a file of the working directory": ["DATABASE_URL", "sqlite:///test.db", "allow"],
		"a server of this machine": ["PGHOST", "localhost", "allow"],
		"a database of another machine": ["DATABASE_URL", "postgres://db.example/test", "deny"],
		"a machine with a name that begins as this one": ["DATABASE_URL", "postgres://localhost.example/test", "deny"],
		"this machine as the name of a user": ["DATABASE_URL", "postgres://localhost@example/test", "deny"],
		"a database of this machine, with settings": ["DATABASE_URL", "postgres://localhost/test?host=example", "deny"],
		"a database in a file elsewhere": ["DATABASE_URL", "sqlite:////etc/x.db", "deny"],
		"options of compilers": ["CFLAGS", "-O2 -g -Wall -Wno-error -std=c++17", "allow"],
		"an option for the linker": ["CFLAGS", "-Wl,-rpath,x", "deny"],
		"a plugin of a compiler": ["CFLAGS", "-fplugin=./x.so", "deny"],
		"a compiler": ["CC", "clang", "allow"],
		"a program of the workspace as the compiler": ["CC", "./cc", "deny"],
		"options of make": ["MAKEFLAGS", "-j4 -k", "allow"],
		"a makefile by an option of make": ["MAKEFLAGS", "-f x", "deny"],
	}
	_effect(_set({"name": c[0], "form": "other", "exported": true, "value": c[1]}), testing.config) == c[2]
}

# Each: the variable, and parts of its message and of its fix.
test_a_blocked_variable_says_what_it_controls[name] if {
	some name, c in {
		"GH_TOKEN": ["it controls which server or account programs use", "leave it out"],
		"DATABASE_URL": ["it controls which server or account programs use", "such as DATABASE_URL=postgres://localhost:5432/test"],
		"LD_PRELOAD": ["it controls which programs or libraries run", "leave it out"],
	}
	facts := _set({"name": name, "form": "other", "exported": true, "value": "x"})
	found := environment.blocked with input as facts with data.config as testing.config
	some r in found
	contains(r.message, c[0])
	contains(r.fix, c[1])
}

test_examples_of_values_are_accepted[name] if {
	some name, example in {name: example | some name, example in data.gavel.catalog.environment.accounts; example != ""}
	_effect(_set({"name": name, "form": "other", "exported": true, "value": example}), testing.config) == "allow"
}

test_a_harmless_value_beside_another_one_does_not_count if {
	harmless := object.union(_assigned, {"name": "PAGER", "exported": true, "value": "cat"})
	facts := testing.execution({"env": ["PAGER"], "assigned": [harmless, object.union(harmless, {"value": "", "form": "dynamic"})]})
	_effect(facts, testing.config) == "deny"
	unread := testing.execution({"env": ["PAGER"], "assigned": []})
	_effect(unread, testing.config) == "deny"
}

# Each: the directories of modules, the code that gets them, and whether the call may set them.
test_code_of_the_workspace_may_load_modules_of_the_workspace[name] if {
	some name, c in {
		"both may be written": [["/srv/app/src"], ["/srv/app"], "allow"],
		"modules elsewhere": [["/srv/app/src", "/opt/x"], ["/srv/app"], "deny"],
		"modules that may not be written": [["/srv/app/lib"], ["/srv/app"], "deny"],
		"code that may not be written": [["/srv/app/src"], ["/srv/app/lib/x.py"], "deny"],
		"other code": [["/srv/app/src"], [], "deny"],
		"unknown directories": [[], ["/srv/app"], "deny"],
	}
	config := object.union(testing.config, {"tools": {"write": {"allow": ["./**"], "deny": ["./lib/**"]}}})
	_effect(_set({"name": "PYTHONPATH", "form": "other", "exported": true, "places": c[0], "code": c[1]}), config) == c[2]
	_effect(_set({"name": "LD_LIBRARY_PATH", "form": "other", "exported": true, "places": c[0], "code": c[1]}), config) == "deny"
}

test_nothing_is_accepted_without_the_fact if {
	facts := json.remove(testing.exec_facts, ["exec/assigned"])
	not environment.accepted with input as facts with data.config as testing.config
	not environment.answerable with input as facts with data.config as testing.config
	_effect(facts, testing.config) == "deny"
}

test_an_assignment_without_a_member_is_incomplete[key] if {
	some key in ["name", "form", "exported", "shell", "value", "places", "code"]
	whole := object.union(_assigned, {"name": "A"})
	facts := _set(whole)
	_effect(json.remove(facts, [sprintf("exec/assigned/0/%s", [key])]), testing.config) == "deny"
}

test_an_entry_cannot_unblock_a_name if {
	config := testing.configured({"tools": {"exec": {"environment": {"allow": ["LD_PRELOAD"]}}}})
	_effect(_set({"name": "LD_PRELOAD", "form": "plain", "exported": true}), config) == "deny"
}

test_a_name_that_begins_or_ends_like_a_blocked_one_is_blocked[name] if {
	begins := {sprintf("%sUNHEARD_OF", [prefix]) | some prefix in data.gavel.catalog.environment.prefixes}
	ends := {sprintf("UNHEARD_OF%s", [suffix]) | some suffix in data.gavel.catalog.environment.suffixes}
	some name in (begins | ends)
	facts := _set({"name": name, "form": "plain", "exported": true})
	_effect(facts, testing.configured({"tools": {"exec": {"environment": {"allow": [name]}}}})) == "deny"
}

test_an_agents_list_replaces_the_one_for_all if {
	config := testing.configured({
		"tools": {"exec": {"environment": {"allow": ["LISTED"]}}},
		"agents": {"main": {"exec": {"environment": {"allow": ["OWN"]}}}},
	})
	_effect(_set({"name": "OWN", "form": "other", "exported": true}), config) == "allow"
	_effect(_set({"name": "LISTED", "form": "other", "exported": true}), config) == "ask"
}

test_a_command_that_only_sets_variables_runs_nothing if {
	facts := object.union(_set({"name": "A", "form": "plain", "exported": false}), {"exec": {"segments": []}})
	_effect(facts, testing.config) == "allow"
	"exec.no_program" in _codes(facts, testing.config)
	nothing := object.union(testing.exec_facts, {"exec": {"segments": []}})
	_effect(nothing, testing.config) == "deny"
}

test_lists_of_names_do_not_contradict_each_other if {
	lists := data.gavel.catalog.environment
	every name, _ in object.union(lists.harmless, lists.own) {
		not lists.blocked[name]
		not lists.special[name]
		not lists.names_code[name]
	}
}

# One table for all shells would be wrong: status and path are special in zsh, and ordinary
# variables in bash.
test_a_special_name_is_judged_by_the_shell_that_sets_it[name] if {
	some name, c in {
		"status in bash": {"set": ["status", "bash", false], "want": "allow"},
		"path in bash": {"set": ["path", "bash", false], "want": "allow"},
		"path in sh": {"set": ["path", "sh", false], "want": "allow"},
		"path in busybox": {"set": ["path", "ash", false], "want": "allow"},
		"argv in mksh": {"set": ["argv", "mksh", false], "want": "allow"},
		"PGRP in bash": {"set": ["PGRP", "bash", false], "want": "allow"},
		"status in zsh": {"set": ["status", "zsh", false], "want": "deny"},
		"path in zsh": {"set": ["path", "zsh", false], "want": "deny"},
		"PGRP in mksh": {"set": ["PGRP", "mksh", false], "want": "deny"},
		"PGRP in ksh, which may be mksh": {"set": ["PGRP", "ksh", false], "want": "deny"},
		"SRANDOM in sh, which may be bash": {"set": ["SRANDOM", "sh", false], "want": "deny"},
		"SRANDOM in dash": {"set": ["SRANDOM", "dash", false], "want": "allow"},
		"status where nobody said which shell": {"set": ["status", "", false], "want": "deny"},
		"status in an unknown shell": {"set": ["status", "fish", false], "want": "deny"},
		"status in bash, and programs get it": {"set": ["status", "bash", true], "want": "deny"},
		"PATH in bash": {"set": ["PATH", "bash", false], "want": "deny"},
		"http_proxy in bash": {"set": ["http_proxy", "bash", false], "want": "deny"},
	}
	assignment := object.union(_assigned, {"name": c.set[0], "shell": c.set[1], "exported": c.set[2]})
	facts := testing.execution({"env": [upper(c.set[0])], "variables": [c.set[0]], "assigned": [assignment]})
	_effect(facts, testing.config) == c.want
}

test_a_name_that_two_shells_set_is_judged_by_both if {
	facts := testing.execution({"env": ["STATUS"], "variables": ["status"], "assigned": [
		object.union(_assigned, {"name": "status", "shell": "bash"}),
		object.union(_assigned, {"name": "status", "shell": "zsh"}),
	]})
	_effect(facts, testing.config) == "deny"
}

test_every_shell_in_the_table_is_known if {
	lists := data.gavel.catalog.environment
	known := {shell | some shells in lists.shells; some shell in shells}
	every shells in lists.special {
		count(shells) > 0
		{shell | some shell in shells} - known == set()
	}
}
