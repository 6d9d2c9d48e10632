package analyzer

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel"
)

// script is a shell line taken apart: its simple commands in order, or why it
// was refused. It has no commands when it was refused.
type script struct {
	commands []command
	refusal  *gavel.Refusal
}

// command is one simple command. Joint is the operator after it, with its
// blanks, such as " && ".
type command struct {
	argv       []string
	start, end int
	joint      string
}

// dialect is the name of a shell: the base name of its path, lower case.
func dialect(shell string) string { return baseName(foldName(shell)) }

// grammar returns the grammar of a shell by its name.
func grammar(shell string) (syntax.LangVariant, bool) {
	switch shell {
	case "bash":
		return syntax.LangBash, true
	case "sh", "dash", "ash":
		return syntax.LangPOSIX, true
	case "mksh", "ksh":
		return syntax.LangMirBSDKorn, true
	default:
		return 0, false
	}
}

// parse reads a text as the shell would. Of several constructs that are refused
// it reports the one that starts first.
func parse(text, shell string) script {
	variant, known := grammar(shell)
	if !known {
		return script{refusal: refusal(text, kindDialect, shell, 0, len(text))}
	}
	if r := guard(text); r != nil {
		return script{refusal: r}
	}
	file, r := tree(text, variant)
	if r != nil {
		return script{refusal: r}
	}
	w := walker{text: text}
	w.stmts(file.Stmts)
	w.gaps()
	if len(w.commands) == 0 && w.refusal == nil {
		w.refuse(kindParameters, "empty command", 0, len(text))
	}
	if w.refusal != nil {
		return script{refusal: w.refusal}
	}
	last := &w.commands[len(w.commands)-1]
	last.joint = strings.TrimRight(strings.TrimSuffix(last.joint, "; "), " ")
	return script{commands: w.commands}
}

// tree parses a text that passed the guard. A parser that panics refuses.
func tree(text string, variant syntax.LangVariant) (file *syntax.File, r *gavel.Refusal) {
	defer func() {
		if recover() != nil {
			file, r = nil, refusal(text, kindSyntax, "text that the parser fails on", 0, len(text))
		}
	}()
	file, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(text), "")
	if err == nil {
		return file, nil
	}
	var wrong syntax.ParseError
	if errors.As(err, &wrong) {
		return nil, refusal(text, kindSyntax, wrong.Text, int(wrong.Pos.Offset()), len(text))
	}
	var foreign syntax.LangError
	if errors.As(err, &foreign) {
		construct := fmt.Sprintf("%s, unknown to this shell", foreign.Feature)
		return nil, refusal(text, kindSyntax, construct, int(foreign.Pos.Offset()), len(text))
	}
	return nil, refusal(text, kindSyntax, err.Error(), 0, len(text))
}

// walker collects the simple commands of a tree in the order of the text. It
// goes on after a refusal, so that the first in the text is the one it keeps.
type walker struct {
	text     string
	commands []command
	refusal  *gavel.Refusal
}

// refuse keeps a refusal unless an earlier place was refused already.
func (w *walker) refuse(kind, construct string, start, end int) {
	if w.refusal == nil || start < w.refusal.Start {
		w.refusal = refusal(w.text, kind, construct, start, end)
	}
}

// refuseNode refuses a whole node.
func (w *walker) refuseNode(kind, construct string, node syntax.Node) {
	start, end := w.span(node)
	w.refuse(kind, construct, start, end)
}

func (w *walker) stmts(stmts []*syntax.Stmt) {
	for _, stmt := range stmts {
		w.stmt(stmt)
		if stmt.Background {
			w.join(" & ")
		} else {
			w.join("; ")
		}
	}
}

// stmt walks a command with what may stand around it.
func (w *walker) stmt(stmt *syntax.Stmt) {
	start, end := w.span(stmt)
	switch {
	case stmt.Negated:
		w.refuse(kindCompound, "negation !", start, end)
	case stmt.Coprocess:
		w.refuse(kindConstruct, "coprocess |&", start, end)
	case stmt.Disown:
		w.refuse(kindConstruct, "disowned job &|", start, end)
	}
	for _, redirect := range stmt.Redirs {
		w.redirect(redirect)
	}
	w.command(stmt.Cmd)
}

// command is the one switch over the kinds of command.
func (w *walker) command(node syntax.Command) {
	switch node := node.(type) {
	case nil: // redirects alone, which are refused already
	case *syntax.CallExpr:
		w.call(node)
	case *syntax.BinaryCmd:
		w.binary(node)
	default:
		kind, construct := commandName(node)
		w.refuseNode(kind, construct, node)
	}
}

// binary walks two commands and the operator between them.
func (w *walker) binary(node *syntax.BinaryCmd) {
	w.stmt(node.X)
	switch node.Op {
	case syntax.AndStmt, syntax.OrStmt, syntax.Pipe, syntax.PipeAll:
		w.join(" " + node.Op.String() + " ")
	default:
		w.refuseNode(kindConstruct, "operator "+node.Op.String(), node)
	}
	if node.X.Background || node.Y.Background {
		w.refuseNode(kindGuard, "background job inside a list", node)
	}
	w.stmt(node.Y)
}

// join notes the operator after the latest command.
func (w *walker) join(operator string) {
	if len(w.commands) > 0 {
		w.commands[len(w.commands)-1].joint = operator
	}
}

// call walks a simple command.
func (w *walker) call(node *syntax.CallExpr) {
	if len(node.Assigns) > 0 {
		start, end := w.span(node.Assigns[0])
		w.refuse(kindAssignment, "assignment "+excerpt(w.text[start:end]), start, end)
	}
	if len(node.Args) == 0 {
		return
	}
	start, end := w.span(node)
	if len(w.commands) == maxCommands {
		w.refuse(kindLimit, fmt.Sprintf("more than %d commands", maxCommands), start, end)
		return
	}
	w.name(node.Args[0])
	argv := make([]string, len(node.Args))
	seen := start
	for i, word := range node.Args {
		from, to := w.span(word)
		if !between(w.text[seen:max(from, seen)]) {
			w.refuse(kindGuard, "words that are not separated by blanks", seen, from)
		}
		argv[i], seen = w.word(word), to
	}
	if argv[0] == "" {
		w.refuseNode(kindConstruct, "empty command name", node.Args[0])
	}
	w.commands = append(w.commands, command{argv: argv, start: start, end: end})
}

// name refuses a first word that some shell reads as more than a name, whether
// or not the grammar in force does.
func (w *walker) name(word *syntax.Word) {
	start, end := w.span(word)
	raw := w.text[start:end]
	if kind := reserved(raw); kind != "" {
		w.refuse(kind, "reserved word "+raw, start, end)
	}
	if name, _, found := strings.Cut(raw, "="); found && portable(strings.TrimSuffix(name, "+")) {
		w.refuse(kindAssignment, "assignment "+excerpt(raw), start, end)
	}
}

// redirect refuses a redirection by its name.
func (w *walker) redirect(node *syntax.Redirect) {
	kind, construct := redirectName(node.Op)
	w.refuseNode(kind, construct, node)
}

// gaps checks that outside of the commands there is nothing that could be one.
func (w *walker) gaps() {
	if w.refusal != nil {
		return
	}
	seen := 0
	for _, c := range w.commands {
		w.gap(seen, c.start)
		seen = c.end
	}
	w.gap(seen, len(w.text))
}

func (w *walker) gap(from, to int) {
	if to < from || !around(w.text[from:to], from == 0) {
		w.refuse(kindGuard, "text between commands that no operator or comment explains", from, to)
	}
}

// span returns a node's place in the text, as byte offsets within it.
func (w *walker) span(node syntax.Node) (start, end int) {
	start = min(int(node.Pos().Offset()), len(w.text))
	return start, min(max(start, int(node.End().Offset())), len(w.text))
}
