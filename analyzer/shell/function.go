package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/spelling"
)

// function walks the declaration of a function. Its body is judged where it is declared; a call
// runs only the body.
func (w *walker) function(node *syntax.FuncDecl) {
	start, end := w.span(node)
	head, _ := w.span(node.Body)
	name := ""
	if node.Name != nil {
		name = node.Name.Value
	}
	switch node.Body.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell:
	default:
		w.refuse(KindConstruct, "function without braces", start, end)
		return
	}
	if w.Functions[name] {
		w.refuse(KindConstruct, "function that is declared twice, "+Excerpt(name), start, end)
	}
	if !w.topLevel[node] {
		w.refuse(KindConstruct, "function declaration inside another command, which may never run it, "+Excerpt(name), start, end)
		return
	}
	form := strings.Join(strings.Fields(w.text[start:head]), "")
	form = strings.TrimSuffix(form, "()")
	if node.RsrvWord {
		form = strings.TrimPrefix(form, "function")
	}
	if form != name || !isFunctionName(name) || len(node.Names) > 0 {
		w.refuse(KindConstruct, strings.TrimSpace("function declaration "+Excerpt(name)), start, end)
		return
	}
	w.markUnderstood(start, head)
	if node.RsrvWord {
		w.emit("function ")
	}
	w.emit(name)
	if node.Parens {
		w.emit("()")
	}
	w.emit(" ")
	outside := w.inside
	w.inside = name
	w.stmt(node.Body)
	w.inside = outside
	if w.Functions == nil {
		w.Functions = map[string]bool{}
	}
	w.Functions[name] = true
}

// isFunctionName reports whether a name may be the name of a function: one that has no meaning in a
// shell, and that no shell calls by itself.
func isFunctionName(name string) bool {
	return spelling.Portable(name) && reserved(name) == "" && !strings.HasPrefix(name, "TRAP") && !strings.HasPrefix(name, "command_not_found")
}

// topLevelFunctions returns the function declarations that a script always reaches: those that are
// commands of their own.
func topLevelFunctions(file *syntax.File) map[*syntax.FuncDecl]bool {
	var top map[*syntax.FuncDecl]bool
	for _, stmt := range file.Stmts {
		f, ok := stmt.Cmd.(*syntax.FuncDecl)
		if !ok || stmt.Background || stmt.Negated || stmt.Coprocess || stmt.Disown || len(stmt.Redirs) > 0 {
			continue
		}
		if top == nil {
			top = map[*syntax.FuncDecl]bool{}
		}
		top[f] = true
	}
	return top
}
