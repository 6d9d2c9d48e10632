package gavel.approvals.unclear_test

import data.gavel.approvals.unclear
import data.gavel.testing

_says(exec) := [said, fix] if {
	facts := testing.execution(exec)
	said := unclear.cause with input as facts
	fix := unclear.fix with input as facts
}

_paths := "use programs and files that exist and can be read, and state a working directory"

_script := object.union(testing.segment("/usr/bin/bash"), {"scripts": [{"path": "x.sh", "real": "", "found": false}]})

test_the_doubt_about_a_command_is_named[name] if {
	some name, c in {
		"a program that was not found": {"exec": {"segments": [testing.lost("zz")]}, "want": [`the program "zz" was not found`, _paths]},
		"a shell builtin": {"exec": {"segments": [testing.lost("source")]}, "want": [
			"source is a shell builtin, so there is no file to show",
			"run a script as its own program (bash FILE), and use no other shell builtins",
		]},
		"the working directory": {"exec": {"workdir": ""}, "want": ["the working directory is unknown", _paths]},
		"a file that was not read": {"exec": {"segments": [_script]}, "want": [`the file "x.sh" was not found or could not be read`, _paths]},
		"several things": {"exec": {"workdir": "", "segments": [testing.lost("zz")]}, "want": [
			`the program "zz" was not found; the working directory is unknown`,
			_paths,
		]},
		"a program that was replaced": {"exec": {"segments": [testing.segment("/usr/bin/rg")]}, "want": [
			"/usr/bin/rg was replaced in the meantime, or cannot be read",
			_paths,
		]},
		"nothing that the facts name": {"exec": {"segments": []}, "want": [
			"a program or a code file of the command was replaced, or cannot be read",
			_paths,
		]},
	}
	_says(c.exec) == c.want
}
