//go:build linux

package main

import (
	"maps"
	"math/rand/v2"
	"path"
	"slices"
)

// Multi-call programs, which act by the name under which they are called. Each is one stub with
// several links to it.

// multicalls are these programs. They are stubs like the others, and no agent may run them
// under a link's name unless its list says so.
func multicalls() []string { return []string{"busybox", "toybox", "coreutils", "zstd", "vim"} }

// links are the names that lead to them, and names with versions that lead to a stub. One of
// them is in a directory where agents may write.
func links() map[string]string {
	return map[string]string{
		"/usr/bin/od": "busybox", "/usr/bin/xxd": "busybox", "/usr/bin/ash": "busybox", "/usr/bin/seq": "busybox", "/usr/bin/nc": "busybox",
		"/usr/bin/tac": "toybox", "/usr/bin/rev": "toybox", "/usr/bin/nl": "coreutils", "/usr/bin/shuf": "coreutils",
		"/usr/bin/zstdcat": "zstd", "/usr/bin/unzstd": "zstd", "/usr/bin/view": "vim",
		"/usr/bin/busybox-1.36": "busybox", "/usr/bin/rg-14": "rg", "/usr/bin/python3.12": "python3", "/usr/bin/bash-5.2": "bash",
		"/work/od": "../usr/bin/busybox",
	}
}

// linked reports whether a path of the root is a link to a multi-call program. Then the link
// itself is the program.
func linked(inside string) bool {
	target, ok := links()[inside]
	if !ok {
		return false
	}
	for _, name := range multicalls() {
		if path.Base(target) == name {
			return true
		}
	}
	return false
}

// called returns commands with such a program, called in every possible way.
func called() []string {
	return []string{"od notes", "xxd notes", "seq 1 2", "ash -c hit", "ash -c 'ls; hit'", "nc -l 1", "tac notes", "rev notes", "nl notes", "shuf notes", "zstdcat notes", "unzstd notes",
		"view -c '!hit' notes", "vim -c '!hit'", "busybox od notes", "busybox sh -c hit", "busybox sh -c 'ls && od x'", "busybox ash -c ls", "busybox hit", "busybox --list", "busybox env hit",
		"busybox busybox sh -c hit", "busybox xargs hit", "busybox find . -exec hit ';'", "busybox-1.36 sh -c hit", "toybox sh -c hit", "toybox tac notes", "toybox hit", "coreutils --coreutils-prog=nl notes",
		"coreutils --coreutils-prog=env hit", "coreutils --coreutils-prog-shebang=env x hit", "coreutils nl", "rg-14 x", "rg-14 --pre hit x", "python3.12 -c hit", "bash-5.2 -c hit", "bash-5.2 -c ls",
		"./od notes", "/work/od notes", "../usr/bin/od notes", "od notes; nl notes", "for f in od nl; do $f notes; done", "sudo busybox sh -c ls", "busybox sh -c 'busybox sh -c hit'"}
}

// paged are commands that start a pager on a terminal, and some that do not.
func paged() []string {
	return []string{"git log", "git diff", "git show HEAD", "git log | cat", "git --no-pager log", "git -P diff", "git status", "git log > free/out", "git log; ls", "git log | less", "git branch",
		"git -c core.pager=hit log", "git -p status", "git config -l", "man ls", "man -P cat ls", "man ls | cat", "less notes", "less notes | cat", "systemctl status", "systemctl --no-pager status",
		"journalctl", "ls | less", "echo $(git log)", "(git log)", "{ git log; }", "if git log; then ls; fi", "git log 2>&1", "git log &", "git --paginate status", "env git log", "xargs git log", "git stash list"}
}

// terminal returns a command for a terminal.
func (g *generator) terminal() string {
	text := g.pick(paged())
	switch g.IntN(4) {
	case 0:
		return text + g.operator(plain) + g.pick(paged())
	case 1:
		return g.mutate(text, 1)
	}
	return text
}

// multicall returns a command with multi-call programs.
func (g *generator) multicall() string {
	text := g.pick(called())
	switch g.IntN(4) {
	case 0:
		return text + g.operator(plain) + g.pick(called())
	case 1:
		return g.mutate(text, 1)
	}
	return text
}

// may allows an agent to run some of these programs.
func may(rng *rand.Rand, mine map[string]bool) {
	for _, name := range multicalls() {
		if rng.IntN(2) == 0 {
			mine["/usr/bin/"+name] = true
		}
	}
	for _, link := range slices.Sorted(maps.Keys(links())) {
		if rng.IntN(3) > 0 {
			mine[link] = true
		}
	}
}
