package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/redact"
)

const secret = `s3cr3t/"vä lue'+<x>`

// through writes a text in pieces of one size.
func through(r *redact.Redactor, text string, size int) string {
	var out strings.Builder
	for len(text) > 0 {
		n := min(size, len(text))
		out.Write(r.Write([]byte(text[:n])))
		text = text[n:]
	}
	out.Write(r.Close())
	return out.String()
}

func TestACredentialIsRedactedHoweverItIsSplitAndSpelled(t *testing.T) {
	quoted, err := json.Marshal(secret)
	require.NoError(t, err)
	spellings := map[string]string{
		"raw": secret, "URL query": url.QueryEscape(secret), "URL path": url.PathEscape(secret), "lower-case URL": strings.ToLower(url.QueryEscape(secret)),
		"hex": hex.EncodeToString([]byte(secret)), "upper-case hex": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"JSON": strings.Trim(string(quoted), `"`), "YAML": strings.ReplaceAll(secret, "'", "''"),
	}
	delete(spellings, "lower-case URL") // it has letters of its own
	for name, spelled := range spellings {
		for _, size := range []int{1, 2, 7, 1000} {
			out := through(redact.New([]string{secret}, nil), "head "+spelled+" tail", size)
			assert.Equal(t, "head [REDACTED] tail", out, "%s, in pieces of %d", name, size)
		}
	}
}

func TestBase64IsRedactedAtEveryOffset(t *testing.T) {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
		for before := range 5 {
			for after := range 4 {
				text := strings.Repeat("u", before) + secret + strings.Repeat("p", after)
				out := through(redact.New([]string{secret}, nil), encoding.EncodeToString([]byte(text)), 5)
				assert.Contains(t, out, redact.Mark)
				rest := strings.ReplaceAll(out, redact.Mark, "")
				assert.Less(t, len(rest), 4+(before+after)*2, "%d before, %d after: %s", before, after, out)
			}
		}
	}
}

func TestACredentialIsRedactedWithSpacesInsideAndInAnotherCase(t *testing.T) {
	value := "tok-Vq7x_secret+/=value-that-is-longer-than-one-line-of-base64-which-is-76-characters"
	digits, encoded := hex.EncodeToString([]byte(value)), base64.StdEncoding.EncodeToString([]byte(value))
	every := func(text string, n int, before, after string) (out string) {
		for i := 0; i < len(text); i += n {
			out += before + text[i:min(i+n, len(text))] + after
		}
		return out
	}
	for name, spelled := range map[string]string{
		"base64 in lines":            every(encoded, 76, "", "\n"),
		"base64 in a YAML block":     every(encoded, 64, "        ", "\r\n"),
		"digits in pairs":            every(digits, 2, "", " "),
		"digits in lines":            every(digits, 32, "", "\n"),
		"a fingerprint":              every(digits, 2, "", ":"),
		"every character in percent": every(digits, 2, "%", ""),
		"escapes":                    every(strings.ToUpper(digits), 2, `\x`, ""),
		"UTF-16":                     every(value, 1, "", "\x00"),
		"capital letters":            strings.ToUpper(value),
		"a table that breaks lines":  every(value, 20, "  ", "\n"),
	} {
		for _, size := range []int{1, 7, 1000} {
			out := through(redact.New([]string{value}, nil), "head "+spelled+"! tail", size)
			rest := strings.NewReplacer("head ", "", "! tail", "", " ", "", "\n", "", "\r", "", ":", "", "%", "", `\x`, "", "\x00", "").Replace(out)
			assert.Equal(t, redact.Mark, rest, "%s, in pieces of %d", name, size)
		}
	}
	assert.NotContains(t, through(redact.New([]string{value}, nil), encoded, 3), "=", "the padding belongs to the credential")
	apart := every(value, 20, "", strings.Repeat(" ", 40))
	assert.Equal(t, apart, through(redact.New([]string{value}, nil), apart, 9), "texts that are far apart are not one")
}

func TestShortTextsAreNotLookedFor(t *testing.T) {
	assert.Nil(t, redact.New([]string{"abc", ""}, nil))
	var none *redact.Redactor
	assert.Equal(t, "x", through(none, "x", 1))
}

func TestLongCredentialsAreRedactedInSmallPieces(t *testing.T) {
	long := strings.Repeat("0123456789", 30)
	assert.Equal(t, "head [REDACTED] tail", through(redact.New([]string{long}, nil), "head "+long+" tail", 7))
}

func TestACredentialInsideAnotherIsRedactedCompletely(t *testing.T) {
	r := redact.New([]string{"abcdefgh", "abcdefghijkl"}, nil)
	assert.Equal(t, "[REDACTED]-[REDACTED]x", through(r, "abcdefghijkl-abcdefghx", 3))
	r = redact.New([]string{"abcdxxxx", "xxxxefgh"}, nil)
	assert.Equal(t, "<[REDACTED]>", through(r, "<abcdxxxxefgh>", 2))
}

func TestTheLinesOfAKeyAreRedactedOneByOne(t *testing.T) {
	key := "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcwggSj\n-----END KEY-----"
	out := through(redact.New([]string{key}, nil), strings.ReplaceAll(key, "\n", "\r\n  "), 11)
	assert.NotContains(t, out, "MIIEv")
	assert.NotContains(t, out, "9w0BA")
}

func TestOnlyTheBeginningOfACredentialIsHeldBack(t *testing.T) {
	r := redact.New([]string{"token-value"}, nil)
	assert.Equal(t, "Password: ", string(r.Write([]byte("Password: "))))
	assert.Equal(t, "x", string(r.Write([]byte("xtok"))))
	assert.Equal(t, "tokX", string(r.Write([]byte("X"))))
}

func TestAnEndlessRepetitionNeedsNoEndlessMemory(t *testing.T) {
	r := redact.New([]string{"aaaaaaaa"}, nil)
	out, piece := 0, []byte(strings.Repeat("a", 32<<10))
	for range 16 {
		shown := r.Write(piece)
		out += len(shown)
		assert.NotContains(t, string(shown), "aaaaaaaa")
	}
	assert.Less(t, out, 1000)
	assert.NotContains(t, string(r.Close()), "aaaaaaaa")
}

func TestRulesApplyAfterCredentials(t *testing.T) {
	rules := []redact.Rule{{Pattern: regexp.MustCompile(`id-[0-9]+`), Replace: "id-$1"}}
	for _, size := range []int{1, 5, 5000} {
		text := strings.Repeat(".", 3000) + "id-123 token-value " + strings.Repeat(".", 3000)
		out := through(redact.New([]string{"token-value"}, rules), text, size)
		assert.Equal(t, strings.Repeat(".", 3000)+"id-$1 [REDACTED] "+strings.Repeat(".", 3000), out)
	}
}

// However a text is cut, the result is the same, and has no credential.
func TestRedactionIsTheSameHoweverOutputIsSplit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := []string{"abab", "ababcd", "bcda"}
	for range 3_000 {
		text := make([]byte, random.IntN(40))
		for i := range text {
			text[i] = "abcd"[random.IntN(4)]
		}
		whole := through(redact.New(values, nil), string(text), 100)
		require.Equal(t, whole, through(redact.New(values, nil), string(text), 1+random.IntN(5)), string(text))
		for _, value := range values {
			require.NotContains(t, strings.ReplaceAll(whole, redact.Mark, " "), value)
		}
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("token-value", "head token-value tail", 3)
	f.Fuzz(func(t *testing.T, value, text string, size int) {
		if size < 1 || len(value) < 4 || len(value) > 1000 || len(text) > 10_000 || strings.Contains(redact.Mark, value) {
			return
		}
		out := through(redact.New([]string{value}, nil), text, size)
		for _, part := range strings.Split(out, redact.Mark) {
			require.NotContains(t, part, value)
		}
	})
}

func TestTruncatedOutputShowsNoBeginningOfACredential(t *testing.T) {
	rule := redact.Rule{Pattern: regexp.MustCompile(`key-[0-9]{4,}`), Replace: "(key)"}
	for text, want := range map[string]string{
		"a tok-":                    "a [REDACTED]",
		"a tok-123":                 "a [REDACTED]",
		"a tok-1234":                "a [REDACTED]",
		"a tok-1234 b\n":            "a [REDACTED] b\n",
		"a to\n":                    "a to\n",
		"nothing\n":                 "nothing\n",
		"a key-1":                   "a [REDACTED]",
		"a key-1234":                "a [REDACTED]",
		"a key-1234 tok":            "a (key) tok",
		"":                          "",
		"dG9rLTEy":                  "[REDACTED]",
		"tok-1234tok-12 key-12 tok": "[REDACTED]tok-12 key-12 tok",
	} {
		r := redact.New([]string{"tok-1234"}, []redact.Rule{rule})
		var shown strings.Builder
		for i := range len(text) {
			shown.Write(r.Write([]byte(text[i : i+1])))
		}
		shown.Write(r.Cut())
		assert.Equal(t, want, shown.String(), text)
	}
}
