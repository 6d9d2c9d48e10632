//go:build linux

package main

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// vocabulary contains the special variables and builtins of shells. A name that is special in one
// shell is tried in all of them.
type vocabulary struct {
	variables []string
	builtins  []string
}

// listCommands returns the commands with which a shell lists its variables and builtins. mksh cannot
// list its builtins; unlistedNames has those that POSIX and its manual name.
func listCommands() map[string]struct{ variables, builtins string } {
	return map[string]struct{ variables, builtins string }{
		"bash": {"compgen -v", "compgen -b; compgen -k"},
		"zsh":  {"zmodload zsh/parameter zsh/zle zsh/complist 2>/dev/null; print -rl -- ${(k)parameters}", "zmodload zsh/parameter; print -rl -- ${(k)builtins} ${(k)reswords}"},
		"mksh": {"typeset | while read -r a; do echo ${a##* }; done", ""},
		"dash": {"set", ""},
		"ash":  {"set", "help"},
	}
}

// unlistedNames returns names that shells do not list: variables that have a meaning once they are
// set, and builtins of shells that cannot list them.
func unlistedNames() vocabulary {
	return vocabulary{
		variables: strings.Fields(`BASH_ENV ENV ZDOTDIR PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 IFS PATH CDPATH FPATH MAIL MAILPATH MAILCHECK HISTFILE
			HISTSIZE HISTCMD OPTIND OPTARG OPTERR RANDOM SRANDOM SECONDS LINENO TMOUT COLUMNS LINES BASH_ARGV0 BASH_COMPAT BASH_XTRACEFD BASH_LOADABLES_PATH
			BASH_CMDS BASH_ALIASES FUNCNEST EXECIGNORE GLOBIGNORE GLOBSORT CHILD_MAX SHELLOPTS BASHOPTS POSIXLY_CORRECT STTY NULLCMD READNULLCMD TMPPREFIX
			PGRP KSHUID KSHGID KSHEGID USER_ID KSH_VERSION TIMEFMT REPORTTIME LISTMAX KEYTIMEOUT ZLE_RPROMPT_INDENT WATCH LOGCHECK DIRSTACKSIZE HOME LANG LC_ALL`),
		builtins: strings.Fields(`. : [ alias bg bind break builtin cat cd command continue echo ed eval exec exit export false fc fg getopts global hash integer
			jobs kill let local login logout mknod mksh newgrp nohup pwd print printf r read readonly realpath rename return sandbox set shift sleep source
			stop suspend test time times trap true type typeset ulimit umask unalias unset wait whence hist autoload functions stty`),
	}
}

// readVocabulary reads the vocabulary of the installed shells.
func readVocabulary(ctx context.Context, found []shell) vocabulary {
	all := unlistedNames()
	name := regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	for _, sh := range found {
		commands := listCommands()[sh.name]
		for text, list := range map[string]*[]string{commands.variables: &all.variables, commands.builtins: &all.builtins} {
			if text == "" {
				continue
			}
			cmd := exec.CommandContext(ctx, sh.source, append(slices.Clone(sh.options), "-c", text)...)
			cmd.Env = []string{"PATH=/usr/bin:/bin"}
			out, err := cmd.Output()
			if err != nil {
				continue
			}
			for _, line := range strings.Split(string(out), "\n") {
				line, _, _ = strings.Cut(line, "=") // a value is not a name
				*list = append(*list, name.FindAllString(line, -1)...)
			}
		}
	}
	for _, list := range []*[]string{&all.variables, &all.builtins} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return all
}
