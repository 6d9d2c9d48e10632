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
		"a shell that is given a variable": {
			"program": "bash", "opaque": "bash with words produced at run time",
			"want": "write the name of the script in the command, without a variable, as bash FILE; or write the commands as bash -c 'COMMANDS'",
		},
		"a shell that only reads a script without a known name": {
			"program": "sh", "opaque": "sh -n",
			"want": "write the name of the script in the command, without a variable, as sh FILE; or write the commands as sh -c 'COMMANDS'",
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
		"anything else": {"program": "parallel", "opaque": "", "want": "run the program itself, without parallel"},
		"a reason that is not text": {"program": "parallel", "opaque": null, "want": "run the program itself, without parallel"},
	}
	advice.instead({"executable": {"name": c.program, "programs": [c.program]}, "opaque": c.opaque}) == c.want
}

test_why_no_list_can_permit_the_command[name] if {
	some name, c in {
		"a shell that a pipe feeds": {"program": "sh", "opaque": "sh without -c", "want": "Gavel cannot see the commands that sh reads (sh without -c)"},
		"every variable": {"program": "env", "opaque": "env without a command", "want": "it shows every variable of the environment"},
		"a wrapper without a command": {"program": "timeout", "opaque": "timeout without a command", "want": "it has no command to run"},
		"a builtin that evaluates": {"program": "eval", "opaque": "eval", "want": "Gavel cannot see the commands that eval runs"},
		"a builtin that changes the shell": {"program": "alias", "opaque": "", "want": "it changes what the commands after it mean"},
		"anything else": {"program": "parallel", "opaque": "", "want": "Gavel cannot tell what parallel runs"},
		"a reason that is not text": {"program": "parallel", "opaque": null, "want": "Gavel cannot tell what parallel runs"},
	}
	advice.because({"executable": {"name": c.program, "programs": [c.program]}, "opaque": c.opaque}) == c.want
}

test_a_command_without_an_operand_has_no_program_to_run_instead if {
	crontab := {"executable": {"name": "crontab", "programs": ["crontab"]}, "opaque": "", "argv": ["crontab", "-l"]}
	advice.instead(crontab) == "have a person do it"
	advice.instead(object.union(crontab, {"argv": ["crontab", "file"]})) == "run the program itself, without crontab"
}

# Without a name there is still a text, because a reason without one would be lost.
test_a_program_without_a_name_has_advice if {
	advice.because({"opaque": "x"}) == "Gavel cannot tell what the program runs (x)"
	advice.instead({"opaque": "x"}) == "run the program itself, without the program"
}

test_a_name_that_is_not_a_program_is_looked_up_or_is_a_builtin if {
	startswith(advice.search("."), "it is a shell builtin")
	advice.search("alias") == "leave it out, or do the same with a program"
	startswith(advice.search("eval"), "write the commands themselves")
	advice.builtin("alias") == "; the shell has a builtin of that name, which no list can permit"
	advice.builtin("cd") == ", and the shell builtin of that name is not permitted with these words"
	advice.search("cd") == "write the whole path of the directory, or a path below the current one"
	advice.builtin("nosuch") == ""
	startswith(advice.search("nosuch"), "check the name")
}

test_a_shell_under_another_name_is_a_shell if {
	facts := {"executable": {"name": "myshell", "programs": ["bash"]}, "opaque": "bash without -c"}
	startswith(advice.instead(facts), "save the script to a file")
}
