package hazard

import (
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestNumbersMayBePartOfAName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		may           bool
	}{
		{"id_ed25519", "id_ed#", true},
		{"id_ed25519", "id_ed2#", true},
		{"id_ed25519", "id_ed#9", true},
		{"id_ed25519", "id_#ed25519", false},
		{"*.p12", "x.p#", true},
		{"*.p12", "x.#", false},
		{".s3cfg", ".s#cfg", true},
		{".env.*", ".env.#", true},
		{"??", "#", true},
		{"x?y", "x##y", false},
		{"*key*.pem", "key#.pem", true},
		{"*key*.pem", "ke#.pem", false},
		{"[0-9]", "x", true},
	} {
		assert.Equal(t, c.may, mayMatch(c.pattern, strings.ReplaceAll(c.name, "#", anyNumber)), "%s %s", c.pattern, c.name)
	}
}

// TestNoNumberMakesASecret: what a pattern matches with some number was said to.
func TestNoNumberMakesASecret(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab12.")))
	rapid.Check(t, func(rt *rapid.T) {
		pattern := rapid.StringOf(rapid.SampledFrom([]rune("ab12.*?"))).Draw(rt, "pattern")
		before, after := text.Draw(rt, "before"), text.Draw(rt, "after")
		number := strconv.Itoa(rapid.IntRange(1, 9999).Draw(rt, "number"))
		if matched, err := path.Match(pattern, before+number+after); err == nil && matched {
			assert.True(rt, mayMatch(pattern, before+anyNumber+after), "%s %s", pattern, before+"$$"+after)
		}
	})
}
