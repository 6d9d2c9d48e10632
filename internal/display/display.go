// Package display makes text harmless for the eyes of a person who decides by it.
// The text is an attacker's: nothing in it may move a cursor, turn a line around,
// hide, look like something else, or push what matters out of sight.
//
// What cannot be shown as it is, is written as \u{HEX}, or \x{HEX} for a byte that is
// no text. A text that itself holds \u{ or \x{ has its backslash written as \u{5C}, so
// that what is shown says exactly what was there. What was left out is said.
package display

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is what a person is shown.
type Text struct {
	Text  string   `json:"text"`
	Notes []string `json:"notes,omitempty"` // what was done to it, in words
}

// notes, in the order in which they are given.
const (
	noteControl   = "has control characters"
	noteInvisible = "has characters that are invisible, or turn text around"
	noteBlank     = "has blanks that are no ordinary space"
	noteLookalike = "has words whose letters look like others"
	noteMarks     = "has letters with many marks"
	noteBytes     = "has bytes that are no text"
	noteOther     = "has characters that cannot be shown"
	noteEscape    = "has text that looks like an escape of ours"
)

// Clean makes text harmless, and keeps at most limit characters of what comes of it:
// of a longer text the beginning and the end, and a note says how much is missing.
func Clean(text string, limit int) Text {
	var b strings.Builder
	notes := map[string]bool{}
	for len(text) > 0 {
		word := wordOf(text)
		if word != "" {
			writeWord(&b, word, notes)
			text = text[len(word):]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		switch note := hostile(r); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x{%02X}`, text[0])
			notes[noteBytes] = true
		case r == '\\' && (strings.HasPrefix(text, `\u{`) || strings.HasPrefix(text, `\x{`)):
			b.WriteString(`\u{5C}`)
			notes[noteEscape] = true
		case note != "":
			escape(&b, r)
			notes[note] = true
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	shown := Text{Text: b.String(), Notes: inOrder(notes)}
	return shown.shortened(limit)
}

func escape(b *strings.Builder, r rune) { fmt.Fprintf(b, `\u{%X}`, r) }

// hostile says why a character by itself is not shown; "" when it is.
func hostile(r rune) string {
	switch {
	case r == ' ':
		return ""
	case unicode.Is(unicode.Cc, r):
		return noteControl
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return noteInvisible
	case unicode.Is(unicode.Z, r), r == 0x2800: // blanks of every kind, and the empty Braille cell
		return noteBlank
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // fillers, which are letters and invisible
		return noteInvisible
	case compatible(r):
		return noteLookalike
	case !unicode.IsPrint(r):
		return noteOther
	}
	return ""
}

// compatible characters are letters, digits and signs of ASCII in other clothes.
func compatible(r rune) bool {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E: // full-width
	case r >= 0x1D400 && r <= 0x1D7FF: // mathematical letters
	case r >= 0x2460 && r <= 0x24FF: // in circles
	case r == 0x2024, r == 0x2044, r == 0x2215, r == 0x2216, r == 0x29F8, r == 0x29F9, r == 0x2571, r == 0x2572: // dots and slashes
	case r == 0x037E, r == 0x2010, r == 0x2011, r == 0x2012, r == 0x2212, r == 0x02D7, r == 0x2223, r == 0x01C3: // ; - |
	case r == 0x2018, r == 0x2019, r == 0x201C, r == 0x201D, r == 0x02B9, r == 0x02BC, r == 0x2032: // quotes
	default:
		return false
	}
	return true
}

// wordOf is the run of letters and their marks that the text begins with.
func wordOf(text string) string {
	for i, r := range text {
		if !(unicode.IsLetter(r) || unicode.IsMark(r) && i > 0) || hostile(r) != "" {
			return text[:i]
		}
	}
	return text
}

// writeWord writes a word. Of one that mixes scripts, or is made of letters that all
// look like Latin ones, the letters that are not Latin are escaped.
func writeWord(b *strings.Builder, word string, notes map[string]bool) {
	mixed := deceptive(word)
	if mixed {
		notes[noteLookalike] = true
	}
	marks := 0
	for _, r := range word {
		if unicode.IsMark(r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case marks > 2:
			escape(b, r)
			notes[noteMarks] = true
		case mixed && r > unicode.MaxASCII && !unicode.Is(unicode.Latin, r):
			escape(b, r)
		default:
			b.WriteRune(r)
		}
	}
}

// deceptive says whether a word mixes Latin with letters that look like it, or has
// nothing but such letters.
func deceptive(word string) bool {
	latin, alike, foreign := false, 0, 0
	for _, r := range word {
		switch {
		case unicode.IsMark(r):
		case r <= unicode.MaxASCII || unicode.Is(unicode.Latin, r):
			latin = true
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu, unicode.Coptic):
			foreign++
			if strings.ContainsRune(likeLatin, r) {
				alike++
			}
		}
	}
	return latin && foreign > 0 || foreign > 0 && alike == foreign
}

// likeLatin are letters that most fonts draw like Latin ones.
const likeLatin = "аАВеЕеКМНоОрРсСтТуУхХіІјЈѕЅһԁԛԝӏгпшЬ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοντυρικα" + "օսհցոԼ"

// shortened keeps the beginning and the end of a text that is too long.
func (t Text) shortened(limit int) Text {
	count := utf8.RuneCountInString(t.Text)
	if limit <= 0 || count <= limit {
		return t
	}
	runes := []rune(t.Text)
	head := limit * 2 / 3
	tail := limit - head
	t.Text = string(runes[:head]) + " … " + string(runes[count-tail:])
	t.Notes = append(t.Notes, fmt.Sprintf("%d of %d characters are left out after the first %d", count-limit, count, head))
	return t
}

func inOrder(found map[string]bool) []string {
	var list []string
	for _, note := range []string{noteControl, noteInvisible, noteBlank, noteLookalike, noteMarks, noteBytes, noteOther, noteEscape} {
		if found[note] {
			list = append(list, note)
		}
	}
	return list
}

// Notes collects the notes of several texts, each once.
func Notes(texts ...Text) []string {
	var list []string
	for _, t := range texts {
		for _, note := range t.Notes {
			if !slices.Contains(list, note) {
				list = append(list, note)
			}
		}
	}
	return list
}
