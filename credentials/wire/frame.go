package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"gavel/internal/strictjson"
)

// The types of frames.
const (
	TypeStdout = "stdout"
	TypeStderr = "stderr"
	TypeDone   = "done"
	TypeError  = "error"
	TypeProof  = "proof" // of Gavel, only for clients that ask for it
	TypeFile   = "file"  // of old daemons, which named a file of theirs that has the output; clients refuse it
)

// Message is a frame from the daemon. Members that are empty are left out: a success is exactly
// {"type":"done"}.
type Message struct {
	Type     string `json:"type"`
	Data     []byte `json:"data,omitempty"` // base64
	ExitCode int    `json:"exit_code,omitempty"`
	Timeout  bool   `json:"timeout,omitempty"`
	Message  string `json:"message,omitempty"`
}

// What is wrong with a frame.
var (
	ErrEmptyFrame = errors.New("empty message")
	ErrLargeFrame = errors.New("message exceeds maximum size")
)

// EncodeFrame returns a frame as it is sent, header and payload together.
func EncodeFrame(message any) ([]byte, error) {
	payload, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("marshal message: %w", err)
	}
	if len(payload) > MaxFrame {
		return nil, fmt.Errorf("%w: %d bytes", ErrLargeFrame, len(payload))
	}
	frame := make([]byte, 4, 4+len(payload))
	binary.BigEndian.PutUint32(frame, uint32(len(payload)))
	return append(frame, payload...), nil
}

// ReadFrame reads one frame. At the end of the connection it returns io.EOF. Frames may have
// members of later versions; they are ignored.
func ReadFrame(r io.Reader) (Message, error) { return NewFrames(r).Next() }

// Frames reads frames. It is not safe for concurrent use.
type Frames struct {
	in            io.Reader
	payload, data []byte // memory for the next frame
}

// NewFrames returns a reader of frames.
func NewFrames(in io.Reader) *Frames { return &Frames{in: in} }

// Next is [ReadFrame]. What it returns is valid until the next call.
func (f *Frames) Next() (Message, error) {
	r := f.in
	var header [4]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return Message{}, err
	}
	size := binary.BigEndian.Uint32(header[:])
	switch {
	case size == 0:
		return Message{}, ErrEmptyFrame
	case size > MaxFrame:
		return Message{}, fmt.Errorf("%w: %d bytes", ErrLargeFrame, size)
	}
	payload, err := f.read(int(size))
	if err != nil {
		return Message{}, err
	}
	if message, ok := decodeOutput(f.data, payload); ok {
		f.data = message.Data
		return message, nil
	}
	var message Message
	if err := strictjson.UnmarshalOpen(payload, &message); err != nil {
		return Message{}, fmt.Errorf("unmarshal message: %w", err)
	}
	return message, nil
}

// read reads so many bytes. It takes memory for more than an ordinary frame only as they come.
func (f *Frames) read(size int) (payload []byte, err error) {
	n := 0
	if size <= 2*ChunkSize {
		f.payload = slices.Grow(f.payload[:0], size)
		payload = f.payload[:size]
		n, err = io.ReadFull(f.in, payload)
	} else {
		payload, err = io.ReadAll(io.LimitReader(f.in, int64(size)))
		n = len(payload)
	}
	if n < size && (err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		err = fmt.Errorf("truncated message: expected %d bytes: %w", size, io.ErrUnexpectedEOF)
	}
	return payload, err
}

// ErrorLine is the bare answer to a request that is refused.
func ErrorLine(text string) []byte {
	line, err := json.Marshal(map[string]string{"error": text})
	if err != nil {
		return []byte(`{"error":"` + TextInternal + `"}`)
	}
	return line
}
