package daemon

import (
	"bytes"
	"slices"

	"gavel/credentials/wire"
)

// ahead sends the signals that wait behind standard input which the tool does not read. The lines
// stay where they are, and are passed over when it is their turn.
func (r *runner) ahead() {
	text := append(slices.Clone(r.lines.Buffered()), waiting(r.conn)...)
	for at := r.lines.Offset(); ; {
		line, rest, whole := bytes.Cut(text, []byte{'\n'})
		if at += int64(len(line)) + 1; !whole {
			return
		}
		if at > r.obeyed {
			message, err := wire.ParseControl(line)
			if err != nil {
				return // the connection ends there, when it is its turn
			}
			if r.obeyed = at; message.Type == wire.ControlSignal {
				r.process.signal(message.Signal)
			}
		}
		text = rest
	}
}
