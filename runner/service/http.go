//go:build linux

package service

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"gavel"
	"gavel/internal/strictjson"
	"gavel/server"
)

// Handlers answer the two rows of the table of routes.
func (s *Service) Handlers() map[string]server.Handler {
	return map[string]server.Handler{"POST /v1/exec": handler(s.exec), "POST /v1/process": handler(s.process)}
}

func handler(answer func(context.Context, []byte, *gavel.CallerFacts) (any, error)) server.Handler {
	return func(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return &gavel.BodyError{Err: err}
		}
		speaks := from.Speaks
		if speaks == nil {
			speaks = &gavel.CallerFacts{} // a credential that speaks for no agent
		}
		result, err := answer(r.Context(), body, speaks)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		if err := strictjson.Write(w, result); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
		return nil
	}
}
