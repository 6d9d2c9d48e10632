package gavel.exec.advice_test

import data.gavel.exec.advice

test_the_advice_fits_the_command[name] if {
	some name, c in {
		"a shell that a pipe feeds": {
			"program": "bash", "opaque": "bash without -c",
			"want": "save the script to a file, read it, and run it with bash FILE; or write the commands as bash -c 'COMMANDS'",
		},
		"a shell with an option that is not known": {
			"program": "sh", "opaque": "sh -s",
			"want": "save the script to a file, read it, and run it with sh FILE; or write the commands as sh -c 'COMMANDS'",
		},
		"every variable": {
			"program": "env", "opaque": "env without a command",
			"want": "use printenv NAME to see one variable: all of them together may show secrets",
		},
		"a wrapper without a command": {
			"program": "timeout", "opaque": "timeout without a command",
			"want": "write the command that timeout should run behind it",
		},
		"a builtin that evaluates": {
			"program": "eval", "opaque": "eval",
			"want": "write the commands themselves, or put them into a script and run it with bash FILE",
		},
		"a builtin that changes the shell": {
			"program": "alias", "opaque": "",
			"want": "leave it out: it changes the shell for the commands after it",
		},
		"anything else": {"program": "parallel", "opaque": "", "want": "call the program itself"},
		"a reason that is no text": {"program": "parallel", "opaque": null, "want": "call the program itself"},
	}
	advice.instead({"executable": {"name": c.program, "programs": [c.program]}, "opaque": c.opaque}) == c.want
}

test_a_shell_under_another_name_is_a_shell if {
	facts := {"executable": {"name": "myshell", "programs": ["bash"]}, "opaque": "bash without -c"}
	startswith(advice.instead(facts), "save the script to a file")
}
