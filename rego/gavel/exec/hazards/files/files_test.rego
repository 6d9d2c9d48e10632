package gavel.exec.hazards.files_test

import data.gavel.exec.hazards.files
import data.gavel.testing

_lists := {"tools": {"read": {"deny": ["/**/.env", "/**/.aws/**"]}}}

_searching(program, list) := json.patch(testing.segment(program), [{"op": "replace", "path": "/hazards", "value": list}])

_found(option, real) := {"kind": "reads", "option": option, "argument": ".", "index": 2, "real": real}

_denied_with(segment, config) := found if {
	found := files.denied with input as testing.execution({"segments": [segment]}) with data.config as testing.configured(config)
}

# FILES-1: what a program reads below a directory.
test_denied_files_below_a_directory_are_reported_together if {
	segment := _searching("/usr/bin/rg", [_found("below", "/srv/app/.env"), _found("inside", "/srv/app/.aws"), _found("below", "/srv/app/main.go")])
	found := _denied_with(segment, _lists)
	count(found) == 1
	some reason in found
	reason.code == "exec.search_denied"
	reason.message == "rg TODO would also read what is denied: /srv/app/.aws, /srv/app/.env"
	reason.fix == "leave it out: add -g '!.aws' -g '!.env'; or search a directory without it"
	reason.source.path == "tools.read.deny"
}

test_a_directory_is_left_out_with_its_own_option if {
	some reason in _denied_with(_searching("/usr/bin/grep", [_found("inside", "/srv/app/.aws")]), _lists)
	startswith(reason.fix, "leave it out: add --exclude-dir=.aws;")
}

test_a_program_without_an_exclude_option_is_to_name_the_files if {
	some reason in _denied_with(_searching("/usr/bin/ack", [_found("below", "/srv/app/.env")]), _lists)
	startswith(reason.fix, "name the files to read;")
}

test_a_file_that_git_would_take_in_is_to_be_ignored if {
	adds := object.union(_searching("/usr/bin/git", [_found("below", "/srv/app/.env")]), {"subCommand": "add"})
	some reason in _denied_with(adds, _lists)
	reason.fix == "list it in .gitignore or .git/info/exclude in a call before this one, or name the files; ignore rules of the user (core.excludesFile) do not count, because Gavel does not read the settings that name their file; with -f or --all git takes in ignored files, too"
}

# What a command reads and writes is judged by the lists of files (FILES-1).

_of(kind, option, real) := {"kind": kind, "option": option, "argument": "x", "index": 2, "real": real}

# A file on a deny list is closed even for a person.
test_files_on_deny_lists[name] if {
	some name, c in {
		"a file that is read": {"hazard": _of("reads", "--file", "/srv/app/.env"), "source": "tools.read.deny"},
		"a file that is written": {"hazard": _of("writes", "-o", "/etc/x"), "source": "tools.write.deny"},
		"a file outside the workspace": {"hazard": _of("elsewhere", "outside", "/opt/.env"), "source": "tools.read.deny"},
		"another file that is read": {"hazard": _of("reads", "--file", "/srv/app/x")},
		"another file that is written": {"hazard": _of("writes", "-o", "/srv/app/.env")},
		"a file in whose directory too much was to be seen": {"hazard": _of("reads", "bound", "/srv/app/.env")},
		"a file in whose directory nothing was seen": {"hazard": _of("reads", "unseen", "/srv/app/.env")},
		"a file of which it is not sure": {"hazard": _of("reads", "unsure", "/srv/app/.env")},
		"a kind that names no file": {"hazard": _of("network", "x", "/srv/app/.env")},
	}
	lists := object.union(_lists, {"tools": {"write": {"deny": ["/etc/**"]}}})
	want := {["exec.file_denied", source] | source := c.source}
	{[r.code, r.source.path] | some r in _denied_with(_searching("/usr/bin/rg", [c.hazard]), lists)} == want
	{[r.code, r.source.path] | some r in _denied_with(_behind(c.hazard), lists)} == want
}

# A shell prints what is in a script (bash -v), and in its messages.
test_a_script_on_a_deny_list_is_closed[name] if {
	some name, c in {
		"a script": {"role": "script", "real": "/srv/app/.env", "codes": {"exec.file_denied"}},
		"another script": {"role": "script", "real": "/srv/app/run.sh", "codes": set()},
		"a file that a tool reads for itself": {"role": "config", "real": "/srv/app/.env", "codes": set()},
	}
	segment := json.patch(testing.segment("/srv/app/.env"), [{"op": "replace", "path": "/scripts", "value": [{"role": c.role, "real": c.real}]}])
	{r.code | some r in _denied_with(segment, _lists)} == c.codes
}

# The same of a wrapper in front of the program.
_behind(hazard) := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [{"hazards": [hazard]}]})

test_the_reason_of_a_denied_file_says_which if {
	some r in _denied_with(_searching("/usr/bin/rg", [_of("reads", "--file", "/srv/app/.env")]), _lists)
	contains(r.message, "/srv/app/.env")
	contains(r.message, "rg")
}
