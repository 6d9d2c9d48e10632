package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// readCounts reads arithmetic with substitutions of wc, which counts its standard input. The output is
// always a number, so that nothing else is evaluated. It reports whether the arithmetic consists of
// such counts, numbers and operators only.
func (v *value) readCounts(node *syntax.ArithmExp, from, to int) bool {
	text := v.text[from:to]
	if !strings.HasPrefix(text, "$((") || !strings.HasSuffix(text, "))") {
		return false
	}
	var inside []*syntax.CmdSubst
	syntax.Walk(node.X, func(n syntax.Node) bool {
		subst, ok := n.(*syntax.CmdSubst)
		if ok {
			inside = append(inside, subst)
		}
		return !ok
	})
	rest, seen := "", from+3
	for _, subst := range inside {
		start, end := v.span(subst)
		if !isCount(subst) || start < seen {
			return false
		}
		rest, seen = rest+v.text[seen:start]+"0", end
	}
	if len(inside) == 0 || !isConstantArithmetic(rest+v.text[seen:to-2]) {
		return false
	}
	seen = from
	for _, subst := range inside {
		start, end := v.span(subst)
		v.emitSource(seen, start)
		v.substitution(subst, start, end, true)
		seen = end
	}
	v.emitSource(seen, to)
	return true
}

// isCount reports whether a substitution is wc with one option that says what to count, and with its
// standard input redirected from a file.
func isCount(node *syntax.CmdSubst) bool {
	if node.Backquotes || node.TempFile || node.ReplyVar || len(node.Stmts) != 1 {
		return false
	}
	stmt := node.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || len(call.Assigns) > 0 || len(call.Args) != 2 || len(stmt.Redirs) != 1 {
		return false
	}
	return slices.Contains([]string{"wc", "/bin/wc", "/usr/bin/wc"}, literalText(call.Args[0])) &&
		slices.Contains([]string{"-l", "-w", "-c", "-m"}, literalText(call.Args[1])) && stmt.Redirs[0].Op == syntax.RdrIn
}

// printsNumber reports whether a substitution is nproc, without anything that may make it fail: its output is
// always a number, which is one word without quotes, too.
func (v *value) printsNumber(node *syntax.CmdSubst) bool {
	if len(node.Stmts) != 1 {
		return false
	}
	stmt := node.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || len(stmt.Redirs)+len(call.Assigns) > 0 || len(call.Args) != 1 {
		return false
	}
	name := literalText(call.Args[0])
	return slices.Contains([]string{"nproc", "/bin/nproc", "/usr/bin/nproc"}, name) && !v.Functions[name]
}

// literalText returns the text of a word that is plain or in single quotes, as printed commands
// have them; "" for any other word.
func literalText(word *syntax.Word) string {
	if len(word.Parts) != 1 {
		return ""
	}
	if quoted, ok := word.Parts[0].(*syntax.SglQuoted); ok && !quoted.Dollar {
		return quoted.Value
	}
	return word.Lit()
}
