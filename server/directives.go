package server

import (
	"net/http"

	"gavel"
	"gavel/internal/strictjson"
)

// maxMessage is the longest message that is read, in bytes.
const maxMessage = 64 << 10

// postDirectives answers POST /v1/directives: it takes a message, and returns its text without
// directives and the result of each directive.
func (s *Server) postDirectives(w http.ResponseWriter, r *http.Request, from caller) error {
	if err := noQuery(r.URL); err != nil {
		return err
	}
	var message gavel.IncomingMessage
	if err := strictjson.Unmarshal(body(r), &message); err != nil {
		return err
	}
	switch {
	case len(message.Text) > maxMessage:
		return &gavel.InputError{Path: "/text", Message: "the message is longer than 65536 bytes", Fix: "send messages without directives to the agent directly"}
	case message.Call.Tool.Name != "" || message.Call.Message.Inline.Elevated != "":
		return &gavel.InputError{Path: "/call", Message: "a message is not a call of a tool, and its directives are in its text",
			Fix: "send agent, session, sender and group, without tool and message"}
	}
	if err := message.Call.Validate(false); err != nil {
		return err
	}
	if err := from.setCaller(&message.Call, "/call"); err != nil {
		return err
	}
	answer := s.cfg.PDP.CarryOutDirectives(r.Context(), *s.cfg.Directives, message, from.options(decideOptions{}))
	for i := range answer.Directives {
		if answer.Directives[i].RefusesElevation() {
			s.metrics.elevationRefused.Inc()
		}
	}
	s.respond(w, r, http.StatusOK, answer)
	return nil
}
