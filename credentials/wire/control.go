package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gavel/internal/strictjson"
)

// The types of control lines.
const (
	ControlStdin   = "stdin"
	ControlSignal  = "signal"
	ControlWindow  = "winsize"
	ControlCleanup = "cleanup" // of old clients; ignored
)

// Control is a line that a client writes after its request.
type Control struct {
	Type   string `json:"type"`
	Data   []byte `json:"data,omitempty"` // base64
	EOF    bool   `json:"eof,omitempty"`
	Signal string `json:"signal,omitempty"`
	Rows   uint16 `json:"rows,omitempty"`
	Cols   uint16 `json:"cols,omitempty"`
	// Files is of old clients, which named files to delete. Nothing is deleted.
	Files []string `json:"files,omitempty"`
}

// ParseControl reads a control line. Anything that is not one is an error.
func ParseControl(line []byte) (Control, error) {
	var c Control
	if err := strictjson.Unmarshal(line, &c); err != nil {
		return Control{}, fmt.Errorf("unmarshal control line: %w", err)
	}
	switch c.Type {
	case ControlStdin, ControlWindow, ControlCleanup:
		return c, nil
	case ControlSignal:
		switch c.Signal {
		case "SIGINT", "SIGTERM", "SIGHUP":
			return c, nil
		}
		return Control{}, errors.New("the signal is none of SIGINT, SIGTERM, SIGHUP")
	}
	return Control{}, errors.New("the type is none of stdin, signal, winsize, cleanup")
}

// EncodeLine returns a line of JSON as it is sent.
func EncodeLine(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("marshal line: %w", err)
	}
	if len(line) >= MaxFrame {
		return nil, fmt.Errorf("%w: %d bytes", ErrLargeFrame, len(line))
	}
	return append(line, '\n'), nil
}

// ErrLongLine is a line that is longer than its reader takes.
var ErrLongLine = errors.New("the line is too long")

// Lines reads lines: first the request, then control lines, from one buffer, so that it does not
// matter how the client's writes are cut into pieces.
type Lines struct {
	r    *bufio.Reader
	read int64 // bytes of the lines that were returned
}

// NewLines returns a reader of lines.
func NewLines(r io.Reader) *Lines { return &Lines{r: bufio.NewReaderSize(r, ChunkSize)} }

// Offset is where the next line begins, in bytes from the first one.
func (l *Lines) Offset() int64 { return l.read }

// Buffered returns what has been read of the next lines. It waits for nothing. The result is valid
// until the next call.
func (l *Lines) Buffered() []byte {
	text, _ := l.r.Peek(l.r.Buffered()) // it never asks for more than there is
	return text
}

// Wait waits until a line begins.
func (l *Lines) Wait() error {
	_, err := l.r.Peek(1)
	return err
}

// Next returns the next line without its end, at most limit bytes, or [ErrLongLine]. What follows
// the last line feed is a line too. The result is valid until the next call.
func (l *Lines) Next(limit int) ([]byte, error) {
	var line []byte
	for {
		piece, err := l.r.ReadSlice('\n')
		l.read += int64(len(piece))
		if len(line)+len(piece) > limit+1 {
			return nil, ErrLongLine
		}
		line = append(line, piece...)
		switch {
		case err == nil:
			if len(line)-1 > limit {
				return nil, ErrLongLine
			}
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull) && len(line) > limit:
			return nil, ErrLongLine // whatever ends it
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			if len(line) > limit {
				return nil, ErrLongLine
			}
			return line, nil
		default:
			return nil, err
		}
	}
}
