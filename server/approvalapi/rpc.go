package approvalapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/internal/rescue"
	"gavel/internal/strictjson"
	"gavel/server/access"
)

// Codes of JSON-RPC 2.0.
const (
	rpcParse    = -32700
	rpcRequest  = -32600
	rpcMethod   = -32601
	rpcParams   = -32602
	rpcInternal = -32603
	rpcRefused  = -32000 // data.code has the reason
)

// request is one JSON-RPC request.
type request struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  jsontext.Value `json:"params"`
	Token   string         `json:"token"` // on the unix socket of the approvals file
}

// answer is one JSON-RPC response, or a notification.
type answer struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitempty"`
	Method  string         `json:"method,omitempty"`
	Params  any            `json:"params,omitempty"`
	Result  any            `json:"result,omitempty"`
	Error   *rpcError      `json:"error,omitempty"`
}

type rpcError struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Data    *rpcData `json:"data,omitempty"`
}

type rpcData struct {
	Code    string   `json:"code"`
	Reason  string   `json:"reason"` // the same as OpenClaw spells it: APPROVAL_NOT_FOUND
	Fix     string   `json:"fix,omitempty"`
	Details []string `json:"details,omitempty"`
}

// Error returns the message.
func (e *rpcError) Error() string { return e.Message }

// postRPC answers POST /rpc: one request, one response.
func (a *API) postRPC(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	text, err := body(w, r)
	if err != nil {
		return err
	}
	ctx, cancel := a.untilStopped(r.Context())
	defer cancel()
	first, later := a.start(ctx, &text, from)
	if later != nil {
		first = a.finish(ctx, later, nil)
	}
	return respond(w, first)
}

// start answers one message, or returns a pending request for [API.finish]. It sets text to nil, so
// that a request that waits for people does not keep it in memory. Errors are part of the answer.
func (a *API) start(ctx context.Context, text *[]byte, from gavel.Caller) (answer, *pendingRequest) {
	taken := *text
	*text = nil
	leave, err := a.cfg.Limiter.Enter(ctx, from.Credential, len(taken))
	if err != nil {
		return a.failed(nil, err), nil
	}
	defer leave()
	var q request
	if err := strictjson.Unmarshal(taken, &q); err != nil {
		return a.failed(nil, &rpcError{Code: rpcParse, Message: err.Error()}), nil
	}
	return a.perform(ctx, q, from)
}

// enter passes the limiter, and then calls perform.
func (a *API) enter(ctx context.Context, q request, from gavel.Caller) (answer, *pendingRequest) {
	leave, err := a.cfg.Limiter.Enter(ctx, from.Credential, len(q.Params))
	if err != nil {
		return a.failed(q.ID, err), nil
	}
	defer leave()
	return a.perform(ctx, q, from)
}

// pendingRequest is the part of a request that is kept while it waits for people.
type pendingRequest struct {
	id       jsontext.Value // of the request
	method   string
	from     gavel.Caller
	approval string
	accepted *decisionView // the first answer of two
	leave    func()
}

// maxID is the maximum length of a request's id, in bytes.
const maxID = 256

func (a *API) perform(ctx context.Context, q request, from gavel.Caller) (answer, *pendingRequest) {
	if q.Version != "2.0" || q.Method == "" || len(q.ID) > maxID {
		return a.failed(nil, &rpcError{Code: rpcRequest, Message: fmt.Sprintf(`a request has "jsonrpc": "2.0", a method, and an id of at most %d bytes`, maxID)}), nil
	}
	var result any
	err := rescue.Call(func() (err error) { // a panic must not end the process
		result, err = a.call(ctx, rpcCall{q, from})
		return err
	})
	if later, ok := result.(*pendingRequest); ok && err == nil {
		if later.leave, err = a.cfg.Limiter.Wait(from.Credential); err == nil {
			later.id, later.method, later.from = q.ID, q.Method, from
			return answer{}, later
		}
	}
	if err != nil {
		a.logFailure(q.Method, err)
		return a.failed(q.ID, a.stoppingError(err)), nil
	}
	return answer{Version: "2.0", ID: orNull(q.ID), Result: result}, nil
}

// finish waits until people have answered, and returns the answer. For a request in two phases,
// notify sends the first answer; if it is nil, only one answer can be sent, and finish returns the
// first one without waiting.
func (a *API) finish(ctx context.Context, w *pendingRequest, notify func(answer)) answer {
	defer w.leave()
	if w.accepted != nil {
		first := answer{Version: "2.0", ID: orNull(w.id), Result: *w.accepted}
		if notify == nil {
			return first
		}
		w.accepted = nil
		notify(first)
	}
	var result any
	err := rescue.Call(func() (err error) {
		result, err = a.waitFor(ctx, w.approval, w.from)
		return err
	})
	if err != nil {
		a.logFailure(w.method, err)
		return a.failed(w.id, a.stoppingError(err))
	}
	return answer{Version: "2.0", ID: orNull(w.id), Result: result}
}

// logFailure logs an error whose cause is not part of the answer.
func (a *API) logFailure(method string, err error) {
	var refused *gavel.ApprovalError
	shown := rpcErrorOf(err)
	if errors.As(err, &refused) && refused.Err != nil || gavel.DiskFullError(err) != nil || shown.Code == rpcInternal && !errors.Is(err, context.Canceled) {
		a.log.Error("a request failed", "method", method, "error", err, "stack", rescue.Stack(err))
	}
}

func orNull(id jsontext.Value) jsontext.Value {
	if len(id) == 0 {
		return jsontext.Value("null")
	}
	return id
}

func (a *API) failed(id jsontext.Value, err error) answer {
	return answer{Version: "2.0", ID: orNull(id), Error: a.withoutSecrets(rpcErrorOf(err))}
}

// withoutSecrets returns an error with secrets masked, because it may quote the request.
func (a *API) withoutSecrets(e *rpcError) *rpcError {
	shown := *e
	shown.Message, _ = a.masker.Text(e.Message)
	if e.Data == nil {
		return &shown
	}
	data := *e.Data
	data.Fix, _ = a.masker.Text(e.Data.Fix)
	data.Details = slices.Clone(e.Data.Details)
	for i, detail := range data.Details {
		data.Details[i], _ = a.masker.Text(detail)
	}
	shown.Data = &data
	return &shown
}

func rpcErrorOf(err error) *rpcError {
	var known *rpcError
	var refused *gavel.ApprovalError
	var input *gavel.InputError
	var syntax *strictjson.Error
	var busy *gavel.BusyError
	switch {
	case errors.As(err, &busy):
		return &rpcError{Code: rpcRefused, Message: busy.Message, Data: &rpcData{Code: busy.Code, Reason: strings.ToUpper(busy.Code), Fix: busy.Fix}}
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused):
		return &rpcError{Code: rpcRefused, Message: refused.Message,
			Data: &rpcData{Code: refused.Code, Reason: strings.ToUpper(refused.Code), Fix: refused.Fix, Details: refused.Details}}
	case errors.As(err, &input):
		return &rpcError{Code: rpcParams, Message: input.Error(), Data: &rpcData{Code: "invalid_call", Reason: "INVALID_REQUEST", Fix: input.Fix}}
	case errors.As(err, &syntax):
		return &rpcError{Code: rpcParams, Message: syntax.Error(), Data: &rpcData{Code: "malformed_json", Reason: "INVALID_REQUEST", Fix: syntax.Fix}}
	}
	if full := gavel.DiskFullError(err); full != nil {
		return rpcErrorOf(full)
	}
	return &rpcError{Code: rpcInternal, Message: "an internal error occurred"}
}

// rpcCall is one request on its way to the method that answers it.
type rpcCall struct {
	request
	from gavel.Caller
}

// method answers the requests of one row of the table of methods.
type method func(context.Context, rpcCall) (any, error)

// methods returns the methods of the table of methods, by their names.
func (a *API) methods() map[string]method {
	return map[string]method{
		"exec.approval.request":      a.rpcRequest,
		"exec.approval.waitDecision": a.rpcWait,
		"exec.approval.resolve":      a.rpcResolve,
		"exec.approval.get":          a.rpcGet,
		"exec.approval.list":         a.rpcList,
		"exec.approvals.get":         a.rpcFile,
		"exec.approvals.set":         a.rpcSet,
		"exec.approvals.node.get":    a.rpcNode,
		"exec.approvals.node.set":    a.rpcNode,
	}
}

// call runs a method if the caller has the right. Only methods in the table exist.
func (a *API) call(ctx context.Context, c rpcCall) (any, error) {
	for _, row := range access.Methods() {
		if row.Name != c.Method {
			continue
		}
		if !c.from.May(row.Need) {
			return nil, &rpcError{Code: rpcRefused, Message: "this credential's scope does not permit this",
				Data: &rpcData{Code: "scope_required", Reason: "SCOPE_REQUIRED", Fix: "use a token of the scope " + gavel.OneOf(gavel.TokenScopes(row.Need))}}
		}
		if answer, known := a.methods()[c.Method]; known {
			return answer(ctx, c)
		}
	}
	return nil, &rpcError{Code: rpcMethod, Message: "there is no method " + c.Method}
}

// params reads parameters strictly. Missing parameters count as an empty object.
func params(text jsontext.Value, v any) error { return strictjson.Unmarshal(orEmpty(text), v) }

func orEmpty(text jsontext.Value) jsontext.Value {
	if len(text) == 0 || string(text) == "null" {
		return jsontext.Value("{}")
	}
	return text
}
