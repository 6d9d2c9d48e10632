package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/strictjson"
)

// outputs are messages with data of every length that base64 pads in its own way.
func outputs() (list []Message) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []string{TypeStdout, TypeStderr} {
		for _, n := range []int{1, 2, 3, 4, 100, ChunkSize} {
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			list = append(list, Message{Type: kind, Data: data})
		}
	}
	return list
}

func TestOutputIsWrittenAsTheLibraryWritesIt(t *testing.T) {
	for _, m := range outputs() {
		payload, err := json.Marshal(m)
		require.NoError(t, err)
		want := append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))), payload...)
		assert.True(t, bytes.Equal(want, appendOutput(nil, &m)), "%s of %d bytes", m.Type, len(m.Data))
		read, ok := decodeOutput(nil, payload)
		assert.True(t, ok)
		assert.Equal(t, m, read)
	}
	data := []byte("x")
	for _, other := range []Message{{Type: TypeDone, Data: data}, {Type: TypeProof, Data: data}, {Type: TypeStdout, Data: data, ExitCode: 1}, {Type: TypeStdout}, {Type: TypeStdout, Data: make([]byte, ChunkSize+1)},
		{Type: TypeStdout, Data: data, Timeout: true}, {Type: TypeStderr, Data: data, Message: "m"}} {
		assert.Nil(t, appendOutput(nil, &other), "%+v is left to the library", other)
	}
}

func TestFramesReuseTheirMemory(t *testing.T) {
	var stream []byte
	for _, m := range outputs() {
		var err error
		stream, err = AppendFrame(stream, &m)
		require.NoError(t, err)
	}
	stream, err := AppendFrame(stream, &Message{Type: TypeDone, ExitCode: 3})
	require.NoError(t, err)
	in := NewFrames(bytes.NewReader(stream))
	for _, want := range append(outputs(), Message{Type: TypeDone, ExitCode: 3}) {
		got, err := in.Next()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	again := bytes.NewReader(stream)
	assert.Less(t, testing.AllocsPerRun(10, func() {
		again.Reset(stream)
		in.in = again
		for range outputs() {
			_, _ = in.Next()
		}
	}), 60.0) // outputs itself makes most of these
}

// Whatever is changed in a frame, the two readers agree, or the library reads it alone.
func TestOutputIsReadAsTheLibraryReadsIt(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	read := 0
	for _, m := range outputs() {
		if len(m.Data) > 100 {
			continue
		}
		payload, err := json.Marshal(m)
		require.NoError(t, err)
		for range 3_000 {
			changed := bytes.Clone(payload)
			at := random.IntN(len(changed))
			switch random.IntN(3) {
			case 0:
				changed[at] = byte(random.Uint32())
			case 1:
				changed = append(changed[:at], changed[at+1:]...)
			default:
				changed = append(changed[:at], append([]byte{"\r\n\"\\=A "[random.IntN(7)]}, changed[at:]...)...)
			}
			if fast, ok := decodeOutput(nil, changed); ok {
				var slow Message
				require.NoError(t, strictjson.UnmarshalOpen(changed, &slow), "%q", changed)
				require.Equal(t, slow, fast, "%q", changed)
				read++
			}
		}
	}
	assert.Greater(t, read, 100)
}
