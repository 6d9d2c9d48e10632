package gavel.exec.system_test

import data.gavel.exec.system
import data.gavel.testing

_writes(real) := {"kind": "writes", "option": "TARGET", "argument": "x", "index": 1, "real": real}

_closed := {"kind": "reads", "option": "closed", "argument": "x", "index": 1, "real": "/etc/x"}

test_files_of_the_system_and_of_others[real] if {
	some real in {"/", "/etc/passwd", "/etc", "/dev/sda", "/usr/local/bin/x", "/home/other/x", "/home", "/var", "/srv", "/home/u", "/srv/app"}
	system.file(real) with input as testing.facts
}

test_other_files[real] if {
	some real in {"", "/tmp/x", "/mnt/x", "/dev/null", "/home/u/x", "/srv/app/x", "/srv/other", "/etcetera", "/var/www/x"}
	not system.file(real) with input as testing.facts
}

# A program whose words are read, and one without a grammar.
_read := {"optionsKnown": "exact"}

_unread := {"optionsKnown": "none"}

test_what_changes_such_files[name] if {
	some name, c in {
		"a file of the system is written": [_read, {_writes("/etc/x")}],
		"a closed path, and something is written": [_read, {_closed, _writes("")}],
		"a closed path, and nobody knows what the program does": [_unread, {_closed}],
	}
	[part, hazards] := c
	system.changed(part, hazards) with input as testing.facts
}

test_what_does_not[name] if {
	some name, c in {
		"a closed path is only read": [_read, {_closed}],
		"a file of the workspace is written": [_read, {_writes("/srv/app/x")}],
		"no hazard": [_unread, set()],
	}
	[part, hazards] := c
	not system.changed(part, hazards) with input as testing.facts
}
