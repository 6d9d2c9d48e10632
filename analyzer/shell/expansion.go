package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/spelling"
)

// expansion reads a part of a word that the shell expands. Only forms that do nothing but produce
// a value are accepted. Parameters are read again from the text, because parsers are known to
// hide commands in them.
func (v *value) expansion(part syntax.WordPart, from, to int, quoted bool) {
	kind, construct := partName(v.text[from:to], part)
	switch node := part.(type) {
	case *syntax.ParamExp:
		if !isParameter(v.text[from:to]) || v.subscripted(to) {
			v.refuse(kind, construct, from, to)
		}
		many := !quoted && !Numeric(v.text[from:to]) || mayBeManyWords(v.text[from:to])
		v.addDynamic(kind, construct, from, to, many)
		v.variable(v.text[from:to], quoted)
		v.word.splits = v.word.splits || many
		if Numeric(v.text[from:to]) {
			v.numberParts++
		}
		if v.text[from:to] == PID {
			v.pids = append(v.pids, len(v.bytes))
		}
		v.emitSource(from, to)
	case *syntax.ArithmExp:
		text := v.text[from:to]
		if v.readCounts(node, from, to) {
			return
		}
		if !strings.HasPrefix(text, "$((") || !strings.HasSuffix(text, "))") || !v.readArithmetic(text[3:len(text)-2], arithmeticOperators, refusedPart{kind, construct, from, to}) {
			v.refuse(kind, construct, from, to)
		}
		v.addDynamic(kind, construct, from, to, !quoted)
		v.numberParts++
		v.emitSource(from, to) // a number, which is never split
	case *syntax.CmdSubst:
		v.substitution(node, from, to, quoted)
	case *syntax.ProcSubst:
		v.process(node, from, to)
	default:
		v.refusePart(part)
	}
}

// subscripted reports whether zsh would read on after a parameter: a subscript is arithmetic, and
// a colon starts a modifier.
func (v *value) subscripted(at int) bool {
	return v.variant == syntax.LangZsh && at < len(v.text) && strings.IndexByte("[:", v.text[at]) >= 0
}

// substitution walks the commands whose output becomes part of the word.
func (v *value) substitution(node *syntax.CmdSubst, from, to int, quoted bool) {
	text := v.text[from:to]
	kind, construct := partName(text, node)
	switch {
	case node.TempFile, node.ReplyVar, strings.HasPrefix(text, "$(("):
		v.refuse(kind, construct, from, to)
		return
	case node.Backquotes && (strings.ContainsAny(text, `\`) || quoted && strings.ContainsAny(text, `"`)):
		v.refuse(kind, construct, from, to)
		return
	}
	open := 2
	if node.Backquotes {
		open = 1
	}
	v.construct(kind, construct, from, to)
	many := !quoted
	if v.printsNumber(node) {
		many = false
		v.numberParts++
	}
	v.addDynamic(kind, construct, from, to, many)
	v.word.splits = v.word.splits || many
	first := len(v.Commands)
	v.nested("$( ", node.Stmts, from, from+open, to)
	v.recordApart(first)
	if len(node.Stmts) == 1 && !quoted {
		v.word.Output = v.lastOfPipeline(node.Stmts[0], first, len(v.Commands)) + 1
	}
}

// process walks the commands of a process substitution.
func (v *value) process(node *syntax.ProcSubst, from, to int) {
	kind, construct := partName(v.text[from:to], node)
	if node.Op != syntax.CmdIn && node.Op != syntax.CmdOut || len(v.bytes) > 0 {
		v.refuse(kind, construct, from, to)
		return
	}
	v.construct(kind, construct, from, to)
	v.addDynamic(kind, construct, from, to, false)
	v.processParts++
	if v.word.Prefix == "" {
		v.word.Prefix = "/dev/fd/"
	}
	first := len(v.Commands)
	v.nested(v.text[from:from+2]+" ", node.Stmts, from, from+2, to)
	v.recordApart(first)
	if len(node.Stmts) == 1 && node.Op == syntax.CmdIn {
		v.word.substitutedBy = v.lastOfPipeline(node.Stmts[0], first, len(v.Commands)) + 1
	}
}

// nested walks commands in the same text that run separately from the script.
func (v *value) nested(head string, stmts []*syntax.Stmt, from, inside, to int) {
	v.markUnderstood(from, inside)
	v.markUnderstood(to-1, to)
	dir, heredocs := v.dir, v.heredocs
	for _, stmt := range stmts {
		v.dir.Unknown = v.dir.Unknown || v.effects.stmtLosesDirectory(stmt)
	}
	v.heredocs = nil
	v.emit(head)
	v.stmts(stmts, "")
	v.emit(" )")
	v.dir, v.heredocs = dir, heredocs
}

// isParameter reports whether an expansion is $name, or ${ } around a name with a literal default,
// pattern or substring: forms that evaluate nothing.
func isParameter(text string) bool {
	inside, braced := strings.CutPrefix(text, "${")
	if !braced {
		name := strings.TrimPrefix(text, "$")
		return len(name) < len(text) && (spelling.Portable(name) || isSpecialParameter(name))
	}
	inside, ok := strings.CutSuffix(inside, "}")
	if !ok || inside == "" {
		return false
	}
	length := len(inside) > 1 && inside[0] == '#' && (spelling.NameByte(inside[1]) || strings.IndexByte("@*", inside[1]) >= 0)
	if length {
		inside = inside[1:]
	}
	end := 0
	for end < len(inside) && spelling.NameByte(inside[end]) {
		end++
	}
	if end == 0 {
		end = 1
	}
	if name := inside[:end]; !spelling.Portable(name) && !isSpecialParameter(name) && !spelling.Digits(name) {
		return false
	}
	rest := withoutSubscript(inside[end:])
	return rest == "" || !length && isPlainOperation(rest)
}

// isSpecialParameter reports whether a name is a parameter that a shell sets by itself.
func isSpecialParameter(name string) bool {
	return len(name) == 1 && strings.Contains("0123456789@*#?$!-_", name)
}

// withoutSubscript removes the subscript of a whole array, or a numeric subscript, from a text.
func withoutSubscript(text string) string {
	for _, whole := range []string{"[@]", "[*]"} {
		if rest, ok := strings.CutPrefix(text, whole); ok {
			return rest
		}
	}
	if end := strings.IndexByte(text, ']'); end > 1 && text[0] == '[' && spelling.Digits(text[1:end]) {
		return text[end+1:]
	}
	return text
}

// isPlainOperation reports whether the text after a name is plain text and an operator that neither
// assigns nor evaluates.
func isPlainOperation(text string) bool {
	for _, operator := range []string{":-", ":+", ":?", "-", "+", "?", "##", "#", "%%", "%", "//", "/", "^^", "^", ",,", ","} {
		if rest, ok := strings.CutPrefix(text, operator); ok {
			return strings.Trim(rest, plainOperand) == ""
		}
	}
	part, ok := strings.CutPrefix(text, ":")
	start, length, _ := strings.Cut(part, ":")
	start = strings.TrimPrefix(start, " -")
	return ok && spelling.Digits(start) && (length == "" || spelling.Digits(length))
}

// plainOperand lists the characters that are accepted in defaults and patterns.
const plainOperand = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,@%+*? -"

// mayBeManyWords reports whether a parameter becomes several words even in double quotes.
func mayBeManyWords(text string) bool { return strings.Contains(text, "@") }

// PID is the process id of the shell. In every shell it consists of digits, and nothing can set
// it.
const PID = "$$"

// Numeric reports whether the value of a parameter is always a number. $! is empty before the
// first background job.
func Numeric(text string) bool { return text == "$?" || text == "$#" || text == PID }

// isConstantArithmetic reports whether a text is arithmetic without names. The values of names would be
// evaluated again, and may contain commands.
func isConstantArithmetic(text string) bool {
	return strings.TrimSpace(text) != "" && strings.Trim(text, "0123456789+-*/%() ") == ""
}
