package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/spelling"
)

// assign walks one assignment. exported is true if programs get it: for an assignment in front of
// a command, and for export.
func (w *walker) assign(node *syntax.Assign, exported bool) {
	start, end := w.span(node)
	if node.Name == nil || node.Index != nil || node.Naked || !spelling.Portable(node.Name.Value) {
		w.refuse(kindAssignment, "assignment "+Excerpt(w.text[start:end]), start, end)
		return
	}
	operator := "="
	if node.Append {
		operator = "+="
	}
	head := node.Name.Value + operator
	if !strings.HasPrefix(w.text[start:end], head) {
		w.refuse(kindGuard, "assignment that is not written in one piece", start, end)
		return
	}
	w.markUnderstood(start, start+len(head))
	w.emit(head)
	switch {
	case node.Array != nil:
		w.array(node, exported)
	case node.Value != nil:
		value := w.word(node.Value)
		w.addAssignment(node.Name.Value, value.inAssignment(), exported)
		if node.Append {
			w.Values[len(w.Values)-1].Known = false
		}
		w.emitWord(value)
	default:
		w.addValue(node.Name.Value, formPlain, false, exported)
	}
}

// array walks the words of an array. Programs never get arrays.
func (w *walker) array(assign *syntax.Assign, exported bool) {
	node := assign.Array
	start, end := w.span(node)
	w.addValue(assign.Name.Value, FormNone, false, false)
	if exported || strings.ContainsAny(w.text[start:end], "'") || len(node.Last) > 0 {
		w.refuse(kindAssignment, "array "+Excerpt(w.text[start:end]), start, end)
	}
	w.keyword(node.Lparen, "(")
	w.keyword(node.Rparen, ")")
	w.emit("(")
	for _, elem := range node.Elems {
		if elem.Index != nil || elem.Value == nil || len(elem.Comments) > 0 {
			w.refuseNode(kindAssignment, "array with subscripts or comments", node)
			continue
		}
		start, end := w.span(elem.Value)
		word := w.word(elem.Value)
		w.addAssignment(assign.Name.Value, word, false)
		if word.Dynamic {
			w.emit(" ")
			w.emitWord(word)
		} else { // in single quotes it would be refused when it is read again
			w.emit(" " + w.text[start:end])
		}
	}
	w.emit(" )")
}

// declaration walks export and similar builtins, which set variables and run nothing.
func (w *walker) declaration(node *syntax.DeclClause) {
	start, end := w.span(node)
	variant := node.Variant.Value
	declares := w.effects.builtins[variant].Declares
	if declares == nil || len(node.Args) == 0 {
		w.refuse(kindAssignment, "declaration "+variant, start, end)
		return
	}
	w.keyword(node.Variant.Pos(), variant)
	w.emit(variant)
	exported := declares.Exports
	for _, arg := range node.Args {
		w.emit(" ")
		switch {
		case arg.Naked && arg.Name == nil && arg.Value != nil:
			option := w.word(arg.Value)
			if option.Dynamic || !declares.Understands(option.Text) {
				w.refuseNode(kindAssignment, "declaration "+variant+" "+Excerpt(option.Text), arg)
			}
			exported = exported || declares.ExportsWith(option.Text)
			w.emit(option.Text)
		case arg.Naked && arg.Name != nil && arg.Index == nil && spelling.Portable(arg.Name.Value):
			w.keyword(arg.Name.Pos(), arg.Name.Value)
			w.addValue(arg.Name.Value, FormNone, false, exported)
			w.emit(arg.Name.Value)
		default:
			w.assign(arg, exported)
		}
	}
}
