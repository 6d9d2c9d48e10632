package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/cases"
	"gavel/credentials/wire"
)

// described is a request with the fields of a case.
func described(t *testing.T, f cases.Fields) *wire.Request {
	r := &wire.Request{Version: wire.Version, Timestamp: cases.Get[string](t, f, "ts"), Tool: cases.Get[string](t, f, "tool"), Cwd: cases.Get[string](t, f, "cwd"),
		Nonce: cases.Get[string](t, f, "nonce"), Env: cases.Get[map[string]string](t, f, "env")}
	if f.Has("args") && string(f["args"]) != "null" {
		args := cases.Get[[]string](t, f, "args")
		r.Args = &args
	}
	return r
}

// mac is the signature of a request in one form.
func mac(r *wire.Request, form wire.Form) string {
	copied := *r
	copied.Sign(secret(), form)
	return copied.HMAC
}

func TestTheCasesOfTheReferenceAboutSignatures(t *testing.T) {
	for _, c := range cases.Read(t, "..", "auth") {
		t.Run(c.Name, func(t *testing.T) {
			switch name, _, _ := strings.Cut(c.Name, "/"); name {
			case "TestComputeHMAC_DifferentInputs":
				base := cases.Get[cases.Fields](t, c.Input, "base")
				first := mac(described(t, base), wire.SixFields)
				for field, value := range cases.Get[cases.Fields](t, c.Input, "change") {
					base[field] = value
				}
				assert.Equal(t, cases.Get[bool](t, c.Expect, "hmac_equals_base"), first == mac(described(t, base), wire.SixFields))
			case "TestComputeHMAC_FieldSeparators":
				a, b := cases.Get[cases.Fields](t, c.Input, "a"), cases.Get[cases.Fields](t, c.Input, "b")
				assert.Equal(t, cases.Get[bool](t, c.Expect, "hmac_equal"), mac(described(t, a), wire.SixFields) == mac(described(t, b), wire.SixFields))
			case "TestComputeHMAC_EmptyArgs":
				require.Equal(t, "null", string(c.Input["a_args"]))
				require.Equal(t, "[]", string(c.Input["b_args"]))
				assert.NotEqual(t, mac(signed(func(r *wire.Request) { r.Args = nil }), wire.SixFields), mac(signed(func(r *wire.Request) { r.Args = &[]string{} }), wire.SixFields))
			case "TestWriteSecretWithMode_CustomMode", "TestWriteSecret_AtomicWrite", "TestLoadSecret_RejectsSymlink":
				secretCase(t, c)
			case "TestComputeHMACWithPTY_DifferentPTYFlag":
				flags := cases.Get[[]bool](t, c.Input, "pty")
				with := func(pty bool) string { return mac(&wire.Request{Tool: "t", UsePTY: pty}, wire.SevenFields) }
				assert.Equal(t, cases.Get[bool](t, c.Expect, "hmac_equal"), with(flags[0]) == with(flags[1]))
			default:
				verifyCase(t, c, name)
			}
		})
	}
}

// verifyCase signs a request, changes it as the case says, and verifies it.
func verifyCase(t *testing.T, c cases.Case, name string) {
	r, form := signed(nil), wire.SixFields
	var after func()
	switch name {
	case "TestVerifyHMAC_InvalidSignature":
		after = func() { r.HMAC = cases.Get[string](t, c.Input, "hmac") }
	case "TestVerifyHMAC_ExpiredTimestamp":
		r.Timestamp = strconv.FormatInt(vectorTime+cases.Get[int64](t, c.Input, "ts_offset_s"), 10)
	case "TestValidateTimestamp":
		r.Timestamp = strings.Replace(cases.Get[string](t, c.Input, "ts"), "now-2", strconv.Itoa(vectorTime-2), 1)
	case "TestComputeHMAC_AdminCommand", "TestVerifyHMAC_AdminCommand_WrongSignature":
		of := func(text string) string { return strings.TrimPrefix(text, "admin:") }
		r.Tool, r.Cwd, r.Args, r.Admin = "", "", nil, of(cases.Get[string](t, c.Input, "tool")+cases.Get[string](t, c.Input, "signed"))
		if c.Input.Has("verified_as") {
			after = func() { r.Admin = of(cases.Get[string](t, c.Input, "verified_as")) }
		}
	case "TestVerifyHMAC_NonceMismatch":
		r.Nonce = cases.Get[string](t, c.Input, "signed_nonce")
		after = func() { r.Nonce = cases.Get[string](t, c.Input, "sent_nonce") }
	case "TestVerifyHMACWithPTY_PTYFlagMismatch":
		r.UsePTY, form = cases.Get[bool](t, c.Input, "signed_pty"), wire.SevenFields
		after = func() { r.UsePTY = cases.Get[bool](t, c.Input, "sent_pty") }
	default:
		t.Fatalf("nothing runs %s", c.Name)
	}
	r.Sign(secret(), form)
	if after != nil {
		after()
	}
	err := verify(r)
	want := cases.Get[bool](t, c.Expect, "ok") || cases.Get[bool](t, c.Expect, "roundtrip_ok") || string(c.Expect["error"]) == "false"
	assert.Equal(t, want, err == nil, "%v", err)
	if text := cases.Get[any](t, c.Expect, "error"); err != nil {
		if says, ok := text.(string); ok {
			assert.ErrorContains(t, err, says)
		}
	}
}

func secretCase(t *testing.T, c cases.Case) {
	path := filepath.Join(t.TempDir(), "auth")
	if mode := cases.Get[string](t, c.Input, "mode"); mode != "" {
		bits, err := strconv.ParseUint(mode, 8, 32)
		require.NoError(t, err)
		require.NoError(t, wire.WriteSecret(path, secret(), fs.FileMode(bits)))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, cases.Get[string](t, c.Expect, "file_mode"), "0"+strconv.FormatUint(uint64(info.Mode().Perm()), 8))
		return
	}
	var last []byte
	for range max(1, cases.Get[int](t, c.Input, "writes")) {
		last = wire.NewSecret()
		require.NoError(t, wire.WriteSecret(path, last, 0o600))
	}
	if says := cases.Get[string](t, c.Expect, "error_contains"); says != "" {
		require.NoError(t, os.Symlink(path, path+"-link"))
		_, err := wire.ReadSecret(path + "-link")
		require.ErrorContains(t, err, says)
		return
	}
	read, err := wire.ReadSecret(path)
	require.NoError(t, err)
	assert.Equal(t, last, read, "the second one")
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, cases.Get[int](t, c.Expect, "files_left_in_dir"))
}

func TestTheCasesOfTheReferenceAboutFrames(t *testing.T) {
	for _, c := range cases.Read(t, "..", "framing") {
		t.Run(c.Name, func(t *testing.T) {
			name, _, _ := strings.Cut(c.Name, "/")
			says := cases.Get[string](t, c.Expect, "error_contains") + cases.Get[string](t, c.Expect, "error")
			text := cases.Get[string](t, c.Input, "message")
			switch {
			case strings.HasPrefix(text, "large payload"):
				text = strings.Repeat("x", 100_000)
			case text == "empty strings":
				text = ""
			}
			switch name {
			case "TestEncoderDecoder_Roundtrip":
				frame, err := wire.EncodeFrame(wire.Message{Type: wire.TypeError, Message: text + " é世🚀", Data: []byte(text)})
				require.NoError(t, err)
				m, err := wire.ReadFrame(bytes.NewReader(frame))
				require.NoError(t, err)
				assert.Equal(t, wire.Message{Type: wire.TypeError, Message: text + " é世🚀", Data: []byte(text)}, m)
			case "TestNDJSONWriterReader_Roundtrip":
				sent := wire.Control{Type: wire.ControlStdin, Data: []byte(text), EOF: text == ""}
				sentLine, err := wire.EncodeLine(sent)
				require.NoError(t, err)
				got, err := wire.NewLines(bytes.NewReader(sentLine)).Next(1 << 20)
				require.NoError(t, err)
				m, err := wire.ParseControl(got)
				require.NoError(t, err)
				assert.Equal(t, string(sent.Data), string(m.Data))
				assert.Equal(t, sent.EOF, m.EOF)
			case "TestNDJSONReader_InvalidJSON":
				got, err := wire.NewLines(strings.NewReader(cases.Get[string](t, c.Input, "bytes"))).Next(1 << 20)
				require.NoError(t, err)
				_, err = wire.ParseControl(got)
				require.Error(t, err, "the text of the error is Gavel's own")
			case "TestNDJSONWriter_OversizedMessage":
				_, err := wire.EncodeFrame(wire.Message{Type: wire.TypeStdout, Data: make([]byte, cases.Get[int](t, c.Input, "payload_bytes"))})
				require.ErrorContains(t, err, says)
			default:
				_, err := wire.ReadFrame(bytes.NewReader(frameOf(t, c)))
				require.ErrorContains(t, err, says)
			}
		})
	}
}

// frameOf is the frame that a case gives as bytes, as a length or as a payload.
func frameOf(t *testing.T, c cases.Case) []byte {
	if text := cases.Get[string](t, c.Input, "bytes_hex"); text != "" {
		frame, err := hex.DecodeString(text)
		require.NoError(t, err)
		return frame
	}
	if length := cases.Get[uint32](t, c.Input, "length"); length > 0 {
		return binary.BigEndian.AppendUint32(nil, length)
	}
	payload := cases.Get[string](t, c.Input, "payload")
	require.NotEmpty(t, payload, "nothing runs %s", c.Name)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))), payload...)
}

func TestTheCasesOfTheReferenceAboutTheCanonicalForm(t *testing.T) {
	for _, c := range cases.Read(t, "..", "derived.canonical", "derived.replay") {
		t.Run(c.Name, func(t *testing.T) {
			switch {
			case c.Input.Has("bodies"):
				var macs []string
				for _, body := range cases.Get[[]string](t, c.Input, "bodies") {
					var f cases.Fields
					require.NoError(t, json.Unmarshal([]byte(body), &f))
					macs = append(macs, mac(described(t, f), wire.SixFields))
				}
				want := cases.Get[[]string](t, c.Expect, "canonicals")
				for i := range want {
					for j := range want {
						assert.Equal(t, want[i] == want[j], macs[i] == macs[j], "%d and %d", i, j)
					}
				}
			case c.Input.Has("hmac"):
				r := signed(nil)
				require.NoError(t, verify(r))
				for _, at := range []int{0, 20, len(r.HMAC)} {
					changed := *r
					changed.HMAC = r.HMAC[:at] + "\n" + r.HMAC[at:]
					require.Error(t, verify(&changed), "a line break at %d", at)
				}
			default:
				for _, side := range []string{"a", "b"} {
					r := described(t, cases.Get[cases.Fields](t, c.Input, side))
					r.Tool, r.Timestamp, r.Args = "gh", strconv.FormatInt(time.Unix(vectorTime, 0).Unix(), 10), &[]string{}
					if r.Cwd == "/a" { // its nonce is what is wrong
						r.Cwd = "/w"
					}
					r.HMAC = base64.StdEncoding.EncodeToString(make([]byte, 32))
					_, err := wire.ParseRequest(line(t, r))
					require.Error(t, err, side)
				}
			}
		})
	}
}
