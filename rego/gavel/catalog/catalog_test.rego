package gavel.catalog_test

import data.gavel.catalog

test_opaque_programs[name] if {
	some name, program in {
		"a shell": "zsh",
		"another shell": "fish",
		"a dispatcher": "parallel",
		"a loader": "ld-linux-x86-64.so.2",
		"a privilege wrapper": "su",
		"a builtin that evaluates": "eval",
		"a builtin that reads a script": ".",
	}
	catalog.programs.opaque[program]
}

# R21 and R22: what is unwrapped, what is not, and no program is both.
test_wrappers[name] if {
	some name, kind in {
		"bash": "shell",
		"sh": "shell",
		"dash": "shell",
		"ash": "shell",
		"mksh": "shell",
		"ksh": "shell",
		"env": "dispatcher",
		"nice": "dispatcher",
		"nohup": "dispatcher",
		"timeout": "dispatcher",
		"stdbuf": "dispatcher",
		"time": "dispatcher",
		"setsid": "dispatcher",
		"ionice": "dispatcher",
		"chrt": "dispatcher",
		"taskset": "dispatcher",
		"xargs": "dispatcher",
		"watch": "dispatcher",
		"flock": "dispatcher",
		"strace": "dispatcher",
		"unshare": "dispatcher",
		"command": "builtin",
		"exec": "builtin",
		"sudo": "privilege",
		"doas": "privilege",
		"run0": "privilege",
		"pkexec": "privilege",
		"busybox": "multiplexer",
		"toybox": "multiplexer",
	}
	catalog.programs.wrappers[name].kind == kind
}

test_no_wrapper_is_opaque if {
	object.keys(catalog.programs.wrappers) & object.keys(catalog.programs.opaque) == set()
}

# R22: su passes its text to the shell of a user, which is unknown.
test_privilege_wrappers_are_opaque_or_need_an_entry if {
	catalog.programs.opaque.su
	every name in {"sudo", "doas", "run0", "pkexec"} { not catalog.programs.wrappers[name].kind in catalog.exec.trusted_kinds }
}

test_trusted_directories_are_the_systems_own if catalog.exec.trusted_directories == ["/bin", "/usr/bin"]

test_filters_are_not_opaque if {
	object.keys(catalog.programs.opaque) & {"rg", "ls", "cat", "git"} == set()
	every name, _ in catalog.programs.opaque { name == lower(name) }
}

test_a_combined_group_is_made_of_groups_and_tools[group] if {
	some group, parts in catalog.combined_groups
	every part in parts { part in (object.keys(catalog.tools) | {of | some of in catalog.tools}) }
}

# TOOLS-2, and R1 and R2 for what the newer catalog added.
test_tools_that_no_profile_has[profile] if {
	some profile, tools in catalog.profiles
	absent := {
		"browser", "canvas", "gateway", "nodes", "agents_list", "tts",
		"code_execution", "x_search", "update_plan", "music_generate", "video_generate",
	}
	{tool | some tool in tools} & absent == set()
}

test_profiles_match_the_documentation[profile] if {
	some profile, want in {
		"coding": {
			"read", "write", "edit", "apply_patch", "exec", "process", "web_search", "web_fetch",
			"memory_search", "memory_get", "sessions_list", "sessions_history", "sessions_send",
			"sessions_spawn", "sessions_yield", "subagents", "session_status", "cron", "image", "image_generate",
		},
		"messaging": {"sessions_list", "sessions_history", "sessions_send", "session_status", "message"},
		"minimal": {"session_status"},
	}
	{tool | some tool in catalog.profiles[profile]} == want
}

test_subagents_lose_the_documented_tools[list] if {
	some list, want in {
		"deny_always": {
			"gateway", "agents_list", "whatsapp_login", "session_status",
			"cron", "memory_search", "memory_get", "sessions_send",
		},
		"deny_leaf": {"subagents", "sessions_list", "sessions_history", "sessions_spawn"},
	}
	{tool | some tool in catalog.subagents[list]} == want
}

test_blocked_variables_are_in_upper_case if {
	every name, _ in catalog.environment.blocked { name == upper(name) }
	every prefix in catalog.environment.prefixes { prefix == upper(prefix) }
}

# An empty table would silently match nothing.
test_tables_are_not_empty[name] if {
	some name, size in {
		"blocked variables": count(catalog.environment.blocked),
		"variable prefixes": count(catalog.environment.prefixes),
		"opaque programs": count(catalog.programs.opaque),
	}
	size >= 10
}

# The names under which a program may have an entry.
test_names_that_a_program_goes_by[name] if {
	some name, known in {
		"python3.12": "python",
		"python3.12.exe": "python",
		"PYTHON.EXE": "python",
		"node20.exe": "node",
		"gsed": "sed",
		"x86_64-linux-gnu-gcc-12": "gcc",
		"bash-static": "bash",
		"vim.gtk3": "vim",
		"perl5.36-x86_64-linux-gnu": "perl",
	}
	known in catalog.called(name)
}

test_a_name_without_a_version_is_unchanged[name] if {
	some name in ["git", "html2text", "my-gcc", "armgcc"]
	catalog.called(name) == {name}
}
