// Package shell turns the text of a command into a [Script]: simple commands with their words
// unquoted, redirections, constructs, and the variables that the text sets. It reads bash, POSIX
// shells, mksh and zsh, each by its own grammar.
//
// The text may come from an attacker. What cannot be read exactly is refused, with its kind and
// position; nothing is guessed. Three independent checks ensure this:
//
//   - guard.go refuses texts that shells and parsers read differently, before anything
//     parses them;
//   - the walker (statement.go, compound.go, function.go, assign.go and word.go) walks the
//     syntax tree, and refuses every node that it does not know;
//   - between the words that were understood, the text must have only blanks, operators and
//     comments (guard.go again), so that a command that a parser hides is not overlooked.
//
// A [Word] that is produced at run time stays as it is written, and says how much of it is
// known. This package looks up no programs and reads no options. What builtins do to a shell, the
// catalog says ([Effects]).
package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel"
	"gavel/analyzer/spelling"
)

// Script is the analysis of a shell text: its simple commands in the order of the text, what else
// it would do, and how to print it. If it was refused, it has only the refusal and the names of
// the variables that it appears to set.
type Script struct {
	Commands   []SimpleCommand
	Files      []Redirection
	Constructs []gavel.Construct
	Names      []string        // variables that it sets or takes away, as written
	Values     []Assignment    // what it gives them
	Expands    []string        // names of the variables whose values it uses
	Computes   []Computing     // variables in its arithmetic
	ExportsAll bool            // every variable that it sets is exported
	Functions  map[string]bool // functions that it declares
	Loops      []Loop          // over names that may be known
	Pieces     []Piece
	Refusal    *gavel.Refusal
	// Parallel is true if commands run at the same time as whatever follows them. Again is true if one may run more than
	// once, or not where it is written.
	Parallel, Again bool
}

// SimpleCommand is one simple command.
type SimpleCommand struct {
	Words      []Word
	Start, End int
	Dir        Directory
	// Beside are commands that come later in the text, and may run before it or at the same time:
	// those behind a pipe, and those in its words.
	Beside   []Span
	Function bool // it calls a function of the script
	Piped    bool // its output goes into a pipe
	Fed      bool // its input certainly does not come from a terminal
	Taking   bool // its input certainly comes from a pipe
	// Giver is one more than the position of the command whose output alone is its input; 0 if there
	// is none, or it is not a simple command without redirections.
	Giver int
	typed bool // it may come from one, whatever surrounds the command
}

// Texts returns the texts of words; never nil.
func Texts(words []Word) []string {
	list := make([]string, len(words))
	for i := range words {
		list[i] = words[i].Text
	}
	return list
}

// Positions returns the positions of the dynamic words; never nil.
func Positions(words []Word) []int {
	list := []int{}
	for i := range words {
		if words[i].Dynamic {
			list = append(list, i)
		}
	}
	return list
}

// Homed returns the positions of the words that are paths below the home directory; never nil.
func Homed(words []Word) []int {
	list := []int{}
	for i := range words {
		if words[i].Dynamic && words[i].Home() != "" {
			list = append(list, i)
		}
	}
	return list
}

// Numbered returns the positions of the words in which only a PID is produced at run time.
func Numbered(words []Word) []int {
	list := []int{}
	for i := range words {
		if words[i].Dynamic && words[i].numbered != "" {
			list = append(list, i)
		}
	}
	return list
}

// Directory is where a command runs: the operands of the cd commands since the script began. It
// is unknown after a cd that may or may not have worked.
type Directory struct {
	Last    *Step // nil where the script began
	Unknown bool
}

// Step is one cd, and those before it.
type Step struct {
	Before *Step
	To     string
	Home   bool // To begins with the home directory, as ~/x
}

// Piece is a part of a printed text: literal text, a command, or a redirection, each of the
// latter by its position in the script.
type Piece struct {
	Kind  pieceKind
	Text  string
	Index int
}

type pieceKind int

// The kinds of Piece.
const (
	pieceText    pieceKind = iota // literal text
	PieceCommand                  // a command of the script
	PieceFile                     // a redirection of the script
)

// Dialect returns the name of a shell: the base name of its path, in lower case.
func Dialect(shell string) string { return spelling.Base(spelling.Name(shell)) }

// Grammar returns the grammar of a shell by name. Which shells the parser can read is a property
// of this package, not of the shells, so it is not in the catalog.
func Grammar(shell string) (syntax.LangVariant, bool) {
	switch shell {
	case "bash":
		return syntax.LangBash, true
	case "sh", "dash", "ash":
		return syntax.LangPOSIX, true
	case "mksh", "ksh":
		return syntax.LangMirBSDKorn, true
	case "zsh":
		return syntax.LangZsh, true
	default:
		return 0, false
	}
}

// walker collects what a syntax tree would do, in the order of the text. It continues after a
// refusal, so that it can keep the first one in the text.
type walker struct {
	effects *Effects
	text    string
	variant syntax.LangVariant
	Script
	dir      Directory
	wander   bool                      // there is a cd whose effect is not followed
	top      map[*syntax.FuncDecl]bool // declarations that the script always reaches
	inside   string                    // the function whose body is being walked
	heredocs []heredoc                 // those whose bodies are printed after the next newline
	bodies   []Span                    // of here-documents
	settled  map[string]int            // variables that have a value, by the number of assignments
	spans    []Span                    // what was understood
	quoted   []Span                    // plain text in quotes, with a backslash or a character beyond ASCII
}

// Span is a part of the text, in bytes.
type Span struct{ Start, End int }

// refuse keeps a refusal, unless an earlier position was already refused.
func (w *walker) refuse(kind, construct string, start, end int) {
	if w.Refusal == nil || start < w.Refusal.Start {
		w.Refusal = Refuse(w.text, kind, construct, start, end)
	}
}

// refuseNode refuses a whole node.
func (w *walker) refuseNode(kind, construct string, node syntax.Node) {
	start, end := w.span(node)
	w.refuse(kind, construct, start, end)
}

// construct records a construct that the policy decides about.
func (w *walker) construct(kind, construct string, start, end int) {
	w.Constructs = append(w.Constructs, gavel.Construct{Kind: kind, Construct: construct, Start: start, End: end})
}

// emit appends text to what is printed.
func (w *walker) emit(text string) {
	if n := len(w.Pieces); n > 0 && w.Pieces[n-1].Kind == pieceText {
		w.Pieces[n-1].Text += text
		return
	}
	w.Pieces = append(w.Pieces, Piece{Text: text})
}

// emitWord prints a word: quoted if it is literal, otherwise as written.
func (w *walker) emitWord(word Word) {
	if !word.Dynamic {
		w.emit(quoted(word.Text))
		return
	}
	for _, p := range word.Pieces {
		if p.Kind == pieceText {
			w.emit(p.Text)
		} else {
			w.Pieces = append(w.Pieces, p)
		}
	}
}

// apart runs walk with empty output, and returns what it printed.
func (w *walker) apart(walk func()) []Piece {
	outside := w.Pieces
	w.Pieces = nil
	walk()
	inside := w.Pieces
	w.Pieces = outside
	return inside
}

// span returns a node's position in the text, in bytes.
func (w *walker) span(node syntax.Node) (start, end int) {
	start = min(int(node.Pos().Offset()), len(w.text))
	return start, min(max(start, int(node.End().Offset())), len(w.text))
}

// explain records that a part of the text was understood.
func (w *walker) explain(start, end int) { w.spans = append(w.spans, Span{start, end}) }

// keyword explains a keyword or an operator at its position, and refuses the text if something
// else is there.
func (w *walker) keyword(pos syntax.Pos, keyword string) {
	start := min(int(pos.Offset()), len(w.text))
	if !pos.IsValid() || !strings.HasPrefix(w.text[start:], keyword) {
		w.refuse(kindGuard, "a location where "+keyword+" is expected but something else was found", start, min(start+1, len(w.text)))
		return
	}
	w.explain(start, start+len(keyword))
}

// gaps checks that outside what was understood there is nothing that could be a command.
func (w *walker) gaps() {
	if w.Refusal != nil {
		return
	}
	slices.SortFunc(w.spans, func(a, b Span) int { return a.Start - b.Start })
	seen := 0
	for _, s := range w.spans {
		w.gap(seen, s.Start)
		seen = max(seen, s.End)
	}
	w.gap(seen, len(w.text))
}

// settle refuses characters that are harmless only inside quotes and were not read as quoted.
func (w *walker) settle(doubts []doubt) {
	for _, d := range doubts {
		quoted := slices.ContainsFunc(w.quoted, func(s Span) bool { return s.Start <= d.Start && d.End <= s.End })
		if !quoted {
			w.refuse(kindGuard, d.construct, d.Start, d.End)
		}
	}
}

func (w *walker) gap(from, to int) {
	if from < to && !around(w.text[from:to], from == 0) {
		w.refuse(kindGuard, "unexpected text between commands", from, to)
	}
}
