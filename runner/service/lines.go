//go:build linux

package service

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/internal/strictjson"
	"gavel/runner/sessions"
)

const (
	maxLine = 1 << 20 // bytes of a request
	maxOpen = 64      // requests of one caller that are not answered yet; the next ones wait
)

// errUnknown ends a connection whose caller is not known, or no longer.
var errUnknown = errors.New("the token is missing, unknown or no longer valid; send a token of the scope run with every line")

// Lines are the JSON lines of one caller. A request has an id, a tool and the body of the HTTP
// request, in exec or process; on a socket it has a token, too. Its answer has the id; events have
// none.
type Lines struct {
	service *Service
	// speaks is for whom the holder of a token may speak; it is nil for a caller that has started
	// this process, and may speak for everybody.
	speaks func(token string) (*gavel.CallerFacts, error)
	// holds reports whether a token still holds; nil with speaks.
	holds func(token string) bool

	mu  sync.Mutex
	out *json.Encoder
}

// lineRequest is one request.
type lineRequest struct {
	ID      jsontext.Value `json:"id"`
	Token   string         `json:"token"`
	Exec    jsontext.Value `json:"exec"`
	Process jsontext.Value `json:"process"`
}

// lineAnswer is one answer.
type lineAnswer struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// NewLines returns the lines of the process that started this one, with answers on out.
func NewLines(out io.Writer) *Lines { return &Lines{out: json.NewEncoder(out)} }

// Event writes an event.
func (l *Lines) Event(event sessions.Event) { l.write(event) }

func (l *Lines) write(value any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.out.Encode(value) // a caller that is gone closes its end, which ends the reading
}

// Serve answers requests beside one another, until the input ends or ctx does. The error is
// errUnknown if a line has no valid token.
func (l *Lines) Serve(ctx context.Context, service *Service, in io.Reader) error {
	l.service = service
	ctx, cancel := context.WithCancelCause(ctx)
	var open sync.WaitGroup
	defer open.Wait()
	defer cancel(nil)
	lines, slots := bufio.NewScanner(in), make(chan struct{}, maxOpen)
	lines.Buffer(nil, maxLine)
	for lines.Scan() && ctx.Err() == nil {
		request, err := readLine(lines.Bytes())
		var speaks *gavel.CallerFacts
		if l.speaks != nil {
			var unknown error
			if speaks, unknown = l.speaks(request.Token); unknown != nil {
				l.write(lineAnswer{ID: idOf(request), Error: errors.Join(err, unknown).Error()})
				return unknown
			}
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		open.Go(func() {
			defer func() { <-slots }()
			answer := l.answer(ctx, request, err, speaks)
			if l.holds != nil && !l.holds(request.Token) { // it was revoked meanwhile
				answer = lineAnswer{ID: answer.ID, Error: errUnknown.Error()}
			}
			l.write(answer)
		})
	}
	if err := lines.Err(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("read a request: %w", err)
	}
	return nil
}

// readLine reads one request. A request without a tool, or with two, has its id and token beside the
// error; a line that is not JSON of this form has the error only.
func readLine(line []byte) (request lineRequest, err error) {
	if err := strictjson.Unmarshal(line, &request); err != nil {
		return lineRequest{}, err
	}
	request.ID, request.Exec, request.Process = request.ID.Clone(), request.Exec.Clone(), request.Process.Clone()
	if (request.Exec == nil) == (request.Process == nil) {
		return request, errors.New("a request has either exec or process")
	}
	return request, nil
}

func idOf(request lineRequest) json.RawMessage {
	if request.ID == nil {
		return json.RawMessage("null")
	}
	return json.RawMessage(request.ID)
}

func (l *Lines) answer(ctx context.Context, request lineRequest, wrong error, speaks *gavel.CallerFacts) lineAnswer {
	answer, err := lineAnswer{ID: idOf(request)}, wrong
	switch {
	case err != nil:
	case request.Exec != nil:
		answer.Result, err = l.service.exec(ctx, request.Exec, speaks)
	default:
		answer.Result, err = l.service.process(ctx, request.Process, speaks)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}
