package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/spelling"
)

// stmts walks a list of statements. last is printed after the last one, unless it already ends in
// an operator.
func (w *walker) stmts(stmts []*syntax.Stmt, last string) {
	var settled []string
	for i, stmt := range stmts {
		before := w.dir
		w.stmt(stmt)
		names := assignedBy(stmt)
		w.addAssigned(names...)
		settled = append(settled, names...)
		if !w.dir.equal(before) && !w.effects.isOrExit(stmt) {
			w.dir = Directory{Unknown: true}
		}
		separator := "; "
		if i == len(stmts)-1 {
			separator = last
		}
		if stmt.Background {
			separator = " &" + strings.TrimPrefix(separator, ";")
		}
		w.separate(separator)
	}
	w.removeAssigned(settled...)
}

// assignedBy returns the variables that certainly have a value after a statement.
func assignedBy(stmt *syntax.Stmt) (names []string) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Background || stmt.Negated || len(call.Args) > 0 || len(stmt.Redirs) > 0 {
		return nil
	}
	for _, assign := range call.Assigns {
		if assign.Name != nil {
			names = append(names, assign.Name.Value)
		}
	}
	return names
}

// separate prints the separator between two statements. If here-documents wait for a newline,
// their bodies follow.
func (w *walker) separate(separator string) {
	if len(w.heredocs) == 0 {
		w.emit(separator)
		return
	}
	if strings.HasPrefix(separator, " &") {
		w.emit(" &")
	}
	w.emit("\n")
	for _, h := range w.heredocs {
		w.emit(h.body + h.Delimiter + "\n")
	}
	w.heredocs = nil
}

// stmt walks a command with its redirections and operators.
func (w *walker) stmt(stmt *syntax.Stmt) {
	start, end := w.span(stmt)
	switch {
	case stmt.Coprocess:
		w.refuse(KindConstruct, "coprocess |&", start, end)
	case stmt.Disown:
		w.refuse(KindConstruct, "disowned job &|", start, end)
	case stmt.Background && w.followedBy('>', stmt.Semicolon):
		w.refuse(kindGuard, "background job in front of a redirection", start, end)
	case stmt.Cmd == nil && w.variant == syntax.LangZsh:
		w.refuse(KindConstruct, "redirection without a command, for which zsh runs a program", start, end)
	}
	if stmt.Negated {
		w.keyword(stmt.Position, "!")
		w.construct(kindCompound, "negation !", start, end)
		w.emit("! ")
	}
	at, files := len(w.Commands), len(w.Files)
	w.command(stmt.Cmd)
	if stmt.Background {
		w.recordApart(at)
	}
	last := len(w.Commands)
	w.Parallel = w.Parallel || stmt.Background
	owner, upto := -1, at // a compound command opens its files before it runs any other
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok {
		if upto = len(w.Commands); len(call.Args) > 0 {
			owner = at
		}
	}
	opened := make([]int, len(stmt.Redirs))
	for i, redirect := range stmt.Redirs {
		w.redirect(redirect, owner, upto)
		opened[i] = len(w.Files) - 1
	}
	w.recordInputOf(stmt, opened)
	w.recordBeside(at, last, files, len(w.Files)) // the commands in the words of redirections
	w.recordInput(stmt.Redirs, at)
}

// recordApart records that the commands from an index on run in a shell of their own.
func (w *walker) recordApart(from int) {
	w.Apart = append(w.Apart, Span{Start: from, End: len(w.Commands)})
}

// followedBy reports whether a character directly follows an operator of one byte.
func (w *walker) followedBy(c byte, pos syntax.Pos) bool {
	next := int(pos.Offset()) + 1
	return next < len(w.text) && w.text[next] == c
}

// command is the only switch over the kinds of command. An unlisted kind is refused under the
// name of its type.
func (w *walker) command(node syntax.Command) {
	switch node := node.(type) {
	case nil: // only redirections
	case *syntax.CallExpr:
		w.call(node)
	case *syntax.BinaryCmd:
		w.binary(node)
	case *syntax.DeclClause:
		w.declaration(node)
	case *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause,
		*syntax.CaseClause, *syntax.FuncDecl, *syntax.TestClause, *syntax.ArithmCmd, *syntax.TimeClause:
		start, end := w.span(node)
		kind, construct := commandName(node)
		w.construct(kind, construct, start, end)
		w.compound(node)
	default:
		kind, construct := commandName(node)
		w.refuseNode(kind, construct, node)
	}
}

// binary walks two commands and the operator between them.
func (w *walker) binary(node *syntax.BinaryCmd) {
	before, from, files := w.dir, len(w.Commands), len(w.Files)
	w.stmt(node.X)
	middle, opened := len(w.Commands), len(w.Files)
	if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
		w.recordPiped(node.X, from)
		w.recordApart(from)
	}
	if node.X.Background || node.Y.Background {
		w.refuseNode(kindGuard, "background job inside a list", node)
	}
	switch node.Op {
	case syntax.AndStmt:
		w.emit(" && ")
		w.stmt(node.Y)
	case syntax.OrStmt:
		w.emit(" || ")
		moved := w.dir
		if !moved.equal(before) {
			w.dir = Directory{Unknown: true}
		}
		failed := w.dir
		w.stmt(node.Y)
		switch {
		case w.effects.endsScript(node.Y):
			w.dir = moved
		case !w.dir.equal(failed):
			w.dir = Directory{Unknown: true}
		}
	case syntax.Pipe:
		w.emit(" | ")
		w.pipeReader(node.Y, node.X)
		w.recordSource(node, from, middle)
		w.recordBeside(from, middle, files, opened)
	case syntax.PipeAll:
		w.emit(" |& ")
		w.pipeReader(node.Y, node.X)
		w.recordBeside(from, middle, files, opened)
	default:
		w.refuseNode(KindConstruct, "operator "+node.Op.String(), node)
	}
}

// call walks a simple command.
func (w *walker) call(node *syntax.CallExpr) {
	var ahead []int // indexes of assignments that only this command gets
	for i, assign := range node.Assigns {
		if i > 0 {
			w.emit(" ")
		}
		names, values := len(w.Names), len(w.Values)
		w.assign(assign, len(node.Args) > 0)
		if w.isPrivateAssignment(assign, node.Args) { // no other command and no program gets it
			w.Names, w.Values = w.Names[:names], w.Values[:values]
		} else if len(w.Values) > values {
			ahead = append(ahead, len(w.Values)-1)
		}
	}
	if len(node.Args) == 0 {
		return
	}
	if len(node.Assigns) > 0 {
		w.emit(" ")
	}
	start, _ := w.span(node.Args[0])
	_, end := w.span(node.Args[len(node.Args)-1])
	at := len(w.Commands)
	if at == MaxCommands {
		w.refuse(KindLimit, fmt.Sprintf("more than %d commands", MaxCommands), start, end)
		return
	}
	w.Pieces = append(w.Pieces, Piece{Kind: PieceCommand, Index: at})
	w.Commands = append(w.Commands, SimpleCommand{Start: start, End: end, Dir: w.dir})
	for _, i := range ahead {
		w.Values[i].Command = at + 1
	}
	w.Commands[at].Words = w.words(node.Args)
	w.trackDirectory(w.Commands[at].Words)
	w.trackExports(w.Commands[at].Words)
	w.recordCall(&w.Commands[at])
	if nested := len(w.Commands); nested > at+1 { // the commands in its words
		w.Commands[at].Beside = append(w.Commands[at].Beside, Span{at + 1, nested})
	}
}

// recordCall records a call of a function that the script declared before. After it, no command may
// unset a function.
func (w *walker) recordCall(c *SimpleCommand) {
	name := c.Words[0].Text
	c.Function = w.Functions[name]
	if name == w.inside && name != "" {
		w.refuse(KindConstruct, "function that calls itself, "+Excerpt(name), c.Start, c.End)
	}
	if own := w.effects.Unprefixed(c.Words)[0].Text; len(w.Functions) > 0 && w.effects.builtins[own].RemovesFunctions {
		w.refuse(KindConstruct, "unset in text with functions, because it may remove one", c.Start, c.End)
	}
}

// words reads the words of a simple command. The first is its name.
func (w *walker) words(nodes []*syntax.Word) []Word {
	w.checkName(nodes[0])
	words := make([]Word, 0, len(nodes))
	seen, _ := w.span(nodes[0])
	for i, node := range nodes {
		from, to := w.span(node)
		w.checkSeparated(seen, from)
		word := w.word(node)
		seen = to
		if i > 0 && word.Dynamic {
			words = append(words, w.expandBraces(word)...)
		} else {
			words = append(words, word)
		}
	}
	switch name := words[0]; {
	case name.Dynamic:
		w.refuse(name.cause.kind, name.cause.construct, name.cause.start, name.cause.end)
	case name.Text == "":
		w.refuseNode(KindConstruct, "empty command name", nodes[0])
	}
	return words
}

// checkSeparated refuses two words that are separated by anything but blanks, unless a redirection is
// between them.
func (w *walker) checkSeparated(from, to int) {
	if from < to && !isGapBetweenWords(w.text[from:to]) && !strings.ContainsAny(w.text[from:to], "<>") {
		w.refuse(kindGuard, "words that are not separated by spaces", from, to)
	}
}

// checkName refuses a first word that some shell reads as more than a command name, whatever the
// current grammar says.
func (w *walker) checkName(word *syntax.Word) {
	start, end := w.span(word)
	raw := w.text[start:end]
	if kind := reserved(raw); kind != "" {
		w.refuse(kind, "reserved word "+raw, start, end)
	}
	if name, _, found := strings.Cut(raw, "="); found && spelling.Portable(strings.TrimSuffix(name, "+")) {
		w.refuse(kindAssignment, "assignment "+Excerpt(raw), start, end)
	}
}
