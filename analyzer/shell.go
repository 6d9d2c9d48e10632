package analyzer

import (
	"slices"
	"strings"

	"gavel/analyzer/spelling"

	"mvdan.cc/sh/v3/syntax"

	"gavel"
)

// script is a shell text taken apart: its simple commands in the order of the
// text, what else it would do, and how to print it; or why it was refused, and
// then nothing else but the names that it shows to be set.
type script struct {
	commands   []command
	files      []file
	constructs []gavel.Construct
	names      []string        // variables that it sets or takes away, as written
	values     []assignment    // what it gives them
	computes   []computing     // variables in its arithmetic
	exportsAll bool            // whatever it sets, programs get
	functions  map[string]bool // that it declares
	pieces     []piece
	refusal    *gavel.Refusal
	// parallel is true when commands run beside one another, and again when one may run
	// more than once, or elsewhere than it stands.
	parallel, again bool
}

// command is one simple command.
type command struct {
	words      []word
	start, end int
	dir        directory
	function   bool // it calls a function of the script
	piped      bool // its output goes into a pipe
}

// texts returns words as text; never nil.
func texts(words []word) []string {
	list := make([]string, len(words))
	for i := range words {
		list[i] = words[i].text
	}
	return list
}

// positions returns where the dynamic ones of words stand; never nil.
func positions(words []word) []int {
	list := []int{}
	for i := range words {
		if words[i].dynamic {
			list = append(list, i)
		}
	}
	return list
}

// numbered returns the positions of those of which only the number of a process is
// made at run time.
func numbered(words []word) []int {
	list := []int{}
	for i := range words {
		if words[i].dynamic && words[i].numbered != "" {
			list = append(list, i)
		}
	}
	return list
}

// directory is where a command runs: the operands of cd since the script began, or
// unknown after one that may or may not have had its effect.
type directory struct {
	last    *step // nil where the script began
	unknown bool
}

// step is one cd, and those before it.
type step struct {
	before *step
	to     string
}

// piece is a part of a text that is printed: text as it is, a command, or a
// redirection, by their positions in the script.
type piece struct {
	kind  pieceKind
	text  string
	index int
}

type pieceKind int

const (
	pieceText pieceKind = iota
	pieceCommand
	pieceFile
)

// dialect is the name of a shell: the base name of its path, lower case.
func dialect(shell string) string { return spelling.Base(spelling.Name(shell)) }

// grammar returns the grammar of a shell by its name.
func grammar(shell string) (syntax.LangVariant, bool) {
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
	script
	dir      directory
	wander   bool                      // a cd stands where its effect is not followed
	top      map[*syntax.FuncDecl]bool // to which the script always comes
	inside   string                    // the function whose body is around
	heredocs []heredoc                 // whose bodies are printed after the next newline
	bodies   []span                    // of here-documents
	settled  map[string]int            // variables that have a value, by how many places say so
	spans    []span                    // what was understood
	quoted   []span                    // of it, plain text in quotes, where a backslash or a sign beyond ASCII is
}

// span is a part of the text, in bytes.
type span struct{ start, end int }

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

// construct notes a construct that policy decides about.
func (w *walker) construct(kind, construct string, start, end int) {
	w.constructs = append(w.constructs, gavel.Construct{Kind: kind, Construct: construct, Start: start, End: end})
}

// emit appends text to what is printed.
func (w *walker) emit(text string) {
	if n := len(w.pieces); n > 0 && w.pieces[n-1].kind == pieceText {
		w.pieces[n-1].text += text
		return
	}
	w.pieces = append(w.pieces, piece{text: text})
}

// emitWord prints a word: quoted when it is literal, and else as it was written.
func (w *walker) emitWord(word word) {
	if !word.dynamic {
		w.emit(quoted(word.text))
		return
	}
	for _, p := range word.pieces {
		if p.kind == pieceText {
			w.emit(p.text)
		} else {
			w.pieces = append(w.pieces, p)
		}
	}
}

// apart runs walk with nothing printed so far, and returns what it printed.
func (w *walker) apart(walk func()) []piece {
	outside := w.pieces
	w.pieces = nil
	walk()
	inside := w.pieces
	w.pieces = outside
	return inside
}

// span returns a node's place in the text, as byte offsets within it.
func (w *walker) span(node syntax.Node) (start, end int) {
	start = min(int(node.Pos().Offset()), len(w.text))
	return start, min(max(start, int(node.End().Offset())), len(w.text))
}

// explain notes that a part of the text was understood.
func (w *walker) explain(start, end int) { w.spans = append(w.spans, span{start, end}) }

// keyword explains a reserved word or an operator at its place, and refuses when
// the text has something else there.
func (w *walker) keyword(pos syntax.Pos, keyword string) {
	start := min(int(pos.Offset()), len(w.text))
	if !pos.IsValid() || !strings.HasPrefix(w.text[start:], keyword) {
		w.refuse(kindGuard, "a place where "+keyword+" is expected and something else stands", start, min(start+1, len(w.text)))
		return
	}
	w.explain(start, start+len(keyword))
}

// gaps checks that outside of what was understood there is nothing that could be a
// command.
func (w *walker) gaps() {
	if w.refusal != nil {
		return
	}
	slices.SortFunc(w.spans, func(a, b span) int { return a.start - b.start })
	seen := 0
	for _, s := range w.spans {
		w.gap(seen, s.start)
		seen = max(seen, s.end)
	}
	w.gap(seen, len(w.text))
}

// settle refuses what is harmless in quotes only and was not read as such.
func (w *walker) settle(doubts []doubt) {
	for _, d := range doubts {
		quoted := slices.ContainsFunc(w.quoted, func(s span) bool { return s.start <= d.start && d.end <= s.end })
		if !quoted {
			w.refuse(kindGuard, d.construct, d.start, d.end)
		}
	}
}

func (w *walker) gap(from, to int) {
	if from < to && !around(w.text[from:to], from == 0) {
		w.refuse(kindGuard, "text between commands that no operator or comment explains", from, to)
	}
}
