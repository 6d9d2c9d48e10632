package analyzer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
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
	functions  map[string]bool // that it declares
	pieces     []piece
	refusal    *gavel.Refusal
}

// command is one simple command.
type command struct {
	words      []word
	start, end int
	dir        directory
	function   bool // it calls a function of the script
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

// directory is where a command runs: the operands of cd since the script began, or
// unknown after one that may or may not have had its effect.
type directory struct {
	steps   []string
	unknown bool
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
	case "zsh":
		return syntax.LangZsh, true
	default:
		return 0, false
	}
}

// parse reads a text as the shell would. Of several things that are refused it
// reports the one that starts first. Nobody may change what it returns: it may be
// returned again.
func (p *parsers) parse(text, shell string) script {
	if len(text) > maxRemembered {
		return p.read(text, shell)
	}
	key := reading{text, shell}
	if known, ok := p.scripts.Get(key); ok {
		return known
	}
	s := p.read(text, shell)
	p.scripts.Add(key, s)
	return s
}

func (p *parsers) read(text, shell string) script {
	variant, known := grammar(shell)
	if !known {
		return script{refusal: refusal(text, kindDialect, shell, 0, len(text))}
	}
	if r := guard(text); r != nil {
		return script{refusal: r}
	}
	parsed, r := p.tree(text, variant)
	if r != nil {
		return script{refusal: r}
	}
	w := walker{text: text, variant: variant, spans: make([]span, 0, 16+len(text)/8)}
	likely := min(1+strings.Count(text, "|")+strings.Count(text, "&&")+strings.Count(text, ";"), maxCommands)
	w.pieces, w.commands = make([]piece, 0, 2*likely), make([]command, 0, likely)
	w.functions = declared(text, parsed)
	w.wander = wanders(parsed)
	w.dir.unknown = w.wander
	w.stmts(parsed.Stmts, "")
	w.gaps()
	if w.refusal == nil && len(w.commands) == 0 && len(w.files) == 0 && len(w.names) == 0 {
		w.refuse(kindParameters, "empty command", 0, len(text))
	}
	if w.refusal != nil {
		return script{refusal: w.refusal, names: touched(parsed)}
	}
	if n := len(w.pieces); n > 0 && w.pieces[n-1].kind == pieceText {
		w.pieces[n-1].text = strings.TrimRight(w.pieces[n-1].text, " ")
	}
	return w.script
}

// How many texts are remembered, the last ones used, and how long one of them may be,
// in bytes: agents ask about the same few commands again and again.
const (
	maxScriptTexts = 1024
	maxRemembered  = 2 << 10
)

// parsers keeps parsers to be used again, by grammar, and what they read: what a text
// says depends on nothing but the text and the shell. It is safe for concurrent use.
type parsers struct {
	bash, posix, mksh, zsh sync.Pool
	scripts                *lru.Cache[reading, script]
}

// reading is a text as a shell reads it.
type reading struct{ text, shell string }

func newParsers() (*parsers, error) {
	scripts, err := lru.New[reading, script](maxScriptTexts)
	if err != nil {
		return nil, fmt.Errorf("make room for texts: %w", err)
	}
	return &parsers{scripts: scripts}, nil
}

func (p *parsers) of(variant syntax.LangVariant) *sync.Pool {
	switch variant {
	case syntax.LangBash:
		return &p.bash
	case syntax.LangPOSIX:
		return &p.posix
	case syntax.LangMirBSDKorn:
		return &p.mksh
	default:
		return &p.zsh
	}
}

// tree parses a text that passed the guard. A parser that panics refuses. One that did
// not come to the end of its text is not used again.
func (p *parsers) tree(text string, variant syntax.LangVariant) (file *syntax.File, r *gavel.Refusal) {
	defer func() {
		if recover() != nil {
			file, r = nil, refusal(text, kindSyntax, "text that the parser fails on", 0, len(text))
		}
	}()
	parser, ok := p.of(variant).Get().(*syntax.Parser)
	if !ok {
		parser = syntax.NewParser(syntax.Variant(variant))
	}
	file, err := parser.Parse(strings.NewReader(text), "")
	if err == nil {
		p.of(variant).Put(parser)
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

// walker collects what a tree would do, in the order of the text. It goes on after
// a refusal, so that the first in the text is the one it keeps.
type walker struct {
	text    string
	variant syntax.LangVariant
	script
	dir      directory
	wander   bool            // a cd stands where its effect is not followed
	complete map[string]bool // of them, those whose bodies are behind us
	inside   int             // how many function bodies are around
	heredocs []heredoc       // whose bodies are printed after the next newline
	bodies   []span          // of here-documents
	spans    []span          // what was understood
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

func (w *walker) gap(from, to int) {
	if from < to && !around(w.text[from:to], from == 0) {
		w.refuse(kindGuard, "text between commands that no operator or comment explains", from, to)
	}
}
