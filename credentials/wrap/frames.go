package wrap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gavel/credentials/wire"
)

// frames reads the daemon's answers. Before anything of a tool counts, the daemon must have shown that
// it knows the secret.
type frames struct {
	in      *bufio.Reader
	frames  *wire.Frames // of in
	request *wire.Request
	secret  []byte
	proven  bool
}

func (f *frames) next() (wire.Message, error) {
	if start, _ := f.in.Peek(1); string(start) == "{" { // a bare error: a frame of this length is too long
		return f.bare()
	}
	message, err := f.frames.Next()
	switch {
	case errors.Is(err, io.EOF):
		return message, errors.New("the credential daemon ended the connection")
	case err != nil:
		return message, fmt.Errorf("read from the credential daemon: %w", err)
	case message.Type == wire.TypeError && message.Message == wire.TextBusy:
		return message, errBusy
	case message.Type == wire.TypeError:
	case message.Type == wire.TypeProof:
		if !f.request.Proves(f.secret, message.Data) {
			return message, errors.New("the credential daemon does not know the secret: something else listens on its socket")
		}
		f.proven = true
	case message.Type == wire.TypeFile:
		return message, errors.New("the credential daemon named a file in place of output, as old ones do")
	case !f.proven:
		return message, errors.New("the credential daemon did not prove that it knows the secret")
	}
	return message, nil
}

// bare reads an error that is in no frame: the daemon refused before it knew what was asked.
func (f *frames) bare() (wire.Message, error) {
	var answer struct {
		Error string `json:"error"`
	}
	text, err := io.ReadAll(io.LimitReader(f.in, wire.MaxRequest))
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	switch {
	case err != nil:
		return wire.Message{}, fmt.Errorf("read from the credential daemon: %w", err)
	case answer.Error == wire.TextBusy:
		return wire.Message{}, errBusy
	}
	return wire.Message{Type: wire.TypeError, Message: answer.Error}, nil
}

// show writes what the tool writes, and returns its exit status.
func show(cfg *Config, frames *frames, message wire.Message) (int, error) {
	for {
		var err error
		switch message.Type {
		case wire.TypeStdout:
			_, err = cfg.Stdout.Write(message.Data)
		case wire.TypeStderr:
			_, err = cfg.Stderr.Write(message.Data)
		case wire.TypeError:
			return Failed, fmt.Errorf("daemon error: %s", strings.ToValidUTF8(message.Message, "?"))
		case wire.TypeDone:
			if message.Timeout {
				return message.ExitCode & 0xff, fmt.Errorf("%s took too long, and was stopped", cfg.Tool)
			}
			return message.ExitCode & 0xff, nil
		}
		if err != nil {
			return Failed, fmt.Errorf("write output: %w", err)
		}
		if message, err = frames.next(); err != nil {
			return Failed, err
		}
	}
}
