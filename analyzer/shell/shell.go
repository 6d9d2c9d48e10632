// Package shell turns the text of a command into a [Script]: simple commands with their
// words unquoted, redirections, constructs, and the variables that the text sets. It reads
// bash, POSIX shells, mksh and zsh, each by its own grammar.
//
// The text is an attacker's. What cannot be read exactly is refused with its kind and its
// place, and nothing is guessed. Three nets hold, each by itself:
//
//   - guard.go refuses texts that shells and parsers read differently, before anything
//     parses them;
//   - the walker (statement.go, compound.go, function.go, assign.go and word.go) walks the
//     syntax tree, and refuses every node that it does not know;
//   - between the words that were understood, the text must be nothing but blanks,
//     operators and comments (guard.go again), so that a parser that hides a command
//     cannot hide it from us.
//
// A [Word] that the shell makes at run time stays as it is written, and says how much of
// it is known. No program is looked up here, and no option read.
package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel"
	"gavel/analyzer/spelling"
)

// Script is a shell text analyzed: its simple commands in the order of the
// text, what else it would do, and how to print it; or why it was refused, and
// then nothing else but the names that it shows to be set.
type Script struct {
	Commands   []SimpleCommand
	Files      []Redirection
	Constructs []gavel.Construct
	Names      []string        // variables that it sets or takes away, as written
	Values     []Assignment    // what it gives them
	Computes   []Computing     // variables in its arithmetic
	ExportsAll bool            // whatever it sets, programs get
	Functions  map[string]bool // that it declares
	Pieces     []Piece
	Refusal    *gavel.Refusal
	// Parallel is true when commands run beside one another, and Again when one may run
	// more than once, or elsewhere than it stands.
	Parallel, Again bool
}

// SimpleCommand is one simple command.
type SimpleCommand struct {
	Words      []Word
	Start, End int
	Dir        Directory
	Function   bool // it calls a function of the script
	Piped      bool // its output goes into a pipe
	Fed        bool // its input surely does not come from a terminal
	typed      bool // it may come from one, whatever is around it
}

// Texts returns words as text; never nil.
func Texts(words []Word) []string {
	list := make([]string, len(words))
	for i := range words {
		list[i] = words[i].Text
	}
	return list
}

// Positions returns where the dynamic ones of words stand; never nil.
func Positions(words []Word) []int {
	list := []int{}
	for i := range words {
		if words[i].Dynamic {
			list = append(list, i)
		}
	}
	return list
}

// Numbered returns the positions of those of which only the number of a process is
// made at run time.
func Numbered(words []Word) []int {
	list := []int{}
	for i := range words {
		if words[i].Dynamic && words[i].numbered != "" {
			list = append(list, i)
		}
	}
	return list
}

// Directory is where a command runs: the operands of cd since the script began, or
// unknown after one that may or may not have had its effect.
type Directory struct {
	Last    *Step // nil where the script began
	Unknown bool
}

// Step is one cd, and those before it.
type Step struct {
	Before *Step
	To     string
}

// Piece is a part of a text that is printed: text as it is, a command, or a
// redirection, by their positions in the script.
type Piece struct {
	Kind  pieceKind
	Text  string
	Index int
}

type pieceKind int

// What a piece may be.
const (
	pieceText    pieceKind = iota // text as it is
	PieceCommand                  // a command of the script
	PieceFile                     // a redirection of the script
)

// Dialect is the name of a shell: the base name of its path, lower case.
func Dialect(shell string) string { return spelling.Base(spelling.Name(shell)) }

// Grammar returns the grammar of a shell by its name.
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

// walker collects what a tree would do, in the order of the text. It goes on after
// a refusal, so that the first in the text is the one it keeps.
type walker struct {
	text    string
	variant syntax.LangVariant
	Script
	dir      Directory
	wander   bool                      // a cd stands where its effect is not followed
	top      map[*syntax.FuncDecl]bool // to which the script always comes
	inside   string                    // the function whose body is around
	heredocs []heredoc                 // whose bodies are printed after the next newline
	bodies   []Span                    // of here-documents
	settled  map[string]int            // variables that have a value, by how many places say so
	spans    []Span                    // what was understood
	quoted   []Span                    // of it, plain text in quotes, where a backslash or a sign beyond ASCII is
}

// Span is a part of the text, in bytes.
type Span struct{ Start, End int }

// refuse keeps a refusal unless an earlier place was refused already.
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

// construct notes a construct that policy decides about.
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

// emitWord prints a word: quoted when it is literal, and else as it was written.
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

// apart runs walk with nothing printed so far, and returns what it printed.
func (w *walker) apart(walk func()) []Piece {
	outside := w.Pieces
	w.Pieces = nil
	walk()
	inside := w.Pieces
	w.Pieces = outside
	return inside
}

// span returns a node's place in the text, as byte offsets within it.
func (w *walker) span(node syntax.Node) (start, end int) {
	start = min(int(node.Pos().Offset()), len(w.text))
	return start, min(max(start, int(node.End().Offset())), len(w.text))
}

// explain notes that a part of the text was understood.
func (w *walker) explain(start, end int) { w.spans = append(w.spans, Span{start, end}) }

// keyword explains a reserved word or an operator at its place, and refuses when
// the text has something else there.
func (w *walker) keyword(pos syntax.Pos, keyword string) {
	start := min(int(pos.Offset()), len(w.text))
	if !pos.IsValid() || !strings.HasPrefix(w.text[start:], keyword) {
		w.refuse(kindGuard, "a location where "+keyword+" is expected but something else was found", start, min(start+1, len(w.text)))
		return
	}
	w.explain(start, start+len(keyword))
}

// gaps checks that outside what was understood there is nothing that could be a
// command.
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

// settle refuses what is harmless in quotes only and was not read as such.
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
