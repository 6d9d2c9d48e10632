package secrets

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// blanks are what a pattern takes for white space.
const blanks = " \t\n\f\r"

// longestHeader is more than the bytes of any header's name in the table.
const longestHeader = 64

// colons tells whether a text has a colon behind a quote, and one before a blank. Only
// such a text may hold a pair, and its patterns take long.
func colons(text string) (quoted, prose bool) {
	for at := range len(text) {
		if text[at] != ':' {
			continue
		}
		before := strings.TrimRight(text[:at], blanks)
		quoted = quoted || strings.HasSuffix(before, `"`) || strings.HasSuffix(before, "'")
		prose = prose || at+1 < len(text) && strings.IndexByte(blanks, text[at+1]) >= 0
		if quoted && prose {
			break
		}
	}
	return quoted, prose
}

// mayHaveHeader tells whether a colon in a text follows what may be the name of a
// header with a secret.
func (m *Masker) mayHaveHeader(text string) bool {
	for at := range len(text) {
		if text[at] != ':' {
			continue
		}
		before := strings.TrimRight(text[:at], blanks)
		if n := len(before); n > 0 && (before[n-1] == '"' || before[n-1] == '\'') {
			before = before[:n-1]
		}
		before = before[max(0, len(before)-longestHeader):]
		if strings.IndexFunc(before, func(c rune) bool { return c >= utf8.RuneSelf }) >= 0 {
			return true // letters beyond ASCII may belong to a header in another case
		}
		if slices.ContainsFunc(m.headerEnds, func(end string) bool {
			return len(end) <= len(before) && strings.EqualFold(before[len(before)-len(end):], end)
		}) {
			return true
		}
	}
	return false
}
