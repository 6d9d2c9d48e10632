package server

import (
	"net/http"

	"gavel/internal/strictjson"
)

// postTools answers POST /v1/tools: a call without a tool in, every tool out,
// and why each hidden one is hidden.
func (s *Server) postTools(w http.ResponseWriter, r *http.Request, from caller) error {
	if err := noQuery(r.URL); err != nil {
		return err
	}
	call, err := strictjson.DecodeCall(body(r), false)
	if err != nil {
		return err
	}
	if err := from.setCaller(&call, ""); err != nil {
		return err
	}
	s.respond(w, r, http.StatusOK, s.cfg.PDP.Tools(r.Context(), call))
	return nil
}
