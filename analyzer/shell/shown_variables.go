package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/spelling"
)

// If a text was understood, it is known exactly which variables it would set. If it was not,
// names are still reported: possibly more than are set, but never fewer than the text
// shows. This includes PATH, which determines what the name of a program means.

// variablesShown returns the names of the variables that a syntax tree shows to be set or unset, whether
// or not all of it was understood.
func (e *Effects) variablesShown(file *syntax.File) (names []string) {
	add := func(name string) {
		if spelling.Portable(name) {
			names = append(names, name)
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				add(n.Name.Value)
			}
		case *syntax.DeclClause:
			for _, arg := range n.Args { // quoted, or the target of a reference
				if arg.Value != nil {
					add(assignedName(plainText(arg.Value)))
				}
			}
		case *syntax.ParamExp:
			if n.Exp != nil && n.Param != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				add(n.Param.Value)
			}
		case *syntax.LetClause, *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.BinaryTest, *syntax.BinaryArithm, *syntax.UnaryArithm:
			for _, word := range wordsOf(n) {
				add(assignedName(plainText(word)))
			}
		case *syntax.WordIter:
			add(n.Name.Value)
		case *syntax.Redirect:
			if n.N != nil {
				add(strings.Trim(n.N.Value, "{}"))
			}
		case *syntax.CoprocClause:
			if n.Name != nil {
				add(plainText(n.Name))
			}
		case *syntax.CallExpr:
			list := make([]Word, len(n.Args))
			for i, arg := range n.Args {
				list[i].Text = plainText(arg)
			}
			set, _ := e.VariablesSet(list)
			names = append(names, set...)
		}
		return true
	})
	return names
}

// wordsOf returns the words directly inside an expression.
func wordsOf(n syntax.Node) (list []*syntax.Word) {
	add := func(expr any) {
		if word, ok := expr.(*syntax.Word); ok {
			list = append(list, word)
		}
	}
	switch n := n.(type) {
	case *syntax.LetClause:
		for _, expr := range n.Exprs {
			add(expr)
		}
	case *syntax.ArithmCmd:
		add(n.X)
	case *syntax.ArithmExp:
		add(n.X)
	case *syntax.BinaryArithm:
		add(n.X)
	case *syntax.UnaryArithm:
		add(n.X)
	case *syntax.BinaryTest:
		add(n.X)
		add(n.Y)
	}
	return list
}

// plainText returns the literal parts of a word, without quotes.
func plainText(word *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(n.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			return false
		}
		return true
	})
	return b.String()
}

// assignedName returns the name before the = of an assignment, or the whole text without one.
func assignedName(text string) string {
	name, _, _ := strings.Cut(text, "=")
	name, _, _ = strings.Cut(name, "[")
	return strings.TrimRight(name, "+-*/%&|^<>")
}

// SearchPath is the variable that determines what the name of a program means.
const SearchPath = "PATH"

// SetsSearchPath reports whether words that were not understood, such as those of env -S and
// eval, contain something that would set the search path.
func SetsSearchPath(words []Word) bool {
	return slices.ContainsFunc(words, func(w Word) bool {
		for rest := w.Text; ; {
			before, after, found := strings.Cut(rest, SearchPath)
			if !found {
				return false
			}
			head := strings.TrimRight(before, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
			own := before[len(head):]
			option := strings.HasSuffix(head, "-") && len(own) <= 2 // -SPATH=, -vSPATH=
			if (own == "" || option) && (strings.HasPrefix(after, "=") || strings.HasPrefix(after, "+=")) {
				return true
			}
			rest = after
		}
	})
}
