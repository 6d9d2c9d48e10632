package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
)

func signed(change func(*wire.Request)) *wire.Request {
	r := &wire.Request{Version: wire.Version, Tool: "gh", Cwd: "/w", Nonce: wire.NewNonce(), Timestamp: "1706745600", Args: &[]string{"repo", "list"}}
	if change != nil {
		change(r)
	}
	r.Sign(secret(), wire.SixFields)
	return r
}

func line(t *testing.T, r *wire.Request) []byte {
	t.Helper()
	text, err := wire.EncodeLine(r)
	require.NoError(t, err)
	return text
}

func verify(r *wire.Request) error {
	_, err := r.Verify(secret(), time.Unix(vectorTime, 0))
	return err
}

func TestARequestIsRefusedWithTheTextThatClientsKnow(t *testing.T) {
	good := string(line(t, signed(nil)))
	with := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct {
		line, text string
		framed     bool
	}{
		"an empty line":                            {"", wire.TextEmpty, false},
		"blanks only":                              {" \t ", wire.TextEmpty, false},
		"no JSON":                                  {"{", wire.TextNoJSON, false},
		"neither admin nor hmac":                   {`{"tool":"gh"}`, wire.TextNoProtocol, false},
		"an hmac that is null":                     {`{"tool":"gh","hmac":null}`, wire.TextNoProtocol, false},
		"another version":                          {with(`"version":3`, `"version":2`), wire.TextVersion, true},
		"an unknown key":                           {with(`"version":3`, `"version":3,"x":1`), wire.TextInvalid, true},
		"a key in another case":                    {with(`"cwd"`, `"CWD"`), wire.TextInvalid, true},
		"a key twice":                              {with(`"version":3`, `"version":3,"version":3`), wire.TextInvalid, false},
		"variables twice, in two cases":            {with(`"version":3`, `"version":3,"env":{},"ENV":{"A":"1"}`), wire.TextInvalid, true},
		"a tool that is a path":                    {with(`"gh"`, `"../gh"`), wire.TextInvalid, true},
		"a tool that is a directory":               {with(`"gh"`, `".."`), wire.TextInvalid, true},
		"a line feed in the directory":             {with(`"/w"`, `"/w\n{}"`), wire.TextInvalid, true},
		"bytes that are not text in an argument":   {with(`"repo"`, "\"\xff\""), wire.TextInvalid, false},
		"the mark for such bytes":                  {with(`"repo"`, `"\ufffd"`), wire.TextInvalid, true},
		"a null character":                         {with(`"repo"`, `"\u0000"`), wire.TextInvalid, true},
		"a nonce that is too short":                {with(`"nonce":"`, `"nonce":"","cwd":"`), wire.TextInvalid, false},
		"a timestamp with a plus":                  {with(`"1706745600"`, `"+1706745600"`), wire.TextInvalid, true},
		"a timestamp with a leading zero":          {with(`"1706745600"`, `"01706745600"`), wire.TextInvalid, true},
		"a variable with an equals sign":           {with(`"version":3`, `"version":3,"env":{"BASH_ENV=/tmp/evil":""}`), wire.TextInvalid, true},
		"a variable without a name":                {with(`"version":3`, `"version":3,"env":{"":"x"}`), wire.TextInvalid, true},
		"an administrator's request with a tool":   {with(`"version":3`, `"version":3,"admin":"list"`), wire.TextInvalid, false},
		"an administrator's request, two versions": {`{"version":2,"admin":"list","timestamp":"1706745600","hmac":"","nonce":"000102030405060708090a0b0c0d0e0f"}`, wire.TextVersion, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.ParseRequest([]byte(strings.TrimSuffix(c.line, "\n")))
			var refused *wire.RefusedError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.text, refused.Text)
			if c.text != wire.TextInvalid {
				assert.Equal(t, c.framed, refused.Framed)
			}
		})
	}
}

func TestW1ASignatureHasOneSpelling(t *testing.T) {
	r := signed(nil)
	good := r.HMAC
	require.NoError(t, verify(r))
	bits := map[byte]byte{'A': 'B', 'E': 'F', 'I': 'J', 'M': 'N', 'Q': 'R', 'U': 'V', 'Y': 'Z', 'c': 'd', 'g': 'h', 'k': 'l', 'o': 'p', 's': 't', 'w': 'x', '0': '1', '4': '5', '8': '9'}
	for name, spelled := range map[string]string{
		"unused bits of the last character": good[:42] + string(bits[good[42]]) + "=",
		"a line feed inside":                good[:10] + "\n" + good[10:],
		"a carriage return at the end":      good + "\r",
		"no padding":                        good[:43],
		"the alphabet of URLs":              strings.NewReplacer("+", "-", "/", "_").Replace(strings.Repeat("+", 1) + good[1:]),
	} {
		t.Run(name, func(t *testing.T) {
			r.HMAC = spelled
			require.ErrorIs(t, verify(r), wire.ErrSignature)
		})
	}
}

func TestW2FieldsCannotBeSplitAnotherWay(t *testing.T) {
	for name, change := range map[string]func(*wire.Request){
		"the directory takes up the variables": func(r *wire.Request) { r.Cwd = "/a\n{}\nX" },
		"the nonce takes up the variables":     func(r *wire.Request) { r.Nonce = "X\n{}\nN" },
		"the nonce takes up the terminal":      func(r *wire.Request) { r.Nonce = "AAECAwQFBgcICQoLDA0ODw==\n0" },
		"the time takes up the tool":           func(r *wire.Request) { r.Timestamp = "1706745600\ngh" },
		"the nonce is not a nonce":             func(r *wire.Request) { r.Nonce = "X" },
		"the nonce is in upper case":           func(r *wire.Request) { r.Nonce = strings.ToUpper("0a0102030405060708090a0b0c0d0e0f") },
		"the nonce has unused bits":            func(r *wire.Request) { r.Nonce = "AAECAwQFBgcICQoLDA0ODx==" },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.ParseRequest(line(t, signed(change)))
			var refused *wire.RefusedError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, wire.TextInvalid, refused.Text)
		})
	}
}

func TestASignatureCoversEveryField(t *testing.T) {
	for name, change := range map[string]func(*wire.Request){
		"tool": func(r *wire.Request) { r.Tool = "git" }, "directory": func(r *wire.Request) { r.Cwd = "/v" },
		"time": func(r *wire.Request) { r.Timestamp = "1706745601" }, "nonce": func(r *wire.Request) { r.Nonce = wire.NewNonce() },
		"arguments": func(r *wire.Request) { r.Args = &[]string{"repo list"} }, "no arguments": func(r *wire.Request) { r.Args = nil },
		"variables": func(r *wire.Request) { r.Env = map[string]string{"A": "1"} }, "terminal": func(r *wire.Request) { r.UsePTY = true },
		"administrator": func(r *wire.Request) { r.Admin = "list" },
	} {
		t.Run(name, func(t *testing.T) {
			for _, form := range []wire.Form{wire.SixFields, wire.SevenFields} {
				r := signed(nil)
				r.Sign(secret(), form)
				require.NoError(t, verify(r))
				change(r)
				require.ErrorIs(t, verify(r), wire.ErrSignature)
			}
		})
	}
}

func TestARequestIsFreshForFiveSeconds(t *testing.T) {
	r := signed(nil)
	for offset, fresh := range map[int64]bool{-6: false, -5: true, 0: true, 5: true, 6: false} {
		_, err := r.Verify(secret(), time.Unix(vectorTime-offset, 0))
		if fresh {
			require.NoError(t, err, offset)
		} else {
			require.ErrorIs(t, err, wire.ErrTime, offset)
		}
	}
}

func TestOnlyTheSecretProvesTheDaemon(t *testing.T) {
	r := signed(nil)
	mac, err := r.Verify(secret(), time.Unix(vectorTime, 0))
	require.NoError(t, err)
	proof := wire.Proof(secret(), mac)
	assert.True(t, r.Proves(secret(), proof))
	assert.False(t, r.Proves(make([]byte, 32), proof))
	assert.False(t, signed(func(r *wire.Request) { r.Tool = "git" }).Proves(secret(), proof))
	sum, err := base64.StdEncoding.DecodeString(r.HMAC)
	require.NoError(t, err)
	assert.False(t, r.Proves(secret(), sum), "what the client sent proves nothing")
}

func TestTheSecretFileIsReadableByItsOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "auth")
	for range 2 { // the second replaces the first
		secret := wire.NewSecret()
		require.NoError(t, wire.WriteSecret(path, secret, 0o600))
		read, err := wire.ReadSecret(path)
		require.NoError(t, err)
		assert.Equal(t, secret, read)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	require.NoError(t, wire.WriteSecret(path, secret(), 0o640))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", string(text))

	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o640: true, 0o660: false, 0o644: false, 0o602: false} {
		require.NoError(t, os.Chmod(path, mode))
		_, err := wire.ReadSecret(path)
		assert.Equal(t, ok, err == nil, "%o", mode)
	}
	assert.Error(t, wire.WriteSecret(path, secret(), 0o644))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(path, link))
	_, err = wire.ReadSecret(link)
	require.ErrorContains(t, err, "symlink")
	require.ErrorContains(t, wire.WriteSecret(link, secret(), 0o600), "symlink")
	require.NoError(t, os.WriteFile(path, []byte("c2hvcnQ=\n"), 0o600))
	require.NoError(t, os.Chmod(path, 0o600))
	_, err = wire.ReadSecret(path)
	require.ErrorContains(t, err, "32 bytes")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "open"), 0o777))
	require.NoError(t, os.Chmod(filepath.Join(dir, "open"), 0o777))
	require.ErrorContains(t, wire.WriteSecret(filepath.Join(dir, "open", "auth"), secret(), 0o600), "others can replace")
}

func TestAPreviewShowsFourCharactersAtMost(t *testing.T) {
	for value, want := range map[string]string{"": "****...****", "1234567": "****...****", "12345678": "12.....78", "ghp_0123456789abcdef9x": "gh.....9x", "日本語日本語日本": "日本.....日本"} {
		assert.Equal(t, want, wire.Preview(value))
	}
}

// What is accepted has one meaning: written again it has the same signature, and a reader that is
// less strict sees the same.
func FuzzParseRequest(f *testing.F) {
	text, err := wire.EncodeLine(signed(func(r *wire.Request) { r.Env = map[string]string{"A": "<\b>"} }))
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"version":3,"admin":"list","timestamp":"1706745600","hmac":"x","nonce":"000102030405060708090a0b0c0d0e0f"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := wire.ParseRequest(data)
		if err != nil {
			return
		}
		r.Sign(secret(), wire.SevenFields)
		require.NoError(t, verifyAt(r))
		text, err := wire.EncodeLine(r)
		require.NoError(t, err)
		again, err := wire.ParseRequest(text)
		require.NoError(t, err)
		require.NoError(t, verifyAt(again))
		loose := &wire.Request{}
		require.NoError(t, json.Unmarshal(text, loose))
		loose.Sign(secret(), wire.SevenFields)
		require.Equal(t, r.HMAC, loose.HMAC)
	})
}

func verifyAt(r *wire.Request) error {
	var seconds int64
	for _, digit := range r.Timestamp {
		seconds = seconds*10 + int64(digit-'0')
	}
	_, err := r.Verify(secret(), time.Unix(seconds, 0))
	return err
}
