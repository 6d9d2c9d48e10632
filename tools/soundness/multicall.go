//go:build linux

package main

import (
	"maps"
	"math/rand/v2"
	"path"
	"slices"
)

// multicalls returns the multi-call programs, which act by the name under which they are called. Each
// is a stub with links to it. An agent may run a link only if its allowlist has the link.
func multicalls() []string { return []string{"busybox", "toybox", "coreutils", "zstd", "vim"} }

// links returns links to multi-call programs, and to stubs under names with versions. One link is in
// a directory where agents may write.
func links() map[string]string {
	return map[string]string{
		"/usr/bin/od": "busybox", "/usr/bin/xxd": "busybox", "/usr/bin/ash": "busybox", "/usr/bin/seq": "busybox", "/usr/bin/nc": "busybox",
		"/usr/bin/tac": "toybox", "/usr/bin/rev": "toybox", "/usr/bin/nl": "coreutils", "/usr/bin/shuf": "coreutils",
		"/usr/bin/zstdcat": "zstd", "/usr/bin/unzstd": "zstd", "/usr/bin/view": "vim",
		"/usr/bin/busybox-1.36": "busybox", "/usr/bin/rg-14": "rg", "/usr/bin/python3.12": "python3", "/usr/bin/bash-5.2": "bash",
		"/work/od": "../usr/bin/busybox",
	}
}

// isMulticallLink reports whether a path is a link to a multi-call program. Then the policy names the
// link instead of its target.
func isMulticallLink(inside string) bool {
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
func multicallCommands() []string {
	return []string{"od notes", "xxd notes", "seq 1 2", "ash -c hit", "ash -c 'ls; hit'", "nc -l 1", "tac notes", "rev notes", "nl notes", "shuf notes", "zstdcat notes", "unzstd notes",
		"view -c '!hit' notes", "vim -c '!hit'", "busybox od notes", "busybox sh -c hit", "busybox sh -c 'ls && od x'", "busybox ash -c ls", "busybox hit", "busybox --list", "busybox env hit",
		"busybox busybox sh -c hit", "busybox xargs hit", "busybox find . -exec hit ';'", "busybox-1.36 sh -c hit", "toybox sh -c hit", "toybox tac notes", "toybox hit", "coreutils --coreutils-prog=nl notes",
		"coreutils --coreutils-prog=env hit", "coreutils --coreutils-prog-shebang=env x hit", "coreutils nl", "rg-14 x", "rg-14 --pre hit x", "python3.12 -c hit", "bash-5.2 -c hit", "bash-5.2 -c ls",
		"./od notes", "/work/od notes", "../usr/bin/od notes", "od notes; nl notes", "for f in od nl; do $f notes; done", "sudo busybox sh -c ls", "busybox sh -c 'busybox sh -c hit'"}
}

// pagerCommands returns commands that start a pager on a terminal, and some that do not.
func pagerCommands() []string {
	return []string{"git log", "git diff", "git show HEAD", "git log | cat", "git --no-pager log", "git -P diff", "git status", "git log > free/out", "git log; ls", "git log | less", "git branch",
		"git -c core.pager=hit log", "git -p status", "git config -l", "man ls", "man -P cat ls", "man ls | cat", "less notes", "less notes | cat", "systemctl status", "systemctl --no-pager status",
		"journalctl", "ls | less", "echo $(git log)", "(git log)", "{ git log; }", "if git log; then ls; fi", "git log 2>&1", "git log &", "git --paginate status", "env git log", "xargs git log", "git stash list"}
}

// terminal returns a command that runs on a terminal.
func (g *generator) terminal() string {
	text := g.pick(pagerCommands())
	switch g.IntN(4) {
	case 0:
		return text + g.operator(plain) + g.pick(pagerCommands())
	case 1:
		return g.mutate(text, 1)
	}
	return text
}

// multicall returns a command with multi-call programs.
func (g *generator) multicall() string {
	text := g.pick(multicallCommands())
	switch g.IntN(4) {
	case 0:
		return text + g.operator(plain) + g.pick(multicallCommands())
	case 1:
		return g.mutate(text, 1)
	}
	return text
}

// allowMulticalls adds some multi-call programs and links to the programs of an agent.
func allowMulticalls(rng *rand.Rand, mine map[string]bool) {
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
