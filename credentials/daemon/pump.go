package daemon

import (
	"errors"
	"io"
	"syscall"

	"gavel/credentials/redact"
	"gavel/credentials/wire"
)

// rest is what is left to show of a stream when it has ended.
type rest struct {
	cleaner *redact.Redactor
	cut     bool // it was not read to its end
}

// text is the rest. A tool that was ended while it wrote may have written a part of a credential: a
// client that chooses where its output is cut would see all of it but the last character.
func (r *rest) text(cut bool) []byte {
	if cut || r.cut {
		return r.cleaner.Cut()
	}
	return r.cleaner.Close()
}

// push hands a text of one stream over to the client.
func (r *runner) push(i int, text []byte) error {
	kind := wire.TypeStdout
	if i == 1 {
		kind = wire.TypeStderr
	}
	for len(text) > 0 {
		n := min(len(text), wire.ChunkSize)
		frame, err := wire.AppendFrame(r.spool.room(), &wire.Message{Type: kind, Data: text[:n]})
		if err == nil {
			err = r.spool.push(frame)
		}
		if err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// pump reads one stream of the process, takes the credentials out, and hands over what can be shown
// before it is known how the process ended.
func (r *runner) pump(i int, stream io.Reader) error {
	cleaner := r.redactor()
	r.rests[i] = rest{cleaner, true}
	buffer := make([]byte, wire.ChunkSize)
	for {
		n, err := stream.Read(buffer)
		if n > 0 {
			_, _ = r.sums[i].Write(buffer[:n]) // it never fails
			if all := r.bytes.Add(int64(n)); r.limit > 0 && all > r.limit {
				if !r.over.Swap(true) {
					r.process.kill()
				}
				n = max(0, n-int(all-r.limit))
			}
			if failed := r.push(i, cleaner.Write(buffer[:n])); failed != nil {
				return failed
			}
		}
		if err != nil { // the end, which is EIO for a terminal, or the time for it is over
			r.rests[i].cut = !errors.Is(err, io.EOF) && !errors.Is(err, syscall.EIO)
			return nil
		}
	}
}

func (r *runner) redactor() *redact.Redactor {
	values := make([]string, 0, len(r.secrets))
	for _, value := range r.secrets {
		values = append(values, value)
	}
	rules := make([]redact.Rule, len(r.tool.Redact))
	for i, rule := range r.tool.Redact {
		rules[i] = redact.Rule{Pattern: rule.Pattern, Replace: rule.Replace}
	}
	return redact.New(values, rules)
}
