// Package directive reads the directives of a message: /exec, /elevated or /elev, and /approve.
// It says what is written and judges nothing: which values exist, and who may set them, is the
// policy's.
package directive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gavel"
)

// Names of directives in the facts.
const (
	Exec     = "exec"
	Elevated = "elevated"
	Approve  = "approve"
)

// Problems of a directive.
const (
	problemTwice  = "it occurs twice in the message"
	problemOption = "an option occurs twice"
)

// Read returns the directives of a message, and its text without them. A directive stands at the
// beginning of the text or after white space, in any case, and neither in code nor on a quoted line.
// /approve has to be the whole message.
func Read(text string) (facts gavel.MessageFacts, rest string) {
	facts.Directives = []gavel.DirectiveFacts{}
	if words, ok := approval(text); ok {
		facts.Directives = append(facts.Directives, gavel.DirectiveFacts{Name: Approve, Words: words, Options: []gavel.DirectiveOption{}})
		return facts, ""
	}
	r := reader{text: text, quoted: quoted(text)}
	var kept strings.Builder
	from := 0
	for at := 0; at < len(text); {
		d, end, ok := r.directive(at)
		if !ok {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		for i := range facts.Directives {
			if other := &facts.Directives[i]; other.Name == d.Name {
				other.Problem, d.Problem = problemTwice, problemTwice
			}
		}
		facts.Directives = append(facts.Directives, d)
		keep(&kept, text[from:at])
		from, at = end, end
	}
	if from == 0 && len(facts.Directives) == 0 {
		return facts, text
	}
	keep(&kept, text[from:])
	rest = strings.TrimSpace(kept.String())
	facts.Rest = rest != ""
	return facts, rest
}

// keep adds text that stays. Where a directive was, one blank is enough.
func keep(kept *strings.Builder, text string) {
	if kept.Len() > 0 && strings.TrimRightFunc(kept.String(), unicode.IsSpace) != kept.String() {
		text = strings.TrimLeft(text, " \t")
	}
	kept.WriteString(text)
}

// approval returns the words of a message that is an /approve, and of nothing else.
func approval(text string) (words []string, ok bool) {
	words = strings.Fields(text)
	if len(words) == 0 || !strings.EqualFold(words[0], "/approve") || strings.ContainsAny(strings.TrimSpace(text), "\n\r") {
		return nil, false
	}
	return words[1:], true
}

// reader reads one text.
type reader struct {
	text   string
	quoted []span
}

// span is a part of a text, in bytes.
type span struct{ start, end int }

// directive reads the one that begins at a position, and returns where it ends.
func (r *reader) directive(at int) (d gavel.DirectiveFacts, end int, ok bool) {
	if r.text[at] != '/' || slices.ContainsFunc(r.quoted, func(s span) bool { return s.start <= at && at < s.end }) {
		return d, 0, false
	}
	if before, _ := utf8.DecodeLastRuneInString(r.text[:at]); at > 0 && !unicode.IsSpace(before) {
		return d, 0, false
	}
	d.Words, d.Options = []string{}, []gavel.DirectiveOption{}
	for _, keyword := range [...]struct{ word, name string }{{"/elevated", Elevated}, {"/elev", Elevated}, {"/exec", Exec}} {
		end = at + len(keyword.word)
		if end > len(r.text) || !strings.EqualFold(r.text[at:end], keyword.word) || !r.ends(end) && r.text[end] != ':' {
			continue
		}
		d.Name = keyword.name
		if d.Name == Elevated {
			d.Level, end = r.level(end)
		} else {
			end = r.options(end, &d)
		}
		return d, end, true
	}
	return d, 0, false
}

// ends reports whether a word ends at a position.
func (r *reader) ends(at int) bool {
	next, _ := utf8.DecodeRuneInString(r.text[at:])
	return at == len(r.text) || unicode.IsSpace(next)
}

// begins skips what may precede the first word of a directive: blanks and one colon.
func (r *reader) begins(at int) int {
	at = r.blanks(at)
	if at < len(r.text) && r.text[at] == ':' {
		at = r.blanks(at + 1)
	}
	return at
}

// blanks skips blanks of the same line.
func (r *reader) blanks(at int) int {
	return len(r.text) - len(strings.TrimLeft(r.text[at:], " \t"))
}

// word returns the word at a position.
func (r *reader) word(at int) string {
	if end := strings.IndexFunc(r.text[at:], unicode.IsSpace); end >= 0 {
		return r.text[at : at+end]
	}
	return r.text[at:]
}

// level reads the level of /elevated. A word that does not begin with a letter belongs to the
// text.
func (r *reader) level(after int) (level string, end int) {
	at := r.begins(after)
	word := r.word(at)
	if word == "" || !letter(word[0]) {
		return "", after + colon(r.text[after:])
	}
	return gavel.Fold(word), at + len(word)
}

// options reads the options of /exec, up to the first word that is none.
func (r *reader) options(after int, d *gavel.DirectiveFacts) (end int) {
	end = after + colon(r.text[after:])
	for at := r.begins(after); ; at = r.blanks(end) {
		word := r.word(at)
		i := strings.IndexAny(word, "=:")
		if i < 0 {
			return end
		}
		key, value := strings.ToLower(word[:i]), word[i+1:]
		if !slices.Contains([]string{"host", "security", "ask", "node"}, key) {
			return end
		}
		if slices.ContainsFunc(d.Options, func(o gavel.DirectiveOption) bool { return o.Key == key }) {
			d.Problem = problemOption
		}
		d.Options = append(d.Options, gavel.DirectiveOption{Key: key, Value: gavel.Fold(value)})
		end = at + len(word)
	}
}

// colon is the length of blanks and the colon after a keyword, or 0 without a colon.
func colon(text string) int {
	rest := strings.TrimLeft(text, " \t")
	if !strings.HasPrefix(rest, ":") {
		return 0
	}
	return len(text) - len(rest) + 1
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// quoted returns the parts of a text that only show something: fenced code, lines that begin
// with >, and code between backquotes of one line.
func quoted(text string) (list []span) {
	fence, at := "", 0
	for line := range strings.Lines(text) {
		start, trimmed := at, strings.TrimSpace(line)
		at += len(line)
		mark := ""
		for _, m := range [...]string{"```", "~~~"} {
			if strings.HasPrefix(trimmed, m) {
				mark = m
			}
		}
		switch {
		case fence != "" || mark != "" || strings.HasPrefix(trimmed, ">"):
			list = append(list, span{start, at})
			if fence == "" {
				fence = mark
			} else if mark == fence && strings.Trim(trimmed, fence[:1]) == "" {
				fence = ""
			}
		default:
			list = append(list, code(line, start)...)
		}
	}
	return list
}

// code returns the parts of a line between backquotes. Without a second one there is no code.
func code(line string, start int) (list []span) {
	open := -1
	for i := range len(line) {
		switch {
		case line[i] != '`':
		case open < 0:
			open = i
		default:
			list, open = append(list, span{start + open, start + i}), -1
		}
	}
	return list
}
