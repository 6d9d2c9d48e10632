package shell

import (
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"mvdan.cc/sh/v3/syntax"

	"gavel"
)

// The number of recently read texts that are cached, and the maximum length of one in bytes.
// Agents ask about the same few commands again and again.
const (
	maxScriptTexts = 1024
	maxRemembered  = 2 << 10
)

// maxMet is the number of recent texts that may have been met once.
const maxMet = 4096

// Parsers reuses parsers, by grammar, and caches what they read: the result depends only on the
// text and the shell. A text is cached when it is met for the second time, because most of those
// that are never met again would take the place of others, and memory. It is safe for concurrent
// use.
type Parsers struct {
	effects                *Effects
	bash, posix, mksh, zsh sync.Pool
	walkers                sync.Pool
	scripts                *lru.Cache[reading, Script]
	// met are hashes of texts, each at the place that its hash says.
	met  [maxMet]atomic.Uint64
	seed maphash.Seed
}

// reading is the cache key: a text, and the shell that reads it.
type reading struct{ text, shell string }

// NewParsers returns parsers with an empty cache. effects says what builtins do.
func NewParsers(effects *Effects) (*Parsers, error) {
	scripts, err := lru.New[reading, Script](maxScriptTexts)
	if err != nil {
		return nil, fmt.Errorf("create the cache of texts: %w", err)
	}
	return &Parsers{effects: effects, scripts: scripts, seed: maphash.MakeSeed()}, nil
}

// Parse reads a text as the shell would. If several things are refused, it reports the one that
// starts first. The result may be cached and shared, so callers must not change it.
func (p *Parsers) Parse(text, shell string) Script {
	if len(text) > maxRemembered {
		return p.read(text, shell)
	}
	key := reading{text, shell}
	if known, ok := p.scripts.Get(key); ok {
		return known
	}
	s := p.read(text, shell)
	if p.again(key) {
		p.scripts.Add(key, s)
	}
	return s
}

// again reports whether a text was met before, and remembers it. It may be wrong, which costs
// time only.
func (p *Parsers) again(key reading) bool {
	hash := maphash.Comparable(p.seed, key)
	return p.met[hash%maxMet].Swap(hash) == hash
}

func (p *Parsers) read(text, shell string) Script {
	variant, known := Grammar(shell)
	if !known {
		return Script{Refusal: Refuse(text, kindDialect, shell, 0, len(text))}
	}
	doubts, r := guard(text)
	if r != nil {
		return Script{Refusal: r}
	}
	parsed, r := p.tree(text, variant)
	if r != nil {
		return Script{Refusal: r}
	}
	w := p.walker()
	defer p.leave(w)
	w.text, w.variant = text, variant
	likely := min(1+strings.Count(text, "|")+strings.Count(text, "&&")+strings.Count(text, ";"), MaxCommands)
	w.Pieces, w.Commands = make([]Piece, 0, 2*likely), make([]SimpleCommand, 0, likely)
	w.top = unconditional(parsed)
	w.wander = p.effects.wanders(parsed)
	w.dir.Unknown = w.wander
	w.stmts(parsed.Stmts, "")
	w.gaps()
	w.settle(doubts)
	w.numbers()
	if w.Refusal == nil && len(w.Commands) == 0 && len(w.Files) == 0 && len(w.Names) == 0 && len(w.Constructs) == 0 {
		w.refuse(KindParameters, "empty command", 0, len(text))
	}
	if w.Refusal == nil && len(w.Constructs) > 0 && calls(parsed) != len(w.Commands) {
		w.refuse(kindGuard, "command in an unsupported position", 0, len(text))
	}
	if w.Refusal != nil {
		return Script{Refusal: w.Refusal, Names: p.effects.touched(parsed)}
	}
	if n := len(w.Pieces); n > 0 && w.Pieces[n-1].Kind == pieceText {
		w.Pieces[n-1].Text = strings.TrimRight(w.Pieces[n-1].Text, " ")
	}
	return w.Script
}

// maxSpans is how much of a walker is kept for the next text.
const maxSpans = 256

// walker is one that has walked nothing.
func (p *Parsers) walker() *walker {
	w, ok := p.walkers.Get().(*walker)
	if !ok {
		w = &walker{spans: make([]Span, 0, 32)}
	}
	w.effects = p.effects
	return w
}

// leave takes a walker back. It keeps nothing of the text, and its script is the reader's.
func (p *Parsers) leave(w *walker) {
	spans := w.spans
	if cap(spans) > maxSpans {
		return
	}
	*w = walker{spans: spans[:0]}
	p.walkers.Put(w)
}

func (p *Parsers) of(variant syntax.LangVariant) *sync.Pool {
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

// tree parses a text that passed the guard. A panic of the parser becomes a refusal. A parser
// that did not reach the end of its text is not reused.
func (p *Parsers) tree(text string, variant syntax.LangVariant) (file *syntax.File, r *gavel.Refusal) {
	defer func() {
		if recover() != nil {
			file, r = nil, Refuse(text, kindSyntax, "text that the parser cannot read", 0, len(text))
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
		return nil, Refuse(text, kindSyntax, wrong.Text, int(wrong.Pos.Offset()), len(text))
	}
	var foreign syntax.LangError
	if errors.As(err, &foreign) {
		construct := fmt.Sprintf("%s, unknown to this shell", foreign.Feature)
		return nil, Refuse(text, kindSyntax, construct, int(foreign.Pos.Offset()), len(text))
	}
	return nil, Refuse(text, kindSyntax, err.Error(), 0, len(text))
}

// calls counts the simple commands of a tree, however deep they are. The walk must have visited
// as many.
func calls(file *syntax.File) (n int) {
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			n++
		}
		return true
	})
	return n
}
