//go:build linux

package main

import (
	"fmt"
	"strings"
)

// statements returns commands with compound commands, substitutions, redirections and
// here-documents, nested up to a depth.
func (g *generator) statements(depth int) string {
	list := []string{}
	for range 1 + g.IntN(2) {
		list = append(list, g.statement(depth))
	}
	return strings.Join(list, g.oneOf("; ", " && ", " || ", " | ", "\n"))
}

func (g *generator) statement(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.redirected(g.dynamic(depth))
	}
	if g.IntN(8) == 0 {
		return g.redirected(g.loop(depth))
	}
	body, other := g.statements(depth-1), g.statement(depth-1)
	text := fmt.Sprintf(g.oneOf("if %[2]s; then %[1]s; fi", "if %[2]s; then %[1]s; else %[2]s; fi", "for x in a $y *; do %[1]s; done", "while false; do %[1]s; done",
		"until true; do %[1]s; done", "case $x in a|n*) %[1]s;; *) %[2]s;; esac", "(%[1]s)", "{ %[1]s; }", "! { %[1]s; }", "go() { %[1]s; }; go a", "[ -n x ] && { %[1]s; }",
		"cd free && { %[1]s; }", "cd free; %[1]s", "(cd free && %[1]s); %[2]s", "read x y <<E\nhit id\nE\n%[1]s", "trap '%[2]s' EXIT; %[1]s", "set -- a b; %[1]s",
		"x=$(%[2]s); %[1]s", "export x=hit; %[1]s", "%[1]s &", "while read x; do %[1]s; break; done <notes", "while IFS= read -r x; do %[1]s; done <notes", "for x in $(cat notes); do %[1]s; done",
		"cat notes | while read -r x; do %[1]s; done"), body, other)
	return g.redirected(text)
}

// loop returns a loop over words or file names. Its body uses the variable as an argument, program,
// redirection target or directory. Some of the file names begin with a dash, contain a blank or are
// patterns.
func (g *generator) loop(depth int) string {
	list := []string{}
	for range 1 + g.IntN(3) {
		list = append(list, g.oneOf("*", "n*", "./*", "free/*", "*o*", "[a-o]*", "-*", "odd*", "none*", "a", "1 2 3", "'a b'", "'*'", "free/a", "$x", "$(echo a)", "/work/n*", "../work/*"))
	}
	body := []string{}
	for range 1 + g.IntN(2) {
		text := g.program(plain)
		for range 1 + g.IntN(3) {
			text += " " + g.oneOf("$f", "$f", "\"$f\"", "\"$f\"", "./$f", "\"./$f\"", "$f.bak", "\"${f%s}\"", "$f$f", "-n", "--", "a")
		}
		body = append(body, fmt.Sprintf(g.oneOf("%s", "%s", "%s", "%s > \"free/$f\"", "%s > $f", "%s < \"$f\"", "(cd free && %s)", "cd free && %s", "$f; %s", "f=a; %s", "for f in 1 *; do %s; done", "[ -f \"$f\" ] && %s"), text))
	}
	if depth > 1 && g.IntN(3) == 0 {
		body = append(body, g.statement(depth-2))
	}
	if g.IntN(3) == 0 {
		return fmt.Sprintf(g.oneOf("while read -r f; do %s; done < notes", "while IFS= read -r f; do %s; done < names", "while IFS= read f; do %s; done < dashes", "for f in $(find free); do %s; done",
			"find free -print | while read -r f; do %s; done", "git ls-files | while IFS= read -r f; do %s; done", "while read -rd '' f; do %s; done < names",
			"while read -r f; do %s; done < free/names", "while IFS=a read -r f; do %s; done < names"), strings.Join(body, "; "))
	}
	return "for f in " + strings.Join(list, " ") + "; do " + strings.Join(body, "; ") + "; done"
}

// dynamic returns a simple command with dynamic words.
func (g *generator) dynamic(depth int) string {
	words := []string{g.oneOf(g.program(plain), "ls", "echo", "cat", "wc", "date", "stat", "true", "head", "base64", "cut", "false")}
	for range g.IntN(4) {
		word := g.oneOf("$x", "\"$x\"", "${x:-a}", "${x%%b}", "*", "n*", "~", "{a,b}", "$((1+2))", "$?", "\"$@\"", "a", "'b c'", "-n", "--", "$'a\\n'", "${#x}")
		if depth > 0 && g.IntN(3) == 0 {
			word = fmt.Sprintf(g.oneOf("$(%s)", "\"$(%s)\"", "`%s`", "a$(%s)b"), g.statement(depth-1))
		}
		words = append(words, word)
	}
	text := strings.Join(words, " ")
	if g.IntN(6) == 0 {
		text = g.oneOf("A=1 ", "x=hit ", "B=\"$x\" ", "PATH=/work ", "C=$(id) ") + text
	}
	return text
}

// redirected returns the text, sometimes with a redirection.
func (g *generator) redirected(text string) string {
	switch g.IntN(5) {
	case 0:
		return text + " " + g.oneOf(">", ">>", ">|", "2>", "<>") + g.oneOf("free/out", "/work/free/../free/o", "free/a", "out", "../out", "/etc/x", "$x", "free/$x", "/dev/null")
	case 1:
		return text + " " + g.oneOf("<notes", "</work/notes", "<$x", "2>&1", "<&-", ">&2")
	case 2:
		if !strings.ContainsAny(text, "\n") {
			return text + fmt.Sprintf(g.oneOf(" <<E\n%s\nE\n", " <<'E'\n%s\nE\n", " <<-E\n\t%s\n\tE\n"), g.oneOf("hit", "$(hit)", "`hit`", "$x", "E hit", "a b", "\\$x"))
		}
	}
	return text
}
