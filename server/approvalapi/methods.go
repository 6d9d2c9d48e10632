package approvalapi

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/approvals/view"
)

// rpcWait waits for the answer to an existing question, for example after a connection was lost.
// Only operators and the asker may wait.
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
	known, err := a.findExact(ctx, strings.TrimSpace(p.ID), c.from)
	if err != nil {
		return nil, err
	}
	return &pendingRequest{approval: known.ID}, nil
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
	shown, err := a.resolve(ctx, approvals.Resolution{ID: p.ID, Answer: p.Decision, Comment: p.Comment, By: c.from.Credential, Person: c.from.Person, Issue: c.from.Issue, From: c.from.From})
	if err != nil {
		return nil, err
	}
	return struct {
		OK      bool   `json:"ok"`
		ID      string `json:"id"`
		State   string `json:"state"`
		Warning string `json:"warning,omitempty"`
	}{true, shown.ID, shown.State, shown.Warning}, nil
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
	shown := view.Show(found)
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
	}{shown.ID, shown.Request.Command, shown.Request.Given, shown.Decisions, shown.Request.Host, shown.Request.Node, shown.Request.Agent,
		shown.ExpiresAt.UnixMilli(), shown.Notes}, nil
}

func (a *API) rpcList(ctx context.Context, c rpcCall) (any, error) {
	var p struct {
		Limit  *int   `json:"limit"`
		Cursor string `json:"cursor"`
	}
	if err := params(c.Params, &p); err != nil {
		return nil, err
	}
	limit := strconv.Itoa(maxPage)
	if p.Limit != nil {
		limit = strconv.Itoa(*p.Limit)
	}
	shown, err := parsePage(limit, p.Cursor)
	if err != nil {
		return nil, err
	}
	list, err := a.cfg.People.List(ctx)
	if err != nil {
		return nil, err
	}
	list, next := shown.slice(list)
	type item struct {
		ID        string       `json:"id"`
		Request   view.Request `json:"request"`
		CreatedAt int64        `json:"createdAtMs"`
		ExpiresAt int64        `json:"expiresAtMs"`
		// Next is the cursor of the next page, with the last of this one.
		Next string `json:"next,omitempty"`
	}
	items := make([]item, len(list))
	for i := range list {
		shown := view.Show(list[i])
		items[i] = item{shown.ID, shown.Request, shown.CreatedAt.UnixMilli(), shown.ExpiresAt.UnixMilli(), ""}
	}
	if next != "" {
		items[len(items)-1].Next = next
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
	if p.File == nil {
		return nil, invalidFile()
	}
	base, err := a.cfg.File.Get()
	if err != nil {
		return nil, err
	}
	if err := a.cfg.File.Valid(p.File); err != nil {
		return nil, err
	}
	if err := base.CheckBase(value(p.BaseHash)); err != nil {
		return nil, err
	}
	edited := base
	pending, err := a.editList(ctx, edit{base: base, next: p.File, from: c.from, apply: func(ctx context.Context) (err error) {
		edited, err = a.cfg.File.Set(ctx, p.File, value(p.BaseHash))
		return err
	}})
	if err != nil {
		return nil, err
	}
	return struct {
		allowlist.Snapshot
		Pending *pendingView `json:"pending,omitempty"`
	}{edited, viewPending(pending)}, nil
}

func invalidFile() error {
	return &gavel.ApprovalError{Code: gavel.CodeAllowlistInvalid, Message: "exec approvals file is required", Fix: "send it as file"}
}

// Nodes gives access to the approvals files of other machines.
type Nodes interface {
	// Call runs a method on a node and returns its result as JSON.
	Call(ctx context.Context, node, method string, params []byte) ([]byte, error)
}

// rpcNode reads or edits the file of a node. An edit needs the agreement of the same people as an
// edit of this server's own file. The node checks it again.
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
	if strings.HasSuffix(c.Method, ".set") {
		if len(p.File) == 0 {
			return nil, invalid("exec approvals file is required")
		}
		return a.setNode(ctx, node, p.File, value(p.BaseHash), c.from)
	}
	result, err := a.cfg.Nodes.Call(ctx, node, "exec.approvals.get", []byte("{}"))
	if err != nil {
		return nil, err
	}
	return jsontext.Value(result), nil
}

// setNode edits a node's file, or asks others to agree first.
func (a *API) setNode(ctx context.Context, node string, file []byte, baseHash string, from gavel.Caller) (any, error) {
	next, err := allowlist.Parse(file)
	if err != nil {
		return nil, &gavel.ApprovalError{Code: gavel.CodeAllowlistInvalid, Message: err.Error(), Fix: "see docs/approvals.md for the format of the file"}
	}
	lists := Lists{a.cfg.File, a.cfg.Nodes}
	base, err := lists.read(ctx, node)
	if err != nil {
		return nil, err
	}
	if err := base.CheckBase(baseHash); err != nil {
		return nil, err
	}
	if base.File == nil {
		base.File = &allowlist.Document{Version: 1}
	}
	var result []byte
	pending, err := a.editList(ctx, edit{node: node, base: base, next: next, from: from, apply: func(ctx context.Context) (err error) {
		result, err = lists.set(ctx, node, file, baseHash)
		return err
	}})
	if err != nil {
		return nil, err
	}
	if pending != nil {
		return struct {
			allowlist.Snapshot
			Pending *pendingView `json:"pending"`
		}{base, viewPending(pending)}, nil
	}
	return jsontext.Value(result), nil
}

func unavailable(node string, err error) error {
	return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: fmt.Sprintf("node %q is not available", node),
		Fix: "add it under STATE/nodes, and check that its gavel serve is running", Err: err}
}
