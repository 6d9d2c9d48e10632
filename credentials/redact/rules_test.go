package redact_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/redact"
)

func ruled(pattern string) *redact.Redactor {
	return redact.New(nil, []redact.Rule{{Pattern: regexp.MustCompile(pattern), Replace: "#"}})
}

func TestALongMatchIsReplacedHoweverItIsSplit(t *testing.T) {
	body := strings.Repeat("0123456789abcdef\n", 500) // more than any piece
	for name, pattern := range map[string]string{
		"up to the first end":  `(?s)BEGIN.*?END`,
		"up to the last end":   `(?s)BEGIN.*END`,
		"a repeated character": `BEGIN[0-9a-f\n]+END`,
		"in any case":          `(?i)begin[0-9a-f\n]+end`,
	} {
		for _, size := range []int{1, 100, 1024, 1500, 4096, 32 << 10} {
			assert.Equal(t, "head # tail", through(ruled(pattern), "head BEGIN"+body+"END tail", size), "%s, in pieces of %d", name, size)
		}
	}
}

func TestOnlyTheBeginningOfAMatchIsHeldBack(t *testing.T) {
	r := ruled(`token=[0-9]{4}`)
	assert.Equal(t, "Password: ", string(r.Write([]byte("Password: "))))
	assert.Equal(t, "x ", string(r.Write([]byte("x token=12"))))
	assert.Equal(t, "#", string(r.Write([]byte("34"))), "it cannot become longer")
	assert.Equal(t, "5 ", string(r.Write([]byte("5 to"))))
	assert.Equal(t, "to", string(r.Close()))
}

func TestAMatchThatIsTooLongToWaitForIsRedacted(t *testing.T) {
	long := strings.Repeat("abcdefghijklmno\n", 200_000) // 3 MB
	for name, c := range map[string]struct{ pattern, text, want string }{
		"it ends":                   {`(?s)BEGIN.*?END`, "head BEGIN" + long + "END tail", "head [REDACTED] tail"},
		"it has no end":             {`(?s)BEGIN.*?END`, "head BEGIN" + long, "head [REDACTED]"},
		"it turns out not to match": {`BEGIN[a-o\n]*END`, "head BEGIN" + long + "! tail", "head [REDACTED] tail"},
		"another one follows":       {`(?s)BEGIN.*?END`, "BEGIN" + long + "END é BEGINxEND", "[REDACTED] é #"},
	} {
		for _, size := range []int{4097, 32 << 10} {
			assert.Equal(t, c.want, through(ruled(c.pattern), c.text, size), "%s, in pieces of %d", name, size)
		}
	}
}

func TestTwoRulesHoldBackWhatEitherMayNeed(t *testing.T) {
	rules := []redact.Rule{{Pattern: regexp.MustCompile(`(?s)<.*?>`), Replace: "tag"}, {Pattern: regexp.MustCompile(`id-\w+`), Replace: "id"}}
	for size := 1; size < 20; size++ {
		assert.Equal(t, "a tag id é tag.", through(redact.New(nil, rules), "a <b id-12> id-34 é <"+strings.Repeat("x", 50)+">.", size))
	}
}

// However a text is cut, a rule replaces what it would replace in the whole text.
func TestRulesMatchTheSameHoweverOutputIsSplit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, pattern := range []string{
		`ab`, `a+b`, `a+?b`, `a.*b`, `(?s)a.*?b`, `(a|ab)(c|bcd)?`, `\bab\b`, `\Bb+`, `^a+`, `a$`, `(?m)^b`, `(?m)a$`, `(?i)AB+`, `[^a]{2,5}c`, `é+a?`, `(?:ab|ba){2}`, `\b-a`,
	} {
		rule := regexp.MustCompile(pattern)
		for range 500 {
			var text strings.Builder
			for range random.IntN(40) {
				text.WriteString([]string{"a", "b", "c", "d", " ", "\n", "é", "-", "\xff", "B"}[random.IntN(10)])
			}
			want := rule.ReplaceAllLiteralString(text.String(), "#")
			size := 1 + random.IntN(6)
			require.Equal(t, want, through(ruled(pattern), text.String(), size), "%s in %q, in pieces of %d", pattern, text.String(), size)
		}
	}
}

func FuzzRule(f *testing.F) {
	f.Add(`a.*?b|\bc+$`, "xaxb ccc\nab", 3)
	f.Add(`(?i)(ab|a)(é|\n)?`, "AbÉa\xff", 1)
	f.Fuzz(func(t *testing.T, pattern, text string, size int) {
		rule, err := regexp.Compile(pattern)
		if err != nil || size < 1 || len(pattern) > 100 || len(text) > 1000 || rule.MatchString("") || emptySomewhere(rule, text) {
			return
		}
		require.Equal(t, rule.ReplaceAllLiteralString(text, "#"), through(ruled(pattern), text, size))
	})
}

// emptySomewhere tells whether a rule matches nothing at all within a text.
func emptySomewhere(rule *regexp.Regexp, text string) bool {
	return slices.ContainsFunc(rule.FindAllStringIndex(text, -1), func(at []int) bool { return at[0] == at[1] })
}
