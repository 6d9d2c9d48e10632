package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/spelling"
)

// compound walks a compound command down to its simple commands.
func (w *walker) compound(node syntax.Command) {
	switch node.(type) {
	case *syntax.WhileClause, *syntax.ForClause, *syntax.FuncDecl:
		w.MayRepeat = true
	}
	switch node := node.(type) {
	case *syntax.Subshell:
		if start, _ := w.span(node); strings.HasPrefix(w.text[start:], "((") {
			w.refuse(kindGuard, "two parentheses, which some shells read as arithmetic", start, start+2)
		}
		before, from := w.dir, len(w.Commands)
		w.bracketed(node.Lparen, "(", node.Stmts, "", node.Rparen, ")")
		w.dir = before
		w.recordApart(from)
	case *syntax.Block:
		w.bracketed(node.Lbrace, "{", node.Stmts, "; ", node.Rbrace, "}")
	case *syntax.IfClause:
		w.ifStatement(node, "if")
	case *syntax.WhileClause:
		word := "while"
		if node.Until {
			word = "until"
		}
		w.keyword(node.WhilePos, word)
		w.emit(word + " ")
		from := len(w.Commands)
		w.stmts(node.Cond, "; ")
		read := w.recordReadLoop(node, from)
		w.addAssigned(read...)
		w.bracketed(node.DoPos, "do", node.Do, "; ", node.DonePos, "done")
		w.removeAssigned(read...)
		w.endLoop(node)
	case *syntax.ForClause:
		w.forLoop(node)
	case *syntax.CaseClause:
		w.caseStatement(node)
	case *syntax.FuncDecl:
		w.function(node)
	case *syntax.TestClause:
		w.keyword(node.Left, "[[")
		w.keyword(node.Right, "]]")
		w.emit("[[ ")
		w.test(node.X)
		w.emit(" ]]")
	case *syntax.ArithmCmd:
		w.arithmetic(node)
	case *syntax.TimeClause:
		w.time(node)
	}
}

// bracketed walks the statements between two keywords.
func (w *walker) bracketed(from syntax.Pos, left string, stmts []*syntax.Stmt, last string, to syntax.Pos, right string) {
	w.keyword(from, left)
	w.emit(left + " ")
	w.stmts(stmts, last)
	w.keyword(to, right)
	if last == "" {
		right = " " + right
	}
	w.emit(right)
}

// ifStatement walks an if, elif or else, and everything after it.
func (w *walker) ifStatement(node *syntax.IfClause, word string) {
	w.keyword(node.Position, word)
	w.emit(word + " ")
	if word != "else" {
		w.stmts(node.Cond, "; ")
		w.keyword(node.ThenPos, "then")
		w.emit("then ")
	}
	w.stmts(node.Then, "; ")
	switch {
	case node.Else == nil:
		w.keyword(node.FiPos, "fi")
		w.emit("fi")
	case node.Else.ThenPos.IsValid():
		w.ifStatement(node.Else, "elif")
	default:
		w.ifStatement(node.Else, "else")
	}
}

// forLoop walks a for loop over words.
func (w *walker) forLoop(node *syntax.ForClause) {
	words, ok := node.Loop.(*syntax.WordIter)
	if !ok || node.Select || node.Braces || !spelling.Portable(words.Name.Value) {
		_, construct := commandName(node)
		w.refuseNode(KindConstruct, construct+" of an unsupported kind", node)
		return
	}
	w.keyword(node.ForPos, "for")
	w.keyword(words.Name.Pos(), words.Name.Value)
	w.emit("for " + words.Name.Value)
	if words.InPos.IsValid() {
		w.keyword(words.InPos, "in")
		w.emit(" in")
	}
	if !words.InPos.IsValid() { // over the parameters of the script
		w.addValue(words.Name.Value, FormDynamic, false, false)
	}
	values := make([]Word, 0, len(words.Items))
	for _, item := range words.Items {
		value := w.word(item)
		values = append(values, value)
		w.addAssignment(words.Name.Value, value, false)
		w.emit(" ")
		w.emitWord(value)
	}
	w.separate("; ")
	w.recordForLoop(node, words.Name.Value, values)
	w.addAssigned(words.Name.Value)
	w.bracketed(node.DoPos, "do", node.Do, "; ", node.DonePos, "done")
	w.removeAssigned(words.Name.Value)
	w.endLoop(node)
}

// caseStatement walks a case statement.
func (w *walker) caseStatement(node *syntax.CaseClause) {
	if node.Braces {
		w.refuseNode(KindConstruct, "case statement with braces", node)
		return
	}
	w.keyword(node.Case, "case")
	w.keyword(node.In, "in")
	w.keyword(node.Esac, "esac")
	w.emit("case ")
	w.emitWord(w.word(node.Word))
	w.emit(" in ")
	for _, item := range node.Items {
		w.patterns(item)
		w.stmts(item.Stmts, " ")
		if item.OpPos.IsValid() {
			w.emit(item.Op.String() + " ")
		} else {
			w.emit(";; ")
		}
	}
	w.emit("esac")
}

// patterns walks the patterns of one case item and the parentheses around them. The syntax tree
// does not have the positions of the parentheses.
func (w *walker) patterns(item *syntax.CaseItem) {
	first, _ := w.span(item.Patterns[0])
	_, last := w.span(item.Patterns[len(item.Patterns)-1])
	if open := strings.TrimRight(w.text[:first], " \t"); strings.HasSuffix(open, "(") {
		w.markUnderstood(len(open)-1, len(open))
	}
	rest := strings.TrimLeft(w.text[last:], " \t")
	if !strings.HasPrefix(rest, ")") {
		w.refuse(kindGuard, "case pattern without a closing parenthesis", first, last)
	}
	closing := len(w.text) - len(rest)
	w.markUnderstood(closing, min(closing+1, len(w.text)))
	w.emit("(")
	for i, pattern := range item.Patterns {
		if i > 0 {
			w.emit("|")
		}
		w.emitWord(w.word(pattern))
	}
	w.emit(") ")
}

// test walks the expression in [[ ]]. Operators that evaluate a word as arithmetic could run
// commands, so they are refused unless the words are numbers.
func (w *walker) test(node syntax.TestExpr) {
	switch node := node.(type) {
	case *syntax.Word:
		w.emitWord(w.word(node))
	case *syntax.ParenTest:
		w.keyword(node.Lparen, "(")
		w.keyword(node.Rparen, ")")
		w.emit("( ")
		w.test(node.X)
		w.emit(" )")
	case *syntax.UnaryTest:
		switch node.Op {
		case syntax.TsVarSet, syntax.TsRefVar, syntax.TsFdTerm, syntax.TsOptSet:
			w.refuseNode(KindConstruct, "test "+node.Op.String(), node)
		}
		w.keyword(node.OpPos, node.Op.String())
		w.emit(node.Op.String() + " ")
		w.test(node.X)
	case *syntax.BinaryTest:
		switch node.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			start, end := w.span(node)
			words := refusedPart{KindConstruct, "test " + node.Op.String() + " of words that are not numbers", start, end}
			if !w.number(node.X, words) || !w.number(node.Y, words) {
				w.refuse(words.kind, words.construct, start, end)
			}
		}
		w.test(node.X)
		w.keyword(node.OpPos, node.Op.String())
		w.emit(" " + node.Op.String() + " ")
		if word, ok := node.Y.(*syntax.Word); ok && node.Op == syntax.TsReMatch {
			w.pattern(word)
			return
		}
		w.test(node.Y)
	default:
		w.refuseNode(KindConstruct, "test of an unsupported kind", node)
	}
}

// pattern prints a regular expression. It is printed as written, because quotes would make it
// plain text; only the commands in it are printed as they were judged.
func (w *walker) pattern(node *syntax.Word) {
	start, end := w.span(node)
	if pattern := w.word(node); pattern.Dynamic {
		w.emitWord(pattern)
		return
	}
	w.emit(w.text[start:end])
}

// number reports whether a word of a test is a literal number.
func (w *walker) number(node syntax.TestExpr, refused refusedPart) bool {
	word, ok := node.(*syntax.Word)
	if !ok {
		return false
	}
	start, end := w.span(word)
	text := w.text[start:end]
	bare := strings.Trim(text, `"`)
	if name, last := scriptVariable(bare, 0); name != "" && last == len(bare) && bare[0] == '$' {
		w.Arithmetic = append(w.Arithmetic, ArithmeticVariable{name, refused})
		return true
	}
	return spelling.Digits(strings.Trim(text, "'")) || Numeric(bare)
}

// arithmetic walks (( )), which may contain only numbers and operators.
func (w *walker) arithmetic(node *syntax.ArithmCmd) {
	start, end := w.span(node)
	text := w.text[start:end]
	names := refusedPart{KindConstruct, "arithmetic with names", start, end}
	if !strings.HasPrefix(text, "((") || !strings.HasSuffix(text, "))") || !w.readArithmetic(text[2:len(text)-2], commandOperators, names) {
		w.refuse(names.kind, names.construct, start, end)
		return
	}
	w.markUnderstood(start, end)
	w.emit(text)
}

// time walks the keyword time.
func (w *walker) time(node *syntax.TimeClause) {
	w.keyword(node.Time, "time")
	if node.PosixFormat || node.Stmt == nil {
		w.refuseNode(KindConstruct, "time with options, or without a command", node)
		return
	}
	w.emit("time ")
	w.stmt(node.Stmt)
}
