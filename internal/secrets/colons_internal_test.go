package secrets

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is asked before a pattern is tried must never keep it from a text that it matches.
func TestPrechecksNeverSkipAMatchingPattern(t *testing.T) {
	t.Parallel()
	m := New()
	pieces := []string{`"`, "'", ":", " ", "\t", "\n", `\`, "Authorization", "x-foo-token", "x-", "-cookie", "coo\u212Aie", "\u017Fet-cookie", "password", "api_key", "name",
		"hunter2", "{", "}", "=", "?", "@", "://", "https", "é", "\v", "\u00A0", "x-api-key", "-", "secret_key", "a"}
	random := rand.New(rand.NewPCG(1, 2))
	pairs, proses, headers := 0, 0, 0
	for range 100_000 {
		var out strings.Builder
		for range random.IntN(9) + 1 {
			out.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := out.String()
		quoted, prose := colons(text)
		if m.patterns.pair.MatchString(text) {
			pairs++
			require.True(t, quoted, "%q", text)
		}
		if m.patterns.prose.MatchString(text) {
			proses++
			require.True(t, prose, "%q", text)
		}
		if m.patterns.header.MatchString(text) {
			headers++
			require.True(t, m.mayHaveHeader(text), "%q", text)
		}
	}
	for _, matched := range []int{pairs, proses, headers} {
		assert.Greater(t, matched, 10, "of 100,000 texts")
	}
}
