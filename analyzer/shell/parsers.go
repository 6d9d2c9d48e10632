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

// The number of parsed texts that are cached, and the maximum length of one in bytes.
// Agents ask about the same few commands again and again.
const (
	maxScriptTexts = 1024
	maxCachedText  = 2 << 10
)

// maxSeen is the number of hashes that are kept of texts which were parsed before.
const maxSeen = 4096

// Parsers reuses parsers, by grammar, and caches what they read: the result depends only on the
// text and the shell. A text is cached when it is parsed for the second time, because most texts occur only
// once and would displace others. It is safe for concurrent use.
type Parsers struct {
	effects                *Effects
	bash, posix, mksh, zsh sync.Pool
	walkers                sync.Pool
	scripts                *lru.Cache[cacheKey, Script]
	// seen has hashes of texts that were parsed, each at its own value modulo maxSeen.
	seen [maxSeen]atomic.Uint64
	seed maphash.Seed
}

// cacheKey is the cache key: a text, and the shell that reads it.
type cacheKey struct{ text, shell string }

// NewParsers returns parsers with an empty cache. effects says what builtins do.
func NewParsers(effects *Effects) (*Parsers, error) {
	scripts, err := lru.New[cacheKey, Script](maxScriptTexts)
	if err != nil {
		return nil, fmt.Errorf("create the cache of texts: %w", err)
	}
	return &Parsers{effects: effects, scripts: scripts, seed: maphash.MakeSeed()}, nil
}

// Parse reads a text as the shell would. If several things are refused, it reports the one that
// starts first. The result may be cached and shared, so callers must not change it.
func (p *Parsers) Parse(text, shell string) Script {
	if len(text) > maxCachedText {
		return p.read(text, shell)
	}
	key := cacheKey{text, shell}
	if known, ok := p.scripts.Get(key); ok {
		return known
	}
	s := p.read(text, shell)
	if p.seenBefore(key) {
		p.scripts.Add(key, s)
	}
	return s
}

// seenBefore reports whether a text was parsed before, and records that it was. A wrong result costs
// time only.
func (p *Parsers) seenBefore(key cacheKey) bool {
	hash := maphash.Comparable(p.seed, key)
	return p.seen[hash%maxSeen].Swap(hash) == hash
}

// read parses a text without the cache.
func (p *Parsers) read(text, shell string) Script {
	variant, known := Grammar(shell)
	if !known {
		return Script{Refusal: Refuse(text, kindDialect, shell, 0, len(text))}
	}
	doubts, r := guard(text)
	if r != nil {
		return Script{Refusal: r}
	}
	parsed, r := p.parseTree(text, variant)
	if r != nil {
		return Script{Refusal: r}
	}
	w := p.walker()
	defer p.release(w)
	w.text, w.variant = text, variant
	likely := min(1+strings.Count(text, "|")+strings.Count(text, "&&")+strings.Count(text, ";"), MaxCommands)
	w.Pieces, w.Commands = make([]Piece, 0, 2*likely), make([]SimpleCommand, 0, likely)
	w.topLevel = topLevelFunctions(parsed)
	w.losesDirectory = p.effects.losesDirectory(parsed)
	w.dir.Unknown = w.losesDirectory
	w.stmts(parsed.Stmts, "")
	w.checkGaps()
	w.checkDoubts(doubts)
	w.checkArithmetic()
	if w.Refusal == nil && len(w.Commands) == 0 && len(w.Files) == 0 && len(w.Names) == 0 && len(w.Constructs) == 0 {
		w.refuse(KindParameters, "empty command", 0, len(text))
	}
	if w.Refusal == nil && len(w.Constructs) > 0 && calls(parsed) != len(w.Commands) {
		w.refuse(kindGuard, "command in an unsupported position", 0, len(text))
	}
	if w.Refusal != nil {
		return Script{Refusal: w.Refusal, Names: p.effects.variablesShown(parsed)}
	}
	if n := len(w.Pieces); n > 0 && w.Pieces[n-1].Kind == pieceText {
		w.Pieces[n-1].Text = strings.TrimRight(w.Pieces[n-1].Text, " ")
	}
	return w.Script
}

// maxSpans limits the capacity that a walker keeps for the next text.
const maxSpans = 256

// walker returns a walker that has walked nothing.
func (p *Parsers) walker() *walker {
	w, ok := p.walkers.Get().(*walker)
	if !ok {
		w = &walker{spans: make([]Span, 0, 32)}
	}
	w.effects = p.effects
	return w
}

// release returns a walker to the pool. It keeps nothing of the text.
func (p *Parsers) release(w *walker) {
	spans := w.spans
	if cap(spans) > maxSpans {
		return
	}
	*w = walker{spans: spans[:0]}
	p.walkers.Put(w)
}

func (p *Parsers) pool(variant syntax.LangVariant) *sync.Pool {
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

// parseTree parses a text that passed the guard. A panic of the parser becomes a refusal. A parser
// that did not reach the end of its text is not reused.
func (p *Parsers) parseTree(text string, variant syntax.LangVariant) (file *syntax.File, r *gavel.Refusal) {
	defer func() {
		if recover() != nil {
			file, r = nil, Refuse(text, kindSyntax, "text that the parser cannot read", 0, len(text))
		}
	}()
	parser, ok := p.pool(variant).Get().(*syntax.Parser)
	if !ok {
		parser = syntax.NewParser(syntax.Variant(variant))
	}
	file, err := parser.Parse(strings.NewReader(text), "")
	if err == nil {
		p.pool(variant).Put(parser)
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
