package hosts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/hosts"
)

func TestAPayloadThatTwoReadersCouldReadDifferentlyIsRefused(t *testing.T) {
	for about, text := range map[string]string{
		"nothing":                       "",
		"blanks":                        " \n",
		"no JSON":                       "garbage",
		"JSON that ends early":          `{"a":1`,
		"a list":                        `[1]`,
		"text":                          `"a"`,
		"a name twice":                  `{"a":1,"a":2}`,
		"a name twice, below":           `{"a":{"b":1,"b":2}}`,
		"a name twice by an escape":     `{"a":1,"\u0061":2}`,
		"a second document":             `{"a":1}{"a":2}`,
		"text behind it":                `{"a":1} x`,
		"a mark of the order":           "\ufeff{}",
		"invalid UTF-8":                 "{\"a\":\"\xff\"}",
		"a lone surrogate":              `{"a":"\ud800"}`,
		"a comment":                     `{"a":1 /* x */}`,
		"a comma too many":              `{"a":1,}`,
		"a control character":           "{\"a\":\"\x01\"}",
		"too deep":                      strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
		"too many values":               `{"a":[` + strings.Repeat("1,", 30_000) + `1]}`,
		"too large":                     `{"a":"` + strings.Repeat("x", hosts.MaxPayload) + `"}`,
		"a number that is not a number": `{"a":01}`,
	} {
		t.Run(about, func(t *testing.T) {
			_, err := hosts.ReadPayload([]byte(text))
			assert.Error(t, err)
		})
	}
}

func TestMembersKeepTheirOrderAndSpelling(t *testing.T) {
	p, err := hosts.ReadPayload([]byte("{\"b\": 1.50, \"a\": {\"x\" : [1, \"\\u00e9\"]}, \"n\":null}\n"))
	require.NoError(t, err)
	assert.Equal(t, `{"b":1.50,"a":{"x":[1,"\u00e9"]},"n":null}`, string(p.JSON()))
	assert.Equal(t, `{"b":"c","a":{"x":[1,"\u00e9"]},"n":null,"new":"<d>"}`, string(p.With("b", hosts.Quote("c")).With("new", hosts.Quote("<d>")).JSON()))
	assert.Equal(t, `{"b":1.50,"n":null}`, string(p.Without("a").JSON()))
	assert.False(t, p.Has("n"), "null is as good as missing")
	assert.Empty(t, p.Text("b"), "a number is not text")
}
