package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
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
		"bytes that are no text in an argument":    {with(`"repo"`, "\"\xff\""), wire.TextInvalid, false},
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
		"the nonce is no nonce":                func(r *wire.Request) { r.Nonce = "X" },
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

func TestFramesHaveTheBytesOfTheProtocol(t *testing.T) {
	frame, err := wire.EncodeFrame(wire.Message{Type: wire.TypeDone})
	require.NoError(t, err)
	assert.Equal(t, "\x00\x00\x00\x0f{\"type\":\"done\"}", string(frame))
	frame, err = wire.EncodeFrame(wire.Message{Type: wire.TypeDone, ExitCode: -1, Timeout: true})
	require.NoError(t, err)
	assert.Equal(t, `{"type":"done","exit_code":-1,"timeout":true}`, string(frame[4:]))
	frame, err = wire.EncodeFrame(wire.Message{Type: wire.TypeStdout, Data: []byte{0, 255}})
	require.NoError(t, err)
	assert.Equal(t, `{"type":"stdout","data":"AP8="}`, string(frame[4:]))
	assert.JSONEq(t, `{"error":"unknown tool"}`, string(wire.ErrorLine(wire.TextNoTool)))
}

func TestAFrameThatIsWrongIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ bytes, says string }{
		"of no length":    {"\x00\x00\x00\x00", "empty message"},
		"too long":        {"\x01\x00\x00\x01", "message exceeds maximum size"},
		"a bare error":    {`{"error":"server busy"}`, "message exceeds maximum size"},
		"cut":             {"\x00\x00\x00\x0f{\"ty", "truncated message: expected 15 bytes"},
		"not JSON":        {"\x00\x00\x00\x0enot valid json", "unmarshal"},
		"without an end":  {"\x00\x00", "unexpected EOF"},
		"a member twice":  {"\x00\x00\x00\x1d{\"type\":\"done\",\"type\":\"done\"}", "unmarshal"},
		"data not base64": {"\x00\x00\x00\x1e{\"type\":\"stdout\",\"data\":\"$$$\"}", "unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.ReadFrame(strings.NewReader(c.bytes))
			require.ErrorContains(t, err, c.says)
		})
	}
	_, err := wire.ReadFrame(strings.NewReader(""))
	require.ErrorIs(t, err, io.EOF)
	_, err = wire.EncodeFrame(wire.Message{Type: wire.TypeStdout, Data: make([]byte, wire.MaxFrame)})
	require.ErrorContains(t, err, "message exceeds maximum size")
}

func TestFramesSurviveAnyCutting(t *testing.T) {
	var stream bytes.Buffer
	for _, text := range []string{"small", "世界🚀", strings.Repeat("x", 100_000)} {
		frame, err := wire.EncodeFrame(wire.Message{Type: wire.TypeStdout, Data: []byte(text)})
		require.NoError(t, err)
		_, _ = stream.Write(frame)
	}
	r := iotest.OneByteReader(&stream)
	for _, text := range []string{"small", "世界🚀", strings.Repeat("x", 100_000)} {
		m, err := wire.ReadFrame(r)
		require.NoError(t, err)
		assert.Equal(t, text, string(m.Data))
	}
}

func TestW10LinesDoNotDependOnHowTheyArrive(t *testing.T) {
	text := "{\"a\":1}\n{\"type\":\"stdin\",\"eof\":true}\nlast"
	for name, r := range map[string]io.Reader{"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
		t.Run(name, func(t *testing.T) {
			lines := wire.NewLines(r)
			for _, want := range []string{`{"a":1}`, `{"type":"stdin","eof":true}`, "last"} {
				line, err := lines.Next(100)
				require.NoError(t, err)
				assert.Equal(t, want, string(line))
			}
			_, err := lines.Next(100)
			require.ErrorIs(t, err, io.EOF)
		})
	}
}

func TestALineHasALimit(t *testing.T) {
	for length, fits := range map[int]bool{10: true, 11: false, 200_000: false} {
		for _, end := range []string{"", "\n"} {
			_, err := wire.NewLines(strings.NewReader(strings.Repeat("x", length) + end)).Next(10)
			assert.Equal(t, fits, err == nil, "%d bytes and %q", length, end)
			if !fits {
				assert.ErrorIs(t, err, wire.ErrLongLine)
			}
		}
	}
	_, err := wire.NewLines(iotest.ErrReader(errors.New("gone"))).Next(10)
	assert.EqualError(t, err, "gone")
}

func TestControlLines(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"type":"stdin","data":"aGk="}`: true, `{"type":"stdin","eof":true}`: true, `{"type":"winsize","rows":24,"cols":80}`: true,
		`{"type":"signal","signal":"SIGINT"}`: true, `{"type":"signal","signal":"SIGTERM"}`: true, `{"type":"signal","signal":"SIGHUP"}`: true,
		`{"type":"cleanup","files":["/etc/passwd"]}`: true,
		`{"type":"signal","signal":"SIGKILL"}`:       false, `{"type":"signal"}`: false, `{"type":"stdin","data":"%"}`: false,
		``: false, `{}`: false, `{"type":"x"}`: false, `{"type":"stdin","x":1}`: false, `{"type":"stdin","eof":true}{}`: false,
		`{"type":"winsize","rows":70000}`: false,
	} {
		_, err := wire.ParseControl([]byte(text))
		assert.Equal(t, ok, err == nil, text)
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

func TestTheSecretIsAFileForNobodyElse(t *testing.T) {
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

func TestAPreviewShowsLittle(t *testing.T) {
	for value, want := range map[string]string{"": "****...****", "1234567": "****...****", "12345678": "12.....78", "ghp_0123456789abcdef9x": "gh.....9x", "日本語日本語日本": "日本.....日本"} {
		assert.Equal(t, want, wire.Preview(value))
	}
}

func FuzzReadFrame(f *testing.F) {
	for _, m := range []wire.Message{{Type: wire.TypeDone}, {Type: wire.TypeStdout, Data: []byte("x")}, {Type: wire.TypeError, Message: "no"}} {
		frame, err := wire.EncodeFrame(m)
		require.NoError(f, err)
		f.Add(frame)
	}
	f.Add([]byte(`{"error":"server busy"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := wire.ReadFrame(bytes.NewReader(data))
		if err != nil {
			return
		}
		require.LessOrEqual(t, int(binary.BigEndian.Uint32(data)), len(data)-4)
		frame, err := wire.EncodeFrame(m)
		require.NoError(t, err)
		again, err := wire.ReadFrame(bytes.NewReader(frame))
		require.NoError(t, err)
		again.Data, m.Data = append([]byte{}, again.Data...), append([]byte{}, m.Data...)
		require.Equal(t, m, again)
	})
}

func FuzzParseControl(f *testing.F) {
	f.Add([]byte(`{"type":"stdin","data":"aGk="}`))
	f.Add([]byte(`{"type":"signal","signal":"SIGINT"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := wire.ParseControl(data)
		if err == nil && c.Type == wire.ControlSignal {
			require.Contains(t, []string{"SIGINT", "SIGTERM", "SIGHUP"}, c.Signal)
		}
	})
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
