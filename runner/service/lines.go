//go:build linux

package service

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"gavel/runner/sessions"
)

// maxLine is the size of the longest request.
const maxLine = 1 << 20

// Lines are the JSON lines of one caller, who may speak for everybody: it has started this
// process. A request has an id, a tool and the body of the HTTP request, in exec or process. Its
// answer has the id; events have none.
type Lines struct {
	service *Service
	mu      sync.Mutex
	out     *json.Encoder
}

// lineAnswer is one answer.
type lineAnswer struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// NewLines answers on out.
func NewLines(out io.Writer) *Lines { return &Lines{out: json.NewEncoder(out)} }

// Event writes an event.
func (l *Lines) Event(event sessions.Event) { l.write(event) }

func (l *Lines) write(value any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.out.Encode(value) // a caller that is gone closes its end, which ends the reading
}

// Serve answers requests beside one another, until the input ends or ctx does.
func (l *Lines) Serve(ctx context.Context, service *Service, in io.Reader) error {
	l.service = service
	ctx, cancel := context.WithCancel(ctx)
	var open sync.WaitGroup
	defer open.Wait()
	defer cancel()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() && ctx.Err() == nil {
		line := append([]byte{}, lines.Bytes()...)
		open.Go(func() { l.write(l.answer(ctx, line)) })
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read a request: %w", err)
	}
	return nil
}

func (l *Lines) answer(ctx context.Context, line []byte) lineAnswer {
	var request struct {
		ID      json.RawMessage `json:"id"`
		Exec    json.RawMessage `json:"exec"`
		Process json.RawMessage `json:"process"`
	}
	err := json.Unmarshal(line, &request)
	answer := lineAnswer{ID: request.ID}
	if answer.ID == nil {
		answer.ID = json.RawMessage("null")
	}
	switch {
	case err != nil:
	case (request.Exec == nil) == (request.Process == nil):
		err = fmt.Errorf("a request has either exec or process")
	case request.Exec != nil:
		answer.Result, err = l.service.exec(ctx, request.Exec, nil)
	default:
		answer.Result, err = l.service.process(ctx, request.Process, nil)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}
