//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// probes generates commands that try known weaknesses of shells:
//   - each special variable with each text that could run,
//   - each builtin with such a text as the value of each option,
//   - the name of each builtin as the name of a function,
//   - commands that replace a file which a later command names.
type probes struct{ vocabulary }

// payloads returns texts that run hit if something evaluates them or reads them as a script.
func payloads() []string {
	return []string{"a[$(hit)]", "path[$(hit)]", "$(hit)", "`hit`", "x[`hit`0]", "hit", "() { hit; }", "';hit;'", "/work/rc/.bashrc", "/work/rc", "%(hit)", "=(hit)"}
}

// assignments returns formats that assign a payload (the second %s) to a variable (the first).
func assignments() []string {
	return []string{"%s=%s; ls", "%s=%s ls", "export %s=%s; ls", "readonly %s=%s; ls", "typeset %s=%s; ls", "declare -g %s=%s; ls", "local %s=%s; ls", "env %s=%s ls",
		"read %s <<< %s; ls", "for %s in %s; do ls; done", "printf -v %s %%s %s; ls", "unset %[1]s; %[1]s=%[2]s; ls", "%s+=%s; ls", "f_() { ls; }; %s=%s f_",
		"true && %s=%s && ls", "(%s=%s; ls)", "y=%[2]s; : ${%[1]s:=$y}; ls", "set -- %[2]s; %[1]s=$1; ls", "getopts a: %s -a %s; ls", "%s=%s; : $((%[1]s)); ls"}
}

// uses returns formats that pass a payload (the second %s) to a builtin (the first).
func uses() []string {
	list := []string{"%s %s; ls", "%s x %s; ls", "%s -- %s; ls", "%s %s x; ls", "%s x y %s; ls", "y=%[2]s; %[1]s \"$y\"; ls", "y=%[2]s; %[1]s -v 'x[y]'; ls",
		"[[ a =~ $(%s -v %s) ]]; ls", "ls \"$(%s %s)\"", "%s %s <notes; ls", "%s 1 -eq %s; ls", "%s %%d %s; ls"}
	for _, letter := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0" {
		list = append(list, "%s -"+string(letter)+" %s x; ls", "%s x -"+string(letter)+" %s; ls", "%s -"+string(letter)+"%s x; ls")
	}
	return list
}

// functions returns formats that declare a function with the name of a builtin (the first %s) and
// call it so that the builtin may run instead.
func functions() []string {
	return []string{"%s() { ls; }; %[1]s %[2]s", "%s %s; %[1]s() { ls; }", "if ls nonexist; then %s() { ls; }; fi; %[1]s %[2]s", "(%s() { ls; }); %[1]s %[2]s",
		"false && %s() { ls; }; %[1]s %[2]s", "{ %s() { ls; }; } & %[1]s %[2]s", "%s() { ls; } | ls; %[1]s %[2]s", "f_() { %s() { ls; }; }; %[1]s %[2]s",
		"while false; do %s() { ls; }; done; %[1]s %[2]s", "case x in y) %s() { ls; };; esac; %[1]s %[2]s", "%s() { ls; }; unset -f %[1]s; %[1]s %[2]s",
		"function %s { ls; }; %[1]s %[2]s", "%s() { ls; }; (unset -f %[1]s); %[1]s %[2]s", "for i in; do %s() { ls; }; done; %[1]s %[2]s", "%s() { ls; } >free/x; %[1]s %[2]s",
		"trap '%s %s' EXIT; %[1]s() { ls; }"}
}

// steps returns commands in which an earlier part replaces a file that a later part names. The stub
// for git checkout evil replaces free/out by a link to notes.
func steps() []string {
	return []string{"git checkout evil && echo x > free/out", "git checkout evil; ls > free/out", "git checkout evil | tee free/out", "git checkout evil; cd free && ls > out",
		"(git checkout evil); ls >> free/out", "if git checkout evil; then ls > free/out; fi", "echo x > free/out", "ls > free/link", "ls > free/dir/notes", "cd free/dir && ls > notes",
		"cd free/dir; ls > x", "ls > free/../notes", "ls >| free/link", "ls 2> free/link", "for i in a; do git checkout evil; ls > free/out; done", "git checkout evil & ls > free/out",
		"ln -sf /work/notes free/out; ls > free/out", "mv free/link free/out; ls > free/out", "ls $(git checkout evil) > free/out", "rm -f free/out; git checkout evil; ls > free/out"}
}

// any returns a random probe.
func (p probes) any(r *rand.Rand) string {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	switch r.IntN(8) {
	case 0, 1, 2:
		return formatProbe(pick(assignments()), pick(p.variables), pick(payloads()))
	case 3, 4, 5:
		return formatProbe(pick(uses()), pick(p.builtins), pick(payloads()))
	case 6:
		return formatProbe(pick(functions()), pick(p.builtins), pick([]string{"hit", "-c hit", "/work/rc/.bashrc", "$(hit)"}))
	default:
		return pick(steps())
	}
}

// all yields all probes, some hundred thousand.
func (p probes) all(yield func(string) bool) {
	for _, table := range []struct{ forms, names, values []string }{
		{assignments(), p.variables, payloads()}, {uses(), p.builtins, payloads()}, {functions(), p.builtins, []string{"hit", "-c hit", "/work/rc/.bashrc"}},
	} {
		for _, form := range table.forms {
			for _, name := range table.names {
				for _, value := range table.values {
					if !yield(formatProbe(form, name, value)) {
						return
					}
				}
			}
		}
	}
	for _, step := range steps() {
		if !yield(step) {
			return
		}
	}
}

// formatProbe returns a probe with the value in single quotes.
func formatProbe(form, name, value string) string {
	return fmt.Sprintf(form, name, "'"+strings.ReplaceAll(value, "'", `'\''`)+"'")
}
