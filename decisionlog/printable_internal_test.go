package decisionlog

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Both ways to write a text are tried: directly, and through encode.
func TestATextThatATerminalWouldActOnIsEscapedInTheLog(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a sequence that begins with U+009B":  "ls \u009b2J",
		"a sequence that begins with ESC":     "ls \x1b[2J",
		"DEL":                                 "ls \x7f\x7f",
		"text whose direction changes":        "rm \u202etxt.exe\u202c",
		"text without width":                  "a\u200bb\ufeff",
		"tags, which are above the basic set": "a\U000e0041\U000e007f",
		"a separator of lines":                "a\u2028b\u0085",
		"a no-break space":                    "a\u00a0b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := new(sheet)
			require.True(t, s.quote(text))
			apart, err := encode(new(bytes.Buffer), text)
			require.NoError(t, err)
			assert.Equal(t, string(apart), string(s.line)+"\n", "both ways write the same")
			hidden := func(r rune) bool { return !unicode.IsPrint(r) }
			assert.False(t, strings.ContainsFunc(string(s.line), hidden), "%q", s.line)
			var back string
			require.NoError(t, json.Unmarshal(s.line, &back))
			assert.Equal(t, text, back)
		})
	}
}

func TestPlainTextIsWrittenUnchanged(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"naïve", "日本語", "😀", "\uFFFD", "a<b>&c"} {
		s := new(sheet)
		require.True(t, s.quote(text))
		assert.Equal(t, `"`+text+`"`, string(s.line))
	}
}
