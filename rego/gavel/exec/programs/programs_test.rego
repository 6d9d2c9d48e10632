package gavel.exec.programs_test

import data.gavel.exec.programs
import data.gavel.testing

# A list that permits everything does not cover programs that run other programs.
test_opaque_programs_match_no_entry[name] if {
	named := object.union(testing.segment("/usr/bin/rg"), {"executable": {"name": "BASH", "programs": ["bash"]}})
	linked := object.union(testing.segment("/usr/bin/rg"), {"executable": {"real": "/usr/bin/Busybox", "realName": "Busybox", "programs": ["rg", "busybox"]}})
	some name, segment in {
		"a shell": testing.segment("/bin/bash"),
		"a wrapper": testing.segment("/usr/bin/env"),
		"a privilege wrapper": testing.segment("/usr/bin/sudo"),
		"an evaluating builtin": testing.segment("/usr/bin/eval"),
		"a name in another case": named,
		"a link to one": linked,
		"a shell with its version": testing.segment("/usr/bin/bash-5.2"),
		"a shell whose version follows at once": testing.segment("/usr/bin/ksh93"),
		"a static multiplexer": testing.segment("/usr/bin/busybox.static"),
		"the loader": testing.segment("/lib64/ld-linux-x86-64.so.2"),
		"a program without observed names": object.union(testing.segment("/usr/bin/rg"), {"executable": {"programs": null}}),
		"a link without a name": object.union(linked, {"executable": {"name": ""}}),
	}
	programs.opaque(segment)
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({"allowlist": ["*", "/**"]})) == {
		"says": "ask",
		"codes": {"exec.opaque_program"},
	}
}

# R45: the link that was named runs, if it can be trusted.
test_links_that_act_by_their_name[name] if {
	some name, c in {
		"in a trusted directory": {"path": "/usr/bin/zstdcat", "list": ["*"]},
		"elsewhere, by an entry that names it": {"path": "/opt/bin/zstdcat", "list": ["/opt/bin/zstdcat"]},
	}
	segment := object.union(testing.segment(c.path), {"executable": {"link": "/usr/bin/zstd"}})
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({"allowlist": c.list})).says == "permit"
}

# A directory is not trusted if users other than root can write to it.
test_a_trusted_directory_counts_only_where_only_root_can_write[name] if {
	some name, changes in {
		"others may write the directory": {"writable": ["directory"]},
		"others may write the file": {"writable": ["file"]},
		"others may write a directory above": {"writable": ["above"]},
		"no facts": {"writable": null},
		"it is not a list": {"writable": {}},
	}
	by := testing.wrapper("/usr/bin/nice")
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [object.union(by, {"executable": changes})]})
	facts := testing.execution({"segments": [segment]})
	testing.verdict(facts, testing.listing({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
	testing.verdict(facts, testing.listing({"allowlist": ["/usr/bin/rg", "/usr/bin/nice"]})).says == "permit"
}

test_looking_up_a_name_runs_no_program[name] if {
	some name, c in {
		"command -v": {"changes": {"argv": ["command", "-v", "rg"]}, "opaque": false},
		"command -V": {"changes": {"argv": ["command", "-V", "rg"]}, "opaque": false},
		"command with a name": {"changes": {"argv": ["command", "rg"]}, "opaque": true},
		"command with two options": {"changes": {"argv": ["command", "-p", "-v"]}, "opaque": true},
		"command by itself": {"changes": {"argv": ["command"]}, "opaque": true},
		"a word produced at run time": {"changes": {"argv": ["command", "-v"], "dynamic": [1]}, "opaque": true},
		"another file by that name": {"changes": {"argv": ["command", "-v", "rg"], "executable": {"realName": "bash", "programs": ["command", "bash"]}}, "opaque": true},
		"what was not understood": {"changes": {"argv": ["command", "-v", "rg"], "opaque": "command"}, "opaque": true},
	}
	segment := object.union(testing.segment("/usr/bin/command"), c.changes)
	{true | programs.opaque(segment)} == {true | c.opaque}
}

test_a_shell_that_only_reads_a_script_runs_nothing[name] if {
	some name, c in {
		"bash -n FILE": {"name": "bash", "real": "bash", "opaque": "", "is": false},
		"sh, which is dash": {"name": "sh", "real": "dash", "opaque": "", "is": false},
		"bash, which is another program": {"name": "bash", "real": "rg", "opaque": "", "is": true},
		"what was not understood": {"name": "bash", "real": "bash", "opaque": "bash -n", "is": true},
	}
	segment := object.union(testing.segment(sprintf("/usr/bin/%s", [c.name])), {
		"argv": [c.name, "-n", "x.sh"],
		"opaque": c.opaque,
		"executable": {"realName": c.real},
	})
	{true | programs.opaque(segment)} == {true | c.is}
}

test_filters_are_not_opaque[name] if {
	some name, segment in {
		"a program": testing.segment("/usr/bin/rg"),
		"a program whose directory has the name of a shell": testing.segment("/opt/bash/rg"),
		"a program whose name begins like a shell": testing.segment("/usr/bin/bashful"),
	}
	not programs.opaque(segment)
}
