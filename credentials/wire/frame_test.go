package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
)

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

func TestFramesAreReadHoweverTheyAreSplit(t *testing.T) {
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

func TestW10LinesAreReadTheSameHoweverTheyAreSplit(t *testing.T) {
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
