package display_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"gavel/internal/display"
)

// The tricks of APPROVALS-6 and W51.
func TestNoTextThatIsShownDeceivesTheReader(t *testing.T) {
	for name, c := range map[string]struct{ text, want, note string }{
		"plain text":                        {"rg -n TODO src/ | head -5", "rg -n TODO src/ | head -5", ""},
		"other alphabets":                   {"grep Straße Привет мир 日本語 Αθήνα", "grep Straße Привет мир 日本語 Αθήνα", ""},
		"a line feed":                       {"ls\nrm -rf /", `ls\u{A}rm -rf /`, "control"},
		"a carriage return":                 {"rm -rf /\rls", `rm -rf /\u{D}ls`, "control"},
		"an escape sequence":                {"ls\x1b[2K\x1b[1Grm", `ls\u{1B}[2K\u{1B}[1Grm`, "control"},
		"a backspace":                       {"rm\b\bls", `rm\u{8}\u{8}ls`, "control"},
		"a C1 control":                      {"a\u009bb", `a\u{9B}b`, "control"},
		"a null":                            {"a\x00b", `a\u{0}b`, "control"},
		"a tab":                             {"a\tb", `a\u{9}b`, "control"},
		"a zero-width space":                {"echo hi\u200bthere", `echo hi\u{200B}there`, "invisible"},
		"an override of direction":          {"a\u202etxt.exe", `a\u{202E}txt.exe`, "invisible"},
		"an isolate":                        {"a\u2066b\u2069", `a\u{2066}b\u{2069}`, "invisible"},
		"a soft hyphen":                     {"r\u00adm", `r\u{AD}m`, "invisible"},
		"a byte order mark":                 {"\ufeffls", `\u{FEFF}ls`, "invisible"},
		"tags":                              {"a\U000E0041b", `a\u{E0041}b`, "invisible"},
		"a variation selector":              {"a\ufe0fb", `a\u{FE0F}b`, "invisible"},
		"a Hangul filler":                   {"a\u3164b", `a\u{3164}b`, "invisible"},
		"a half-width filler":               {"a\uffa0b", `a\u{FFA0}b`, "invisible"},
		"a line separator":                  {"ls\u2028rm", `ls\u{2028}rm`, "not ordinary spaces"},
		"a no-break space":                  {"rm\u00a0-rf", `rm\u{A0}-rf`, "not ordinary spaces"},
		"an ideographic space":              {"a\u3000b", `a\u{3000}b`, "not ordinary spaces"},
		"the empty Braille cell":            {"a\u2800b", `a\u{2800}b`, "not ordinary spaces"},
		"a Cyrillic letter in a Latin word": {"/usr/bin/\u0441url", `/usr/bin/\u{441}url`, "look like"},
		"a word of letters like Latin ones": {"\u0441\u043e\u0440\u0443 x", `\u{441}\u{43E}\u{440}\u{443} x`, "look like"},
		"a Greek letter in a Latin word":    {"r\u03bfot", `r\u{3BF}ot`, "look like"},
		"full-width letters":                {"\uff52m", `\u{FF52}m`, "look like"},
		"mathematical letters":              {"\U0001d42bm", `\u{1D42B}m`, "look like"},
		"a slash that is none":              {"a\u2215b", `a\u{2215}b`, "look like"},
		"a minus that is not a dash":        {"rm \u2212rf", `rm \u{2212}rf`, "look like"},
		"a semicolon that is Greek":         {"a\u037eb", `a\u{37E}b`, "look like"},
		"marks upon marks":                  {"a\u0301\u0301\u0301\u0301", "a\u0301\u0301\\u{301}\\u{301}", "marks"},
		"an escape of ours, spelt out":      {`echo hi\u{200B}there`, `echo hi\u{5C}u{200B}there`, "escape"},
		"an escape of bytes, spelt out":     {`\x{FF}`, `\u{5C}x{FF}`, "escape"},
		"bytes that are not text":           {"a\xffb", `a\x{FF}b`, "not valid text"},
		"a private character":               {"a\ue000b", `a\u{E000}b`, "cannot be shown"},
	} {
		shown := display.Clean(c.text, 1000)
		assert.Equal(t, c.want, shown.Text, name)
		if c.note == "" {
			assert.Empty(t, shown.Notes, name)
		} else {
			assert.Contains(t, strings.Join(shown.Notes, "; "), c.note, name)
		}
	}
}

func TestALongTextSaysWhatIsLeftOutAndKeepsItsEnd(t *testing.T) {
	shown := display.Clean("echo "+strings.Repeat("x", 10_000)+"; rm -rf /", 300)
	assert.True(t, strings.HasPrefix(shown.Text, "echo xxx"))
	assert.True(t, strings.HasSuffix(shown.Text, "xxx; rm -rf /"))
	assert.Equal(t, []string{"9715 of 10015 characters are left out after the first 200"}, shown.Notes)
}

func TestASanitisedTextIsUnambiguous(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.String().Draw(rt, "a"), rapid.String().Draw(rt, "b")
		shownA, shownB := display.Clean(a, 0).Text, display.Clean(b, 0).Text
		assert.Equal(rt, a == b, shownA == shownB)
		for _, r := range shownA {
			assert.True(rt, r == ' ' || unicode.IsPrint(r), "%U", r)
		}
	})
}

func TestRT17LookAlikesOfEveryScriptAreMarked(t *testing.T) {
	for text, want := range map[string]string{
		"/usr/bin/\u0261it":         `/usr/bin/\u{261}it`,
		"\u217Cs":                   `\u{217C}s`,
		"\u017Fsh":                  `\u{17F}sh`,
		"\u212Aill":                 `\u{212A}ill`,
		"p\u0131p":                  `p\u{131}p`,
		"\u1D04url":                 `\u{1D04}url`,
		"a\u201Ab":                  `a\u{201A}b`,
		"l\u0335s":                  `l\u{335}s`,
		"\u05D5s":                   `\u{5D5}s`,
		"rm \u30CEetc":              `rm \u{30CE}etc`,
		"\u0966":                    `\u{966}`,
		"/opt/\u0262it/x":           `/opt/\u{262}it/x`,
		"say s\u0259s":              "say s\u0259s",
		"Stra\u00DFe \u00F4 \u00E9": "Stra\u00DFe \u00F4 \u00E9",
		"\u30CE\u30FC\u30C8":        "\u30CE\u30FC\u30C8",
		"\u05E9\u05DC\u05D5\u05DD":  "\u05E9\u05DC\u05D5\u05DD",
	} {
		shown := display.Clean(text, 100)
		assert.Equal(t, want, shown.Text)
		if want == text {
			assert.Empty(t, shown.Notes, text)
		} else {
			assert.Contains(t, strings.Join(shown.Notes, "; "), "look like", text)
		}
	}
	assert.Equal(t, `\u{262}it`, display.CleanPath("\u0262it", 100).Text, "the name of a program")
}

func TestRT05WhatIsLeftOutOfAText(t *testing.T) {
	shown := display.Clean("begin "+strings.Repeat("\n", 1_000_000)+" end", 60)
	assert.LessOrEqual(t, len([]rune(shown.Text)), 63)
	assert.True(t, strings.HasPrefix(shown.Text, "begin "))
	assert.True(t, strings.HasSuffix(shown.Text, " end"))
	assert.Equal(t, []string{"has control characters", "at least 999950 of 1000010 characters are left out after the first 40"}, shown.Notes)
}
