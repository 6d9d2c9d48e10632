package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gavel"
)

// The limits on a command. A parser descends one level for each opening character, and a Go
// program cannot recover from a stack overflow. So openings are counted before the text is
// parsed, both inside and outside quotes.
const (
	MaxText     = 64 << 10 // bytes
	maxOpen     = 64       // open at the same time
	maxOpenings = 2048     // in all, however many are closed, possibly inside quotes
	MaxCommands = 256      // simple commands

	MaxVariables  = 128 // environment variables of a call, and variables that its text sets
	MaxRedirects  = 128 // redirections
	MaxConstructs = 512 // constructs that a setting must permit
)

// The kinds of refusal; [gavel.Refusal] lists them.
const (
	KindLimit        = "limit"
	kindGuard        = "guard"
	kindDialect      = "dialect"
	kindSyntax       = "syntax"
	kindRedirect     = "redirect"
	kindSubstitution = "substitution"
	kindHeredoc      = "heredoc"
	kindCompound     = "compound"
	kindExpansion    = "expansion"
	kindAssignment   = "assignment"
	KindConstruct    = "construct"
	KindParameters   = "parameters"
	KindRendering    = "rendering"
	KindEvaluated    = "evaluated"
)

// guard refuses a text that must not reach a parser, or that shells, parsers and people read
// differently. For any other text it returns nil, and the characters that are harmless only
// inside quotes. The walk must confirm that they are quoted.
func guard(text string) ([]doubt, *gavel.Refusal) {
	if len(text) > MaxText {
		return nil, Refuse(text, KindLimit, fmt.Sprintf("text longer than %d bytes", MaxText), MaxText, len(text))
	}
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		return nil, Refuse(text, kindGuard, "text that a shell takes for its own option", 0, 1)
	}
	var nest nesting
	var doubts []doubt
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, width := utf8.DecodeRuneInString(text[i:])
			if construct := deceptive(r, width); construct != "" {
				if !isTextInQuotes(r) || !isInQuotes(text[:i], `'"`) {
					return nil, Refuse(text, kindGuard, construct, i, i+width)
				}
				doubts = append(doubts, doubt{construct, Span{i, i + width}})
			}
			i += width
			continue
		}
		switch {
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f:
			return nil, Refuse(text, kindGuard, fmt.Sprintf("control character U+%04X", c), i, i+1)
		case c == '\n' && i > 0 && text[i-1] == '\\' && !mayContinueLine(text[:i-1]):
			construct := "line continuation that is not between words"
			if !isInQuotes(text[:i-1], `'`) {
				return nil, Refuse(text, kindGuard, construct, i-1, i+1)
			}
			doubts = append(doubts, doubt{construct, Span{i - 1, i + 1}})
		case !nest.count(c):
			return nil, Refuse(text, KindLimit, "nesting too deep", i, i+1)
		}
		if len(doubts) > maxDoubts {
			return nil, Refuse(text, KindLimit, "too many unusual characters", i, i+1)
		}
		i++
	}
	return doubts, nil
}

// doubt is a character that is harmless only inside quotes.
type doubt struct {
	construct string
	Span
}

// maxDoubts limits them, because the text before each is read again.
const maxDoubts = 32

// isInQuotes reports whether what follows a text is inside one of these quotes. It is false if counting
// quotes is not enough: after a comment, a substitution or a here-document.
func isInQuotes(before, quotes string) bool {
	quote := byte(0)
	for i := 0; i < len(before); i++ {
		switch c := before[i]; {
		case quote == '\'':
			if c == quote {
				quote = 0
			}
		case c == '\\':
			i++
		case c == quote:
			quote = 0
		case c == '`', c == '$' && i+1 < len(before) && strings.IndexByte("({['", before[i+1]) >= 0:
			return false
		case quote != 0:
		case c == '#', strings.HasPrefix(before[i:], "<<"):
			return false
		case c == '\'', c == '"':
			quote = c
		}
	}
	return quote != 0 && strings.IndexByte(quotes, quote) >= 0
}

// isTextInQuotes reports whether a deceptive character is plain text inside quotes: a blank, or a
// character that selects how its neighbour is displayed. Characters that hide or reorder text
// deceive a person inside quotes as well.
func isTextInQuotes(r rune) bool {
	return unicode.Is(unicode.Zs, r) || r == 0x200c || r == 0x200d || 0xfe00 <= r && r <= 0xfe0f
}

// nesting counts opening and closing characters.
type nesting struct {
	open, openings int
	backquoted     bool
}

// count reports whether the text is still within its limits after c.
func (n *nesting) count(c byte) bool {
	switch c {
	case '`':
		n.backquoted = !n.backquoted
		if n.backquoted {
			n.openings++
		}
	case '(', '{', '[':
		n.open++
		n.openings++
	case ')', '}', ']':
		n.open = max(0, n.open-1)
	}
	return n.open <= maxOpen && n.openings <= maxOpenings
}

// deceptive says what is wrong with a character beyond ASCII: invalid UTF-8, a control character,
// a blank that no shell treats as one, an invisible character, or one that reorders the text
// around it. For any other character it returns "".
func deceptive(r rune, width int) string {
	switch {
	case r == utf8.RuneError && width == 1:
		return "byte that is not UTF-8"
	case unicode.IsControl(r):
		return fmt.Sprintf("control character U+%04X", r)
	case unicode.IsSpace(r), unicode.In(r, unicode.Z, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector), r == '\u2800': // Unicode classifies the braille blank as a symbol
		return fmt.Sprintf("deceptive character U+%04X", r)
	default:
		return ""
	}
}

// mayContinueLine reports whether a backslash-newline may follow this text: it ends in an unescaped
// blank, and its last line has nothing that could be a comment. The walk checks whether the
// position is inside a word.
//
// Everywhere else, parsers and shells disagree about line continuations.
func mayContinueLine(before string) bool {
	last := len(before) - 1
	if last < 0 || (before[last] != ' ' && before[last] != '\t') {
		return false
	}
	if last > 0 && before[last-1] == '\\' {
		return false
	}
	return !strings.Contains(before[strings.LastIndexByte(before, '\n')+1:], "#")
}

// isGapBetweenWords checks text that the parser treated as the gap between two words: blanks and line
// continuations.
func isGapBetweenWords(gap string) bool {
	for i := 0; i < len(gap); i++ {
		switch c := gap[i]; {
		case c == ' ', c == '\t':
		case c == '\\' && i+1 < len(gap) && gap[i+1] == '\n':
			i++
		default:
			return false
		}
	}
	return true
}

// isGapBetweenCommands checks text that the parser treated as the gap between two commands, or before the first
// or after the last: blanks, newlines, operators and whole comments. A comment begins after one
// of the others, or, if first is true, at the start of the text.
func isGapBetweenCommands(gap string, first bool) bool {
	for i := 0; i < len(gap); i++ {
		switch c := gap[i]; {
		case strings.IndexByte(" \t\n;&|", c) >= 0:
		case c == '\\' && i+1 < len(gap) && gap[i+1] == '\n':
			i++
		case c == '#' && (i > 0 || first):
			end := strings.IndexByte(gap[i:], '\n')
			if end < 0 {
				return true
			}
			i += end
		default:
			return false
		}
	}
	return true
}

// Refuse returns a refusal of a construct at a position, in bytes. Lines and columns count from
// 1.
func Refuse(text, kind, construct string, start, end int) *gavel.Refusal {
	start = min(max(start, 0), len(text))
	end = min(max(end, start), len(text))
	before := text[:start]
	return &gavel.Refusal{
		Kind: kind, Construct: construct, Start: start, End: end,
		Line:   1 + strings.Count(before, "\n"),
		Column: start - strings.LastIndexByte(before, '\n'),
	}
}
