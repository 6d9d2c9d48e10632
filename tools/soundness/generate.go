//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator generates commands. Each command has its own generator, seeded with the seed and
// the position, so that it can be reproduced.
type generator struct {
	*rand.Rand
	corpus   []string
	programs []string
	probes   probes
}

func newGenerator(seed, position uint64, corpus, programs []string) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, position+1)), corpus: corpus, programs: programs}
}

// query returns a command of one of the agents. The caller sets the dialect.
func (g *generator) query() query {
	q := query{agent: fmt.Sprintf("agent%d", g.IntN(agents-unrestrictedAgents))}
	switch g.IntN(16) {
	case 0:
		q.command, q.pty = g.terminal(), true
		return q
	case 1:
		q.command = g.multicall()
		return q
	}
	if g.IntN(3) == 0 {
		q.agent = fmt.Sprintf("agent%d", agents-unrestrictedAgents+g.IntN(unrestrictedAgents))
		if g.IntN(6) == 0 {
			q.workdir = g.oneOf("free", "/work/free", ".", "..", "/", "/etc", "/home", "free/dir", "/work/free/..", "nonexistent", "free/../free", "/tmp")
		}
		if len(g.probes.variables) > 0 && g.IntN(2) == 0 {
			if q.command = g.probes.any(g.Rand); g.IntN(20) == 0 {
				q.env = map[string]string{g.pick(g.probes.variables): g.pick(payloads())}
			}
			return q
		}
		if q.command = g.statements(2); g.IntN(4) == 0 {
			q.command = g.mutate(q.command, 1+g.IntN(2))
		}
		return q
	}
	switch g.IntN(10) {
	case 0, 1, 2:
		q.command = g.script(plain)
	case 3, 4:
		q.command = g.script(odd)
	case 5:
		q.command = g.script(devious)
	case 6, 7:
		q.command = g.mutate(g.pick(g.corpus), g.IntN(4))
	default:
		q.command = g.mutate(g.script(g.IntN(2)), 1+g.IntN(2))
	}
	if g.IntN(10) == 0 {
		q.env = g.environment()
		q.command = g.script(g.IntN(2)) // simple, so that it is likely to be allowed
	}
	return q
}

// environment returns variables that a shell might act on, with values that would show it: they run
// hit, or name a file in /work/rc that does.
func (g *generator) environment() map[string]string {
	env := map[string]string{}
	for range 1 + g.IntN(2) {
		name := g.oneOf("BASH_ENV", "ENV", "HOME", "ZDOTDIR", "PATH", "IFS", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "BASH_XTRACEFD",
			"BASH_COMPAT", "BASH_LOADABLES_PATH", "BASH_ARGV0", "EXECIGNORE", "GLOBIGNORE", "FUNCNEST", "CHILD_MAX", "POSIXLY_CORRECT", "CDPATH",
			"FPATH", "MODULE_PATH", "NULLCMD", "READNULLCMD", "ARGV0", "STTY", "TMPPREFIX", "HISTFILE", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_DEBUG_OUTPUT",
			"LD_AUDIT", "PWD", "OLDPWD", "KSH_VERSION", "ZSH_EVAL_CONTEXT", "OPTIND", "RANDOM", "UID", "EUID", "PPID", "SECONDS", "LINENO", "TMPDIR", "LC_ALL", "LANG",
			"TMOUT", "SHELL", "TERM", "COLUMNS", "FCEDIT", "MAIL", "MAILPATH", "INSIDE_EMACS", "BASH_FUNC_ls%%", "BASH_FUNC_/usr/bin/ls%%", "BASH_FUNC_git()",
			"MallocDebug", "A", "_", "PATH ", "bash_env", "Env", "ls", "git=x", "1A", "", "A[0]", "É")
		env[name] = g.oneOf("/work/rc/.zshenv", "/work/rc", "xtrace:verbose", "() { hit; }", "$(hit)", "`hit`", "a[$(hit)]", "hit", "/work", ".:/work", "errexit", "posix",
			"expand_aliases", "/", "0", "1", "-1", "'; hit; '", "\nhit\n", "x", "", "/work/notes", "/work/rc/evil.so", "/work/out", "C", "tr_TR.UTF-8", "zh_CN.GB18030", "ja_JP.SJIS")
	}
	return env
}

// The kinds of scripts: without special characters, with special characters in quotes, and with
// anything.
const (
	plain = iota
	odd
	devious
)

// script returns a list of simple commands with operators.
func (g *generator) script(kind int) string {
	var text strings.Builder
	if kind > plain && g.IntN(6) == 0 {
		text.WriteString(g.blank(kind))
	}
	for i, n := 0, 1+g.IntN(4); i < n; i++ {
		if i > 0 {
			text.WriteString(g.operator(kind))
		}
		text.WriteString(g.simple(kind))
	}
	switch {
	case kind > plain && g.IntN(8) == 0:
		text.WriteString(g.oneOf(" &", ";", "\n", " # and so on", " #x\n", "&\n", " ; #'\n"))
	case kind == devious && g.IntN(8) == 0:
		return g.compound(text.String())
	}
	return text.String()
}

func (g *generator) compound(body string) string {
	return fmt.Sprintf(g.oneOf("(%s)", "{ %s; }", "if true; then %s; fi", "for f in a b; do %s; done", "while false; do %s; done",
		"f() { %s; }; f", "case a in a) %s;; esac", "! %s", "time %s", "coproc %s", "function f { %s; }\nf", "echo $(%s)", "echo `%s`",
		"echo \"$(%s)\"", "cat <(%s)", "eval '%s'", "trap '%s' EXIT", "cat <<E\n$(%s)\nE", "alias rg='%s'\nrg", "echo ${x:-$(%s)}"), body)
}

func (g *generator) operator(kind int) string {
	op := g.oneOf(";", "&&", "||", "|", "\n", "&", "|", "&&", ";")
	if kind > plain && g.IntN(8) == 0 {
		op = g.oneOf("|&", " #x\n", "\n\n", "&\n", "|\n", "&&\n", "||\n", ";\n", "# x\n", " #\\\n", "\\\n|", "| \\\n")
	}
	if kind == devious && g.IntN(6) == 0 {
		op = g.oneOf(";;", "&!", "&|", ";&", "||&", "\r\n", "\r", "\v", "\f", "|;", "；", "\u037e", "\u2028", "\u00a0", "&>", "| &", "<>", ";;&")
	}
	if g.IntN(3) > 0 {
		op = " " + op + " "
	}
	return op
}

// simple returns a program with arguments.
func (g *generator) simple(kind int) string {
	parts := []string{g.program(kind)}
	for range g.IntN(4) {
		parts = append(parts, g.word(kind))
	}
	if kind == devious {
		switch g.IntN(8) {
		case 0:
			parts = append([]string{g.oneOf("A=1", "PATH=/work", "IFS=x", "A=$(id)", "a[1]=2", "a+=1", "LD_PRELOAD=x", "ENV=notes", "A=(1 2)")}, parts...)
		case 1:
			parts = append(parts, g.oneOf(">", ">>", "2>", "&>", ">|", "<>", "<", "2>&1 >", ">&", ">!", "{fd}>")+g.oneOf("", " ")+g.oneOf("notes", "out", "/work/out", "/tmp/out", "$HOME/out", "/dev/null"))
		case 2:
			parts = append([]string{g.oneOf(">out", "command", "exec", "builtin", "env", "!", "time", "{", "noglob", "nocorrect", "-", "then")}, parts...)
		}
	}
	var text strings.Builder
	for i, part := range parts {
		if i > 0 {
			text.WriteString(g.blank(kind))
		}
		text.WriteString(part)
	}
	return text.String()
}

func (g *generator) blank(kind int) string {
	switch {
	case kind == plain || g.IntN(8) > 0:
		return " "
	case kind == odd || g.IntN(3) > 0:
		return g.oneOf("  ", "\t", " \\\n", " \\\n ", "\t\\\n\t")
	default:
		return g.oneOf("\\\n", "\\\n\\\n", "\v", "\f", "\r", "\u00a0", "\u3000", " \\ ", "${IFS}", "$IFS", "\\\t", " \\\r\n")
	}
}

// program returns the first word of a command.
func (g *generator) program(kind int) string {
	name := g.oneOf(g.pick(g.programs), g.oneOf("git", "ls", "echo", "rg", "wc", "head", "test", "printf", "[", "kill", "rm"))
	if g.IntN(12) == 0 {
		name = g.oneOf("/usr/bin/", "/bin/", "/usr/bin/../bin/", "./", "/work/", "../usr/bin/", "/usr/bin//", "/usr/bin/./") + g.oneOf(name, name, "tool")
	}
	switch {
	case kind == plain || g.IntN(3) > 0:
		return name
	case kind == odd || g.IntN(2) == 0:
		return g.quote(name)
	default:
		return g.oneOf("$(echo "+name+")", "`echo "+name+"`", "${x:-"+name+"}", "$'"+name+"'", "{"+name+",}", "="+name, name+"*", "\\"+name,
			"$0", ":", ".", "[", "[[", "let", "eval", "source", "export", "declare", "print", "function", "select", "r\u0443n", "'' "+name)
	}
}

// word returns an argument.
func (g *generator) word(kind int) string {
	var text strings.Builder
	for i, n := 0, 1+g.IntN(2+kind)/2; i < n; i++ {
		switch {
		case kind == plain && g.IntN(4) > 0:
			text.WriteString(g.bare())
		case kind == devious && g.IntN(3) == 0:
			text.WriteString(g.special())
		default:
			text.WriteString(g.quote(g.content()))
		}
	}
	return text.String()
}

func (g *generator) bare() string {
	return g.oneOf("-n", "-la", "--color=auto", "src", "a.txt", "x/y", "HEAD~1", "a=b", "@{u}", "1", "-", "--", "+x", "a,b", "v1.2.3", "%s",
		"main..dev", "a:b", "foo@bar", "^x", "x!", "notes", "{}", "a{b", "}", "{a", "]", "=x", "if", "done", "a#b", "_")
}

// content returns text to be quoted. Much of it would run if it were not.
func (g *generator) content() string {
	return g.oneOf(g.bare(), g.bare(), "a b", "; rm -rf x", "$(id)", "`id`", "a\nb", "it's", `say "x"`, `back\slash`, `\`, `\\`, "$HOME", "*", "?", "~", "!!", "!x",
		"a;b", "a|b", "a&b", "a>b", "<(id)", "#", " #", "\t", "", "é", "日本", "a'\n'; id", "\\\n", "\\n", "'; id; '", "\"; id; \"", "$", "$'", "${x}", "{a,b}", "a\\", "-c")
}

// quote quotes a value in one of several ways, some of which are wrong for some values.
func (g *generator) quote(value string) string {
	switch g.IntN(6) {
	case 0:
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	case 1:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value) + `"`
	case 2:
		var text strings.Builder
		for _, r := range value {
			if strings.ContainsRune(" \t'\"\\$`*?[]~;&|<>(){}#!=,", r) || (r < 'z' && r > ' ' && g.IntN(3) == 0) {
				text.WriteByte('\\')
			}
			text.WriteRune(r)
		}
		return text.String()
	case 3:
		cut := g.IntN(len(value) + 1)
		return "'" + strings.ReplaceAll(value[:cut], "'", `'"'"'`) + "'" + `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value[cut:]) + `"`
	case 4:
		return g.oneOf(`"`+value+`"`, "'"+value+"'") // wrong if the value contains the quote
	default:
		return value + g.oneOf("", `""`, "''")
	}
}

func (g *generator) special() string {
	return g.oneOf("$(id)", "`id`", "${x}", "$HOME", "$((1+1))", "$[1]", "<(id)", ">(id)", "=(id)", "$'a\\'b'", "$\"a\"", "*", "?", "[a-z]", "~", "~root", "{a,b}", "{1..3}",
		"!!", "@(a|b)", "$@", "$*", "$-", "${x:=$(id)}", "${x@P}", "a[$(id)]", "<<<x", "<<E\nx\nE\n", "2>&1", ">out", "\x00", "\x01", "\x1b[2K", "\x7f", "\r", "\xff", "\u202e", "\u200b", "\ufeff", "#", "(", ")", "((", "|", "&", ";;", "\\")
}

func (g *generator) pick(list []string) string      { return list[g.IntN(len(list))] }
func (g *generator) oneOf(choices ...string) string { return g.pick(choices) }
