package approvalapi

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/view"
	"gavel/internal/strictjson"
)

// eventView is the content of an event.
type eventView struct {
	view.Approval
	At int64 `json:"ts"` // milliseconds since 1970
}

// getEvents answers GET /v1/approvals/events with server-sent events: first the open approvals, then
// every change. A client that is too slow is disconnected, and must connect again.
func (a *API) getEvents(w http.ResponseWriter, r *http.Request, _ gavel.Caller) error {
	ctx, cancel := a.untilStopped(r.Context())
	defer cancel()
	events := a.cfg.People.Subscribe() // before List, so that nothing is missed in between
	defer events.Cancel()
	open, err := a.cfg.People.List(ctx)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	stream := &stream{w: w, control: http.NewResponseController(w)}
	stream.send([]byte(": these are open\n\n"))
	listed := map[string]bool{} // a listed approval may also be queued as an event
	for _, approval := range open {
		listed[approval.ID] = true
		stream.event(approvals.EventRequested, view.Show(approval), a.cfg.PDP.Now())
	}
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for stream.err == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-ping.C:
			stream.send([]byte(": still here\n\n"))
		case event, ok := <-events.C:
			if !ok {
				return nil
			}
			if event.Name == approvals.EventRequested && listed[event.Approval.ID] {
				continue
			}
			stream.event(event.Name, view.Show(event.Approval), a.cfg.PDP.Now())
		}
	}
	return nil
}

// stream writes events, each with its own time limit.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (s *stream) event(name string, shown view.Approval, now time.Time) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "event: %s\nid: %s\ndata: ", name, shown.ID)
	if s.err = strictjson.Write(&text, eventView{shown, now.UnixMilli()}); s.err != nil {
		return
	}
	text.WriteByte('\n')
	s.send(text.Bytes())
}

func (s *stream) send(text []byte) {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime)) // real time, not the clock of decisions
	if _, s.err = s.w.Write(text); s.err == nil {
		s.err = s.control.Flush()
	}
}
