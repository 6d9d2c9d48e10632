package api

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
)

// rpcWait waits for the answer to a question that was asked before, as after a
// connection was lost. Only operators and who asked may.
func (a *API) rpcWait(ctx context.Context, c rpcCall) (any, error) {
	var p struct {
		ID string `json:"id"`
	}
	if err := params(c.Params, &p); err != nil {
		return nil, err
	}
	if strings.TrimSpace(p.ID) == "" {
		return nil, invalid("id is required")
	}
	known, err := a.exactly(ctx, strings.TrimSpace(p.ID), c.from)
	if err != nil {
		return nil, err
	}
	return &waits{approval: known.ID}, nil
}

func (a *API) rpcResolve(ctx context.Context, c rpcCall) (any, error) {
	var p struct {
		ID       string `json:"id"`
		Decision string `json:"decision"`
		Comment  string `json:"comment"`
	}
	if err := params(c.Params, &p); err != nil {
		return nil, err
	}
	view, err := a.resolve(ctx, approvals.Resolution{ID: p.ID, Answer: p.Decision, Comment: p.Comment, By: c.from.Credential})
	if err != nil {
		return nil, err
	}
	return struct {
		OK      bool   `json:"ok"`
		ID      string `json:"id"`
		State   string `json:"state"`
		Warning string `json:"warning,omitempty"`
	}{true, view.ID, view.State, view.Warning}, nil
}

func (a *API) rpcGet(ctx context.Context, c rpcCall) (any, error) {
	var p struct {
		ID string `json:"id"`
	}
	if err := params(c.Params, &p); err != nil {
		return nil, err
	}
	found, err := a.cfg.People.Find(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	view := Show(found)
	return struct {
		ID          string   `json:"id"`
		CommandText string   `json:"commandText"`
		Preview     string   `json:"commandPreview"`
		Allowed     []string `json:"allowedDecisions"`
		Host        string   `json:"host"`
		NodeID      string   `json:"nodeId,omitempty"`
		AgentID     string   `json:"agentId"`
		ExpiresAt   int64    `json:"expiresAtMs"`
		Notes       []string `json:"notes,omitempty"`
	}{view.ID, view.Request.Command, view.Request.Given, view.Decisions, view.Request.Host, view.Request.Node, view.Request.Agent,
		view.ExpiresAt.UnixMilli(), view.Notes}, nil
}

func (a *API) rpcList(ctx context.Context, c rpcCall) (any, error) {
	if err := params(c.Params, &struct{}{}); err != nil {
		return nil, err
	}
	list, err := a.cfg.People.List(ctx)
	if err != nil {
		return nil, err
	}
	type item struct {
		ID        string  `json:"id"`
		Request   Request `json:"request"`
		CreatedAt int64   `json:"createdAtMs"`
		ExpiresAt int64   `json:"expiresAtMs"`
	}
	items := make([]item, len(list))
	for i := range list {
		view := Show(list[i])
		items[i] = item{view.ID, view.Request, view.CreatedAt.UnixMilli(), view.ExpiresAt.UnixMilli()}
	}
	return items, nil
}

func (a *API) rpcFile(_ context.Context, c rpcCall) (any, error) {
	if err := params(c.Params, &struct{}{}); err != nil {
		return nil, err
	}
	return a.cfg.File.Get()
}

func (a *API) rpcSet(ctx context.Context, c rpcCall) (any, error) {
	var p struct {
		File     *allowlist.Document `json:"file"`
		BaseHash *string             `json:"baseHash"`
	}
	if err := params(c.Params, &p); err != nil {
		return nil, err
	}
	snapshot, err := a.cfg.File.Set(ctx, p.File, value(p.BaseHash))
	if err != nil {
		return nil, err
	}
	a.log.Info("allowlist replaced", "by", c.from.Credential)
	return snapshot, nil
}

// Nodes are other machines whose approvals file is read and written through here.
type Nodes interface {
	// Call runs a method on a node and returns its result as JSON.
	Call(ctx context.Context, node, method string, params []byte) ([]byte, error)
}

// rpcNode passes a method on to a node. Whoever changes its file is logged here; the
// node knows this server.
func (a *API) rpcNode(ctx context.Context, c rpcCall) (any, error) {
	var p struct {
		NodeID   string         `json:"nodeId"`
		File     jsontext.Value `json:"file"`
		BaseHash *string        `json:"baseHash"`
	}
	if err := params(c.Params, &p); err != nil {
		return nil, err
	}
	node := strings.TrimSpace(p.NodeID)
	if node == "" {
		return nil, invalid("nodeId required")
	}
	if a.cfg.Nodes == nil {
		return nil, unavailable(node, nil)
	}
	method, passed := "exec.approvals.get", []byte("{}")
	if strings.HasSuffix(c.Method, ".set") {
		if len(p.File) == 0 {
			return nil, invalid("exec approvals file is required")
		}
		method = "exec.approvals.set"
		var err error
		if passed, err = json.Marshal(map[string]any{"file": p.File, "baseHash": value(p.BaseHash)}); err != nil {
			return nil, err
		}
	}
	result, err := a.cfg.Nodes.Call(ctx, node, method, passed)
	if err != nil {
		return nil, err
	}
	a.log.Info("approvals file of a node", "node", node, "method", method, "by", c.from.Credential)
	return jsontext.Value(result), nil
}

func unavailable(node string, err error) error {
	return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: fmt.Sprintf("node %q is not available", node),
		Fix: "name it under STATE/nodes, and see that its gavel serve answers", Err: err}
}
