package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/cedar-policy/cedar-go"
	"github.com/go-chi/chi/v5"
	opa "github.com/open-policy-agent/opa/v1/rego"
)

// Serve runs a peer that is embedded in this program. The program is started again with the arguments
// "serve KIND ADDRESS …", so that the peer has its own process.
func Serve(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return errors.New("serve takes a kind, an address and the arguments of the kind")
	}
	handle, err := handler(ctx, args[0], args[2:])
	if err != nil {
		return err
	}
	router := chi.NewRouter()
	router.Post("/v1/decisions", handle)
	server := &http.Server{Handler: router, ReadHeaderTimeout: time.Second}
	listener, err := net.Listen("tcp", args[1])
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func handler(ctx context.Context, kind string, args []string) (http.HandlerFunc, error) {
	switch {
	case kind == "echo" && len(args) == 0:
		return echo, nil
	case kind == "plain" && len(args) == 2:
		query, err := EmbeddedOPA(ctx, args[0], args[1])
		return opaHandler(query), err
	case kind == "cedar" && len(args) == 1:
		return cedarTools(args[0])
	default:
		return nil, fmt.Errorf("serve %s %q: the kind is unknown, or it takes other arguments", kind, args)
	}
}

// echo reads the request and answers without a decision. Its rate is the upper limit for all others.
func echo(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"decision":"allow"}`)
}

// opaHandler answers requests in the format of OPA's API with a prepared query.
func opaHandler(query opa.PreparedEvalQuery) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		results, err := query.Eval(r.Context(), opa.EvalInput(body["input"]))
		if err != nil || len(results) == 0 {
			http.Error(w, fmt.Sprint("no result: ", err), http.StatusInternalServerError)
			return
		}
		respond(w, map[string]any{"result": results[0].Expressions[0].Value})
	}
}

// cedarTools decides with cedar-go which tool an agent may call.
func cedarTools(file string) (http.HandlerFunc, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	policies, err := cedar.NewPolicySetFromBytes(file, text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	entities := cedar.EntityMap{}
	for _, tool := range []string{"read", "write", "edit", "exec", "process"} {
		uid := cedar.NewEntityUID("Tool", cedar.String(tool))
		entities[uid] = cedar.Entity{UID: uid, Parents: cedar.NewEntityUIDSet(cedar.NewEntityUID("Group", "coding"))}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Agent struct{ ID cedar.String }
			Tool  struct{ Name cedar.String }
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		decision, why := cedar.Authorize(policies, entities, cedar.Request{Principal: cedar.NewEntityUID("Agent", call.Agent.ID),
			Action: cedar.NewEntityUID("Action", "call"), Resource: cedar.NewEntityUID("Tool", call.Tool.Name)})
		respond(w, map[string]any{"decision": decision.String(), "reasons": why.Reasons})
	}, nil
}

func respond(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // fails if the client has disconnected
}
