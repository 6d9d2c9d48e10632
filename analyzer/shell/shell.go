// Package shell turns the text of a command into a [Script]: simple commands with their words
// unquoted, redirections, constructs, and the variables that the text sets. It reads bash, POSIX
// shells, mksh and zsh, each by its own grammar ([Parsers.Parse] in parsers.go).
//
// The text may come from an attacker. What cannot be read exactly is refused, with its kind and
// position; nothing is guessed. Three independent checks ensure this:
//
//   - guard.go refuses texts that shells and parsers read differently, before anything
//     parses them;
//   - the walker walks the syntax tree, and refuses every node that it does not know: statements
//     (statement.go), compound commands (compound.go, function.go), redirections (redirect.go),
//     assignments (assign.go), and words (word.go, value.go, quoting.go, expansion.go);
//   - between the words that were understood, the text must have only blanks, operators and
//     comments (guard.go again), so that a command that a parser hides is not overlooked.
//
// A [Word] that is produced at run time keeps its source, and has what is known about its value:
// choices.go has the possible values of variables, brace_expansion.go expands braces, and readings.go
// has the form for readers of options. loop.go and pipes.go record where loops and commands get their
// input from, and directory.go follows cd. arithmetic.go, count_arithmetic.go and assignment_values.go
// ensure that no shell evaluates a value. inserted_words.go is for words that wrappers insert.
//
// This package looks up no programs and reads no options. The catalog says what builtins do to a shell
// (effects.go); shown_variables.go uses that for texts that were refused.
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
	Names      []string             // variables that it sets or unsets, as written
	Values     []Assignment         // the values that it assigns
	Expands    []string             // names of the variables whose values it uses
	Arithmetic []ArithmeticVariable // variables in its arithmetic
	ExportsAll bool                 // every variable that it sets is exported
	Functions  map[string]bool      // functions that it declares
	Loops      []Loop               // loops over texts that may be known
	Apart      []Span               // commands that certainly run in a shell of their own: a subshell, a job
	Pieces     []Piece
	Refusal    *gavel.Refusal
	// Parallel is true if commands run in the background. MayRepeat is true if a command may run more than
	// once, or elsewhere than where it is written.
	Parallel, MayRepeat bool
}

// SimpleCommand is one simple command.
type SimpleCommand struct {
	Words      []Word
	Start, End int
	Dir        Directory
	// Beside are ranges of later commands in the text that may run before this one or at the same time:
	// those after a pipe, and those in its words.
	Beside   []Span
	Function bool // it calls a function of the script
	Piped    bool // its output goes into a pipe
	NotTyped bool // its input certainly does not come from a terminal
	FromPipe bool // its input certainly comes from a pipe
	// Source is one more than the index of the simple command without redirections whose output is its only
	// input; 0 if there is none.
	Source     int
	mayBeTyped bool // its input may come from a terminal, whatever surrounds it
}

// Texts returns the texts of words; never nil.
func Texts(words []Word) []string {
	list := make([]string, len(words))
	for i := range words {
		list[i] = words[i].Text
	}
	return list
}

// DynamicIndexes returns the indexes of the dynamic words; never nil.
func DynamicIndexes(words []Word) []int {
	list := []int{}
	for i := range words {
		if words[i].Dynamic {
			list = append(list, i)
		}
	}
	return list
}

// HomeIndexes returns the indexes of the words that are paths below the home directory; never nil.
func HomeIndexes(words []Word) []int {
	list := []int{}
	for i := range words {
		if words[i].Dynamic && words[i].PathBelowHome() != "" {
			list = append(list, i)
		}
	}
	return list
}

// PIDIndexes returns the indexes of the words in which only a PID is produced at run time; never nil.
func PIDIndexes(words []Word) []int {
	list := []int{}
	for i := range words {
		if words[i].Dynamic && words[i].withPIDs != "" {
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
	dir            Directory
	losesDirectory bool                      // there is a cd whose effect is not followed
	topLevel       map[*syntax.FuncDecl]bool // declarations that the script always reaches
	inside         string                    // the function whose body is being walked
	heredocs       []heredoc                 // those whose bodies are printed after the next newline
	bodies         []Span                    // of here-documents
	assignedVars   map[string]int            // variables that have a value, by the number of assignments
	spans          []Span                    // what was understood
	quoted         []Span                    // plain text in quotes, with a backslash or a character beyond ASCII
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
		w.emit(quote(word.Text))
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

// capture calls walk, and returns what it emitted instead of emitting it.
func (w *walker) capture(walk func()) []Piece {
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

// markUnderstood records that a part of the text was understood.
func (w *walker) markUnderstood(start, end int) { w.spans = append(w.spans, Span{start, end}) }

// keyword explains a keyword or an operator at its position, and refuses the text if something
// else is there.
func (w *walker) keyword(pos syntax.Pos, keyword string) {
	start := min(int(pos.Offset()), len(w.text))
	if !pos.IsValid() || !strings.HasPrefix(w.text[start:], keyword) {
		w.refuse(kindGuard, "a location where "+keyword+" is expected but something else was found", start, min(start+1, len(w.text)))
		return
	}
	w.markUnderstood(start, start+len(keyword))
}

// checkGaps checks that outside what was understood there is nothing that could be a command.
func (w *walker) checkGaps() {
	if w.Refusal != nil {
		return
	}
	slices.SortFunc(w.spans, func(a, b Span) int { return a.Start - b.Start })
	seen := 0
	for _, s := range w.spans {
		w.checkGap(seen, s.Start)
		seen = max(seen, s.End)
	}
	w.checkGap(seen, len(w.text))
}

// checkDoubts refuses characters that are harmless only inside quotes, and that were not read as quoted.
func (w *walker) checkDoubts(doubts []doubt) {
	for _, d := range doubts {
		quoted := slices.ContainsFunc(w.quoted, func(s Span) bool { return s.Start <= d.Start && d.End <= s.End })
		if !quoted {
			w.refuse(kindGuard, d.construct, d.Start, d.End)
		}
	}
}

// checkGap refuses text between two understood parts, unless it is harmless.
func (w *walker) checkGap(from, to int) {
	if from < to && !isGapBetweenCommands(w.text[from:to], from == 0) {
		w.refuse(kindGuard, "unexpected text between commands", from, to)
	}
}
