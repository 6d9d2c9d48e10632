package redact

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// longestMatch is how many bytes a match may have, so that text is kept back for it. What goes on
// for longer is left out until it has ended, or cannot become a match any more.
const longestMatch = 1 << 20

// stage applies one rule to a stream. The standard library finds matches in a text that is there as
// a whole, so this runs its compiled programs, by its preferences: the first match, and of those
// with the same beginning the one that the rule names first.
type stage struct {
	replace string
	prefix  []byte // with which every match begins
	prog    *syntax.Prog

	kept     []byte // what is kept back
	next     int    // how much of it was read
	before   rune   // the character before that; -1 at the beginning
	now      []thread
	leaves   []thread
	seen     []uint32 // for each instruction: the step in which it was added last
	step     uint32
	found    thread // a match from start up to end, as far as found is
	end      int
	is       bool
	swallows bool // what is kept is left out: a match was too long to wait for
}

// thread is a match that may have begun at start, and the instruction to which it has come.
type thread struct {
	pc    uint32
	start int // in what is kept
}

func newStage(rule Rule) *stage {
	tree, err := syntax.Parse(rule.Pattern.String(), syntax.Perl)
	if err != nil { // not reached: the rule was compiled before
		tree = &syntax.Regexp{Op: syntax.OpNoMatch}
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil { // not reached, as before
		prog = &syntax.Prog{Inst: []syntax.Inst{{Op: syntax.InstFail}}}
	}
	prefix, _ := rule.Pattern.LiteralPrefix()
	return &stage{replace: rule.Replace, prefix: []byte(prefix), prog: prog, seen: make([]uint32, len(prog.Inst)), before: -1}
}

// write takes a piece of the stream, and returns what can be shown now. What may be the beginning of
// a match is kept back, unless it is the last piece.
func (s *stage) write(data []byte, last bool) []byte {
	s.kept = append(s.kept, data...)
	var out []byte
	for s.next < len(s.kept) && (last || utf8.FullRune(s.kept[s.next:])) {
		c, size := utf8.DecodeRune(s.kept[s.next:])
		if skip := s.skip(); skip > 0 {
			s.before, _ = utf8.DecodeLastRune(s.kept[:s.next+skip])
			s.next += skip
			continue
		}
		s.take(c)
		s.next, s.before = s.next+size, c
		if len(s.now) == 0 && (s.is || s.swallows) {
			out = s.settle(out)
		}
	}
	if len(s.now) > 0 && s.over(s.now[0].pc, len(s.prog.Inst)) { // nobody has to wait for the next character
		s.found, s.end, s.is = s.now[0], s.next, true
		out = s.settle(out)
	}
	for last && s.ends() {
		out = s.settle(out)
		out = append(out, s.write(nil, true)...)
	}
	return s.show(out, last)
}

// cut takes the last piece of a stream that was cut off there.
func (s *stage) cut(data []byte) []byte {
	out := s.write(data, false)
	switch {
	case s.swallows:
	case len(s.kept) >= shortest:
		out = append(out, Mark...)
	default:
		return append(out, s.write(nil, true)...)
	}
	s.forget(len(s.kept))
	return out
}

// skip is how much cannot be the beginning of a match.
func (s *stage) skip() int {
	if len(s.now) > 0 || s.is || s.swallows || len(s.prefix) == 0 {
		return 0
	}
	if at := bytes.IndexByte(s.kept[s.next:], s.prefix[0]); at >= 0 {
		return at
	}
	return len(s.kept) - s.next
}

// take goes on with one character.
func (s *stage) take(c rune) {
	s.advance(c)
	s.now = s.now[:0]
	for _, t := range s.leaves {
		if inst := &s.prog.Inst[t.pc]; c >= 0 && inst.MatchRune(c) {
			s.now = append(s.now, thread{inst.Out, t.start})
		}
	}
}

// advance brings all matches before one character; -1 is the end.
func (s *stage) advance(c rune) {
	s.step++
	s.leaves = s.leaves[:0]
	context := syntax.EmptyOpContext(s.before, c)
	for _, t := range s.now {
		if s.add(t, context) {
			s.found, s.end, s.is = t, s.next, true
			return // those behind it are later, or preferred less
		}
	}
	if !s.is && !s.swallows {
		s.add(thread{uint32(s.prog.Start), s.next}, context) //nolint:gosec // of a rule of 1,024 bytes
	}
}

// add adds the instructions that take a character, and reports whether the match has ended.
func (s *stage) add(t thread, context syntax.EmptyOp) bool {
	if s.seen[t.pc] == s.step {
		return false
	}
	s.seen[t.pc] = s.step
	switch inst := &s.prog.Inst[t.pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return s.add(thread{inst.Out, t.start}, context) || s.add(thread{inst.Arg, t.start}, context)
	case syntax.InstCapture, syntax.InstNop:
		return s.add(thread{inst.Out, t.start}, context)
	case syntax.InstEmptyWidth:
		return syntax.EmptyOp(inst.Arg)&^context == 0 && s.add(thread{inst.Out, t.start}, context) //nolint:gosec // a byte
	case syntax.InstMatch:
		return true
	case syntax.InstFail:
		return false
	}
	s.leaves = append(s.leaves, t)
	return false
}

// over tells whether a match that has come to an instruction has ended there, and prefers that.
// It looks at so many instructions at most.
func (s *stage) over(pc uint32, most int) bool {
	switch inst := &s.prog.Inst[pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch, syntax.InstCapture, syntax.InstNop:
		return most > 0 && s.over(inst.Out, most-1)
	case syntax.InstMatch:
		return true
	}
	return false
}

// ends tells whether a match has ended with the stream.
func (s *stage) ends() bool {
	if len(s.now) > 0 {
		s.advance(-1)
		s.now = s.now[:0]
	}
	return s.is
}

// settle ends a match: it adds the text before it, and its replacement, to what can be shown,
// and goes on behind it. Of what was too long it leaves out the rest.
func (s *stage) settle(out []byte) []byte {
	behind := s.next
	if s.is {
		behind = max(0, s.end)
	}
	if !s.swallows {
		out = append(append(out, s.kept[:s.found.start]...), s.replace...)
	}
	if behind > 0 {
		s.before, _ = utf8.DecodeLastRune(s.kept[:behind])
	}
	s.forget(behind)
	s.is, s.swallows, s.now, s.next = false, false, s.now[:0], 0
	return out
}

// forget leaves out the beginning of what is kept.
func (s *stage) forget(n int) {
	s.kept = append(s.kept[:0], s.kept[n:]...)
	s.next -= n
	for i := range s.now {
		s.now[i].start -= n
	}
	s.found.start, s.end = s.found.start-n, s.end-n
}

// show adds the text before every match that may go on.
func (s *stage) show(out []byte, last bool) []byte {
	cut := s.next
	switch {
	case s.swallows:
		s.forget(cut)
		return out
	case last:
		cut = len(s.kept)
	case s.is:
		cut = s.found.start
	case len(s.now) > 0:
		cut = s.now[0].start // the earliest
	}
	out = append(out, s.kept[:cut]...)
	s.forget(cut)
	if len(s.kept) > longestMatch {
		out = append(out, Mark...)
		s.swallows = true
		s.forget(s.next)
	}
	return out
}
