package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"slices"
)

// Nearly all frames are output. These write and read them without the library of JSON, which takes
// most of the time; what is written otherwise is left to it, and a test holds the two against one
// another.

// The texts around the base64 of output.
const (
	beforeStdout = `{"type":"stdout","data":"`
	beforeStderr = `{"type":"stderr","data":"`
	afterData    = `"}`
)

// AppendFrame is [EncodeFrame] into memory that is there: it returns the frame behind what frame has.
func AppendFrame(frame []byte, m *Message) ([]byte, error) {
	if grown := appendOutput(frame, m); grown != nil {
		return grown, nil
	}
	other, err := EncodeFrame(*m)
	return append(frame, other...), err
}

// appendOutput appends the frame of a message that is output and nothing else, or returns nil.
func appendOutput(frame []byte, m *Message) []byte {
	before := beforeStdout
	if m.Type == TypeStderr {
		before = beforeStderr
	}
	if m.Type != TypeStdout && m.Type != TypeStderr || len(m.Data) == 0 || len(m.Data) > ChunkSize || m.ExitCode != 0 || m.Timeout || m.Message != "" {
		return nil
	}
	size := len(before) + base64.StdEncoding.EncodedLen(len(m.Data)) + len(afterData)
	frame = binary.BigEndian.AppendUint32(slices.Grow(frame, 4+size), uint32(size)) //nolint:gosec // of a chunk
	frame = base64.StdEncoding.AppendEncode(append(frame, before...), m.Data)
	return append(frame, afterData...)
}

// decodeOutput reads a payload that is written as appendOutput does it, into memory that is there.
func decodeOutput(data, payload []byte) (Message, bool) {
	kind, text := TypeStdout, payload
	text, ok := bytes.CutPrefix(text, []byte(beforeStdout))
	if !ok {
		kind = TypeStderr
		if text, ok = bytes.CutPrefix(text, []byte(beforeStderr)); !ok {
			return Message{}, false
		}
	}
	text, ok = bytes.CutSuffix(text, []byte(afterData))
	if !ok || len(text) == 0 || bytes.IndexByte(text, '\n') >= 0 || bytes.IndexByte(text, '\r') >= 0 { // which base64 passes over
		return Message{}, false
	}
	data, err := base64.StdEncoding.Strict().AppendDecode(data[:0], text)
	return Message{Type: kind, Data: data}, err == nil
}
