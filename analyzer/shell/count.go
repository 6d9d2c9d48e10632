package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// counts reads arithmetic over what wc counts on its standard input. That is always a number, so
// evaluating it evaluates nothing else. It reports whether there is such a count, and whether
// everything else is numbers.
func (v *value) counts(node *syntax.ArithmExp, from, to int) bool {
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
		if !counting(subst) || start < seen {
			return false
		}
		rest, seen = rest+v.text[seen:start]+"0", end
	}
	if len(inside) == 0 || !calculation(rest+v.text[seen:to-2]) {
		return false
	}
	seen = from
	for _, subst := range inside {
		start, end := v.span(subst)
		v.source(seen, start)
		v.substitution(subst, start, end, true)
		seen = end
	}
	v.source(seen, to)
	return true
}

// counting reports whether a substitution is wc with one thing to count, reading its standard
// input.
func counting(node *syntax.CmdSubst) bool {
	if node.Backquotes || node.TempFile || node.ReplyVar || len(node.Stmts) != 1 {
		return false
	}
	stmt := node.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || len(call.Assigns) > 0 || len(call.Args) != 2 || len(stmt.Redirs) != 1 {
		return false
	}
	return slices.Contains([]string{"wc", "/bin/wc", "/usr/bin/wc"}, writtenOut(call.Args[0])) &&
		slices.Contains([]string{"-l", "-w", "-c", "-m"}, writtenOut(call.Args[1])) && stmt.Redirs[0].Op == syntax.RdrIn
}

// writtenOut returns the text of a word that is plain or in single quotes, as printed commands
// have them; "" for any other word.
func writtenOut(word *syntax.Word) string {
	if len(word.Parts) != 1 {
		return ""
	}
	if quoted, ok := word.Parts[0].(*syntax.SglQuoted); ok && !quoted.Dollar {
		return quoted.Value
	}
	return word.Lit()
}
