package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gavel/internal/strictjson"
)

// messages are any that a daemon could send, most of them output.
func messages() *rapid.Generator[Message] {
	return rapid.Custom(func(t *rapid.T) Message {
		m := Message{Type: rapid.SampledFrom([]string{TypeStdout, TypeStderr, TypeStdout, TypeStderr, TypeDone, TypeError, TypeProof, "", "stdou", `std"out`}).Draw(t, "type")}
		size := rapid.SampledFrom([]int{0, 1, 2, 3, 64, ChunkSize - 1, ChunkSize, ChunkSize + 1}).Draw(t, "size")
		if size < 65 {
			m.Data = rapid.SliceOfN(rapid.Byte(), 0, size).Draw(t, "data")
		} else {
			m.Data = bytes.Repeat([]byte{rapid.Byte().Draw(t, "fill")}, size)
		}
		switch rapid.IntRange(0, 5).Draw(t, "more") {
		case 0:
			m.ExitCode = rapid.IntRange(-1, 255).Draw(t, "code")
		case 1:
			m.Timeout = true
		case 2:
			m.Message = rapid.String().Draw(t, "message")
		}
		return m
	})
}

func TestFramesAppendedToABufferEqualTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, before := messages().Draw(t, "message"), rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "before")
		payload, err := json.Marshal(m)
		require.NoError(t, err)
		want := append(binary.BigEndian.AppendUint32(bytes.Clone(before), uint32(len(payload))), payload...)
		got, err := AppendFrame(before, &m)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "%q", payload)

		var read Message
		require.NoError(t, json.Unmarshal(payload, &read))
		one, err := ReadFrame(bytes.NewReader(got[len(before):]))
		require.NoError(t, err)
		require.Equal(t, read, one)
	})
}

// Whatever a payload is put together from, the two readers agree, or the library reads it alone.
func TestEveryPayloadIsReadAsTheLibraryReadsIt(t *testing.T) {
	pieces := []string{`{"type":"stdout"`, `{"type":"stderr"`, `,"data":"`, `"}`, `"`, `}`, `{`, `,`, "QUJD", "QQ==", "QR==", "QUI=", "=", "\n", "\r", " ", `\n`, `\u0041`, `,"exit_code":1`, `,"data":"QQ=="`, "\x00", "\xff", "é"}
	fast, slow := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{beforeStdout, beforeStderr, ""}).Draw(t, "before")
		from := rapid.SampledFrom([][]string{pieces, {"QUJD", "+/+/"}, {"QUJD", "QQ==", "QR==", "QUI=", "\n", "\r"}}).Draw(t, "from")
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(from), 0, 6).Draw(t, "pieces") {
			text += piece
		}
		text += rapid.SampledFrom([]string{afterData, afterData, ""}).Draw(t, "after")
		m, ok := decodeOutput(nil, []byte(text))
		if !ok {
			slow++
			return
		}
		fast++
		var want Message
		require.NoError(t, strictjson.UnmarshalOpen([]byte(text), &want), "%q", text)
		require.Equal(t, want, m, "%q", text)
		var also Message
		require.NoError(t, json.Unmarshal([]byte(text), &also), "%q", text)
		require.Equal(t, also, m, "%q", text)
	})
	require.Positive(t, fast)
	require.Positive(t, slow)
}
