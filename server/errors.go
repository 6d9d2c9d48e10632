package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"gavel"
	"gavel/internal/strictjson"
)

// Codes of HTTP errors. They are part of the API; renaming one breaks clients.
const (
	codeMalformedJSON    = "malformed_json"
	codeInvalidCall      = "invalid_call"
	codeInvalidQuery     = "invalid_query"
	codeBodyIncomplete   = "body_incomplete"
	codeUnauthenticated  = "unauthenticated"
	codeScopeRequired    = "scope_required"
	codeOriginRefused    = "origin_refused"
	codeHostRefused      = "host_refused"
	codePeerRefused      = "peer_refused"
	codeNotFound         = "not_found"
	codeMethodNotAllowed = "method_not_allowed"
	codeBodyTimeout      = "body_timeout"
	codeBodyTooLarge     = "body_too_large"
	codeBatchTooLarge    = "batch_too_large"
	codeUnsupportedMedia = "unsupported_media_type"
	codeTooManyConns     = "too_many_connections"
	codeNoPolicy         = "no_policy"
	codeInternal         = "internal"
)

// statusOf returns the HTTP status of a code. It is the only table of errors.
func statusOf(code string) int {
	switch code {
	case codeMalformedJSON, codeInvalidCall, codeInvalidQuery, codeBodyIncomplete:
		return http.StatusBadRequest
	case codeUnauthenticated:
		return http.StatusUnauthorized
	case codeScopeRequired, codeOriginRefused, codeHostRefused, codePeerRefused:
		return http.StatusForbidden
	case codeNotFound:
		return http.StatusNotFound
	case codeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case gavel.CodeApprovalIDTooShort, gavel.CodeInvalidAnswer, gavel.CodeCommentTooLong, gavel.CodeAllowlistInvalid,
		gavel.CodeBaseHashRequired, gavel.CodeGrantInvalid:
		return http.StatusBadRequest
	case gavel.CodeSelfApproval, gavel.CodeNotApprover, gavel.CodePersonRequired:
		return http.StatusForbidden
	case gavel.CodeApprovalNotFound:
		return http.StatusNotFound
	case gavel.CodeApprovalAmbiguous, gavel.CodeApprovalExpired, gavel.CodeApprovalResolved, gavel.CodeApprovalVoted,
		gavel.CodeApprovalConsumed, gavel.CodeApprovalExists, gavel.CodeApprovalConflict, gavel.CodeApprovalUnbound,
		gavel.CodeAnswerUnavailable, gavel.CodeBaseHashStale, gavel.CodeGrantExpired, gavel.CodeGrantMismatch, gavel.CodeGrantUsed:
		return http.StatusConflict
	case gavel.CodeApprovalsFull, gavel.CodeTooManyWaiting, gavel.CodeTooManyRequests, gavel.CodeTooManyBytes, codeTooManyConns:
		return http.StatusTooManyRequests
	case gavel.CodeApprovalsUnavailable, gavel.CodeAllowlistCorrupt, gavel.CodeAllowlistUnsafe:
		return http.StatusServiceUnavailable
	case codeBodyTimeout:
		return http.StatusRequestTimeout
	case codeBodyTooLarge, codeBatchTooLarge, gavel.CodeApprovalTooLarge:
		return http.StatusRequestEntityTooLarge
	case codeUnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case gavel.CodeServerFull, codeNoPolicy, gavel.CodePausesUnusable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// apiError is the error that a caller receives.
type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	// Path is a JSON pointer into the body. Line and Column, from 1, are set if the body is not
	// valid JSON.
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Details are matching ids, or fields that differ.
	Details []string `json:"details,omitempty"`
}

// Error returns code and message.
func (e *apiError) Error() string { return e.Code + ": " + e.Message }

// errorBody is the body of every error.
type errorBody struct {
	Error *apiError `json:"error"`
}

// classify turns any error into one that a caller may see. An unknown error becomes an internal
// error without details.
func classify(err error) *apiError {
	var known *apiError
	var syntax *strictjson.Error
	var input *gavel.InputError
	var answer *gavel.ApprovalError
	var unread *gavel.BodyError
	var busy *gavel.BusyError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &busy):
		return &apiError{Code: busy.Code, Message: busy.Message, Fix: busy.Fix}
	case errors.As(err, &unread):
		return readError(unread.Err)
	case errors.As(err, &syntax):
		message := fmt.Sprintf("line %d, column %d: %s", syntax.Line, syntax.Column, syntax.Message)
		code := codeMalformedJSON
		if syntax.TooLarge {
			code = codeBodyTooLarge
		}
		return &apiError{Code: code, Message: message, Fix: syntax.Fix,
			Path: syntax.Path, Line: syntax.Line, Column: syntax.Column}
	case errors.As(err, &input):
		return &apiError{Code: codeInvalidCall, Message: input.Message, Fix: input.Fix, Path: input.Path}
	case errors.As(err, &answer):
		return &apiError{Code: answer.Code, Message: answer.Message, Fix: answer.Fix, Details: answer.Details}
	case errors.Is(err, strictjson.ErrTooManyCalls):
		return &apiError{Code: codeBatchTooLarge, Message: err.Error(), Fix: "send several batches"}
	default:
		if full := gavel.DiskFullError(err); full != nil {
			return classify(full)
		}
		return &apiError{Code: codeInternal, Message: "an internal error occurred",
			Fix: "report this with the server's log"}
	}
}

func errNoPauses() error {
	return &apiError{Code: gavel.CodePausesUnusable, Message: "this server does not support pauses", Fix: "run gavel serve"}
}

// pauseError returns the error for pauses that cannot be read or changed.
func pauseError(err error) error {
	var input *gavel.InputError
	if errors.As(err, &input) {
		return err
	}
	return &apiError{Code: gavel.CodePausesUnusable, Message: err.Error(), Fix: "repair agents.json in the state directory"}
}

// readError returns the error for a body that could not be read.
func readError(err error) *apiError {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return errTooLarge(tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &apiError{Code: codeBodyTimeout, Message: "the body did not arrive in time", Fix: "send the whole body without delay"}
	default:
		return &apiError{Code: codeBodyIncomplete, Message: "the body ended early",
			Fix: "send as many bytes as Content-Length says"}
	}
}

func errTooLarge(limit int64) *apiError {
	return &apiError{Code: codeBodyTooLarge, Message: fmt.Sprintf("the body is larger than %d bytes", limit),
		Fix: "send a smaller one"}
}

// hidden returns an error with secrets masked, because it may quote the request.
func (s *Server) hidden(e *apiError) *apiError {
	shown := *e
	shown.Details = slices.Clone(e.Details)
	texts := []*string{&shown.Message, &shown.Fix, &shown.Path}
	for i := range shown.Details {
		texts = append(texts, &shown.Details[i])
	}
	for _, text := range texts {
		*text, _ = s.masker.Text(*text)
	}
	return &shown
}

// fail writes an error with the headers that belong to its code.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := s.hidden(classify(err))
	switch e.Code {
	case codeUnauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case codeMethodNotAllowed:
		w.Header().Set("Allow", strings.Join(s.methods(r.URL.Path), ", "))
	case gavel.CodeServerFull, gavel.CodeTooManyWaiting, gavel.CodeTooManyRequests, gavel.CodeTooManyBytes, codeTooManyConns, codeNoPolicy:
		w.Header().Set("Retry-After", "1")
	case codeInternal:
		s.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	if answer := (*gavel.ApprovalError)(nil); errors.As(err, &answer) && answer.Err != nil || gavel.DiskFullError(err) != nil { // the answer does not have the cause
		s.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	if !s.failHook(w, r, e) {
		s.respond(w, r, statusOf(e.Code), errorBody{e})
	}
}
