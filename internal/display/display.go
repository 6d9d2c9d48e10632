// Package display sanitises text for people who decide by it. The text may come from an
// attacker: nothing in it may move the cursor, reverse a line, hide, look like something
// else, or push important parts out of sight.
//
// Characters that cannot be shown are written as \u{HEX}, or \x{HEX} for a byte that is not
// valid text. If the text itself contains \u{ or \x{, its backslash is written as \u{5C}, so
// that the display is unambiguous. Omissions are marked.
package display

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a sanitised text.
type Text struct {
	Text  string   `json:"text"`
	Notes []string `json:"notes,omitempty"` // what was done to it, in words
	Cut   bool     `json:"-"`               // a part is left out
}

// notes, in the order in which they are given.
const (
	noteControl   = "has control characters"
	noteInvisible = "has characters that are invisible or reverse text"
	noteBlank     = "has spaces that are not ordinary spaces"
	noteLookalike = "has words whose letters look like others"
	noteMarks     = "has letters with many marks"
	noteBytes     = "has bytes that are not valid text"
	noteOther     = "has characters that cannot be shown"
	noteEscape    = "has text that looks like one of Gavel's escapes"
)

// Clean sanitises text, and keeps at most limit characters of the result: of a longer text
// the beginning and the end, and a note says how much is missing. Omitted parts are not
// examined. In words with a slash, letters of phonetic alphabets are marked too, as in
// CleanPath.
func Clean(text string, limit int) Text { return shortened(text, limit, false) }

// CleanPath is Clean for the name of a program or of a file: none of these is written in
// a phonetic alphabet, whose letters look like small capitals and turned Latin ones.
func CleanPath(text string, limit int) Text { return shortened(text, limit, true) }

// cleaned sanitises all of a text.
func cleaned(text string, path bool) Text {
	var b strings.Builder
	notes := map[string]bool{}
	for left := 0; len(text) > 0; {
		if left <= 0 && !path { // a new word of the command line
			end := strings.IndexByte(text, ' ') + 1
			if end == 0 {
				end = len(text)
			}
			left = end
		}
		strict := path || strings.Contains(text[:min(left, len(text))], "/")
		size := writeNext(&b, text, strict, notes)
		text, left = text[size:], left-size
	}
	return Text{Text: b.String(), Notes: inOrder(notes)}
}

// writeNext writes the word or the character that a text begins with, and returns how
// many bytes of it that is.
func writeNext(b *strings.Builder, text string, strict bool, notes map[string]bool) int {
	if word := wordOf(text); word != "" {
		writeWord(b, word, strict, notes)
		return len(word)
	}
	r, size := utf8.DecodeRuneInString(text)
	switch note := hostile(r); {
	case r == utf8.RuneError && size == 1:
		fmt.Fprintf(b, `\x{%02X}`, text[0])
		notes[noteBytes] = true
	case r == '\\' && (strings.HasPrefix(text, `\u{`) || strings.HasPrefix(text, `\x{`)):
		b.WriteString(`\u{5C}`)
		notes[noteEscape] = true
	case note != "":
		escape(b, r)
		notes[note] = true
	default:
		b.WriteRune(r)
	}
	return size
}

func escape(b *strings.Builder, r rune) { fmt.Fprintf(b, `\u{%X}`, r) }

// hostile says why a character by itself is not shown, or "".
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
	case compatible(r), overlay(r), !unicode.IsLetter(r) && like(r):
		return noteLookalike
	case !unicode.IsPrint(r):
		return noteOther
	}
	return ""
}

// like reports whether the skeleton of a character is ASCII, and it is not.
func like(r rune) bool { return r > unicode.MaxASCII && strings.ContainsRune(likeASCII, r) }

// overlay marks are drawn across the letter before them: an l with a stroke is another
// letter, or a t.
func overlay(r rune) bool {
	return r >= 0x0334 && r <= 0x0338 || r >= 0x20D2 && r <= 0x20D3 || r >= 0x20D8 && r <= 0x20DA || r >= 0x20DD && r <= 0x20E0 || r >= 0x20E2 && r <= 0x20EB
}

// phonetic letters are the letters of phonetic alphabets and their modifiers.
func phonetic(r rune) bool {
	return r >= 0x0250 && r <= 0x02FF || r >= 0x1D00 && r <= 0x1DBF || r >= 0xA720 && r <= 0xA7FF || r >= 0xAB30 && r <= 0xAB6F || r >= 0x10780 && r <= 0x107BF || r >= 0x1DF00 && r <= 0x1DFFF
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
// look like Latin ones, the letters that are not Latin are escaped; Latin letters that
// look like others are escaped in every word.
func writeWord(b *strings.Builder, word string, strict bool, notes map[string]bool) {
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
		latin := unicode.Is(unicode.Latin, r)
		switch {
		case marks > 2:
			escape(b, r)
			notes[noteMarks] = true
		case latin && like(r), strict && phonetic(r):
			escape(b, r)
			notes[noteLookalike] = true
		case mixed && r > unicode.MaxASCII && !latin:
			escape(b, r)
		default:
			b.WriteRune(r)
		}
	}
}

// deceptive says whether a word mixes Latin with letters that look like it, or has
// nothing but such letters. A word that has letters of its script that look like no
// Latin one is read as what it is.
func deceptive(word string) bool {
	latin, alike, foreign := false, 0, 0
	for _, r := range word {
		switch similar := like(r) || strings.ContainsRune(likeLatin, r); {
		case unicode.IsMark(r):
		case r <= unicode.MaxASCII || unicode.Is(unicode.Latin, r):
			latin = true
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu, unicode.Coptic):
			if foreign++; similar {
				alike++
			}
		case similar:
			alike, foreign = alike+1, foreign+1
		case !latin:
			foreign++
		}
	}
	return latin && (alike > 0 || mixes(word)) || foreign > 0 && alike == foreign
}

// mixes reports whether a word has letters of an alphabet that is akin to Latin.
func mixes(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu, unicode.Coptic) && !unicode.IsMark(r)
	})
}

// likeLatin are letters that most fonts draw like Latin ones.
const likeLatin = "аАВеЕеКМНоОрРсСтТуУхХіІјЈѕЅһԁԛԝӏгпшЬ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοντυρικα" + "օսհցոԼ"

// shortened makes a text harmless, and keeps the beginning and the end of one that is too
// long. What cannot be among them is not read.
func shortened(text string, limit int, path bool) Text {
	if limit <= 0 {
		return cleaned(text, path)
	}
	count, rest := utf8.RuneCountInString(text), ""
	head, tail := limit*2/3, limit-limit*2/3
	if count > 2*limit {
		text, rest = firstOf(text, limit), lastOf(text, limit)
	}
	shown := cleaned(text, path)
	runes := []rune(shown.Text)
	if rest == "" && len(runes) <= limit {
		return shown
	}
	left, begin, end := len(runes)-limit, runes[:min(head, len(runes))], runes[max(0, len(runes)-tail):]
	exact := count == len(runes)
	if rest != "" {
		last := cleaned(rest, path)
		shown.Notes = merged(shown.Notes, last.Notes)
		exact = len(runes) == limit && utf8.RuneCountInString(last.Text) == limit
		runes = []rune(last.Text)
		left, end = count-limit, runes[max(0, len(runes)-tail):]
	}
	least := ""
	if !exact {
		least, left = "at least ", max(left, 1)
	}
	shown.Text, shown.Cut = string(begin)+" … "+string(end), true
	shown.Notes = append(shown.Notes, fmt.Sprintf("%s%d of %d characters are left out after the first %d", least, left, left+limit, head))
	return shown
}

func firstOf(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

func lastOf(text string, n int) string {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[at:]
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

// merged are two lists of notes, each note once.
func merged(list, more []string) []string {
	for _, note := range more {
		if !slices.Contains(list, note) {
			list = append(list, note)
		}
	}
	return list
}
