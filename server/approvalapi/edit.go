package approvalapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/internal/strictjson"
)

// Lists gives access to the allowlist files that people may agree to edit: this server's own, and
// those of nodes.
type Lists struct {
	File  *allowlist.File
	Nodes Nodes // nil if there are none
}

var _ approvals.Editor = Lists{}

// Base implements approvals.Editor.
func (l Lists) Base(ctx context.Context, node string) (string, error) {
	snapshot, err := l.read(ctx, node)
	if err != nil {
		return "", err
	}
	return allowlist.Base(snapshot.File), nil
}

// Replace implements approvals.Editor.
func (l Lists) Replace(ctx context.Context, node string, document []byte, base string) error {
	next, err := allowlist.Parse(document)
	if err != nil {
		return &gavel.ApprovalError{Code: gavel.CodeAllowlistInvalid, Message: "the edit cannot be read: " + err.Error(), Fix: "propose it again"}
	}
	if node == "" {
		return l.File.Agree(next, base)
	}
	snapshot, err := l.read(ctx, node)
	if err != nil {
		return err
	}
	if allowlist.Base(snapshot.File) != base {
		return &gavel.ApprovalError{Code: gavel.CodeBaseHashStale, Message: "the node's list has changed since the edit was proposed", Fix: "propose it again"}
	}
	_, err = l.set(ctx, node, document, snapshot.Hash)
	return err
}

// Section implements approvals.Editor.
func (l Lists) Section(agent string) string { return l.File.Section(agent) }

// read reads the current file of a node, or of this server for "".
func (l Lists) read(ctx context.Context, node string) (allowlist.Snapshot, error) {
	if node == "" {
		return l.File.Get()
	}
	if l.Nodes == nil {
		return allowlist.Snapshot{}, unavailable(node, nil)
	}
	answer, err := l.Nodes.Call(ctx, node, "exec.approvals.get", []byte("{}"))
	if err != nil {
		return allowlist.Snapshot{}, err
	}
	var snapshot allowlist.Snapshot
	if err := json.Unmarshal(answer, &snapshot); err != nil {
		return allowlist.Snapshot{}, unavailable(node, err)
	}
	return snapshot, nil
}

// set makes a node replace its file, if the file's hash is still hash.
func (l Lists) set(ctx context.Context, node string, document []byte, hash string) ([]byte, error) {
	passed, err := json.Marshal(map[string]any{"file": json.RawMessage(document), "baseHash": hash})
	if err != nil {
		return nil, err
	}
	return l.Nodes.Call(ctx, node, "exec.approvals.set", passed)
}

// edit is an edit of a file by a caller.
type edit struct {
	node  string
	base  allowlist.Snapshot // the file before the edit
	next  *allowlist.Document
	from  gavel.Caller
	apply func(context.Context) error
}

// editList makes an edit, or returns the question to the people who must agree to it.
func (a *API) editList(ctx context.Context, e edit) (*gavel.Approval, error) {
	change := allowlist.Compare(e.base.File, e.next)
	kept := *e.next
	kept.Socket = nil // it is not part of an edit
	document, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	pending, err := a.cfg.People.EditList(ctx, approvals.Edit{Node: e.node, Document: document, Base: allowlist.Base(e.base.File), Agents: change.Agents,
		Loosens: change.Loosens, Admits: change.Admits, Settings: change.Settings, Before: change.Before, After: change.After, Summary: change.Summary,
		By: e.from, Apply: e.apply})
	if err == nil {
		a.log.Info("allowlist edited", "by", e.from.Credential, "node", e.node, "pending", pending != nil)
	}
	return pending, err
}

// pendingView shows an editor the question to the people who must agree.
type pendingView struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expiresAt"`
	Quorum    int       `json:"quorum"`
	Votes     int       `json:"votes"`
}

func viewPending(a *gavel.Approval) *pendingView {
	if a == nil {
		return nil
	}
	return &pendingView{a.ID, a.ExpiresAt, max(a.Terms.Quorum, 1), len(a.Votes)}
}

// respondAccepted writes v with status 202: others must agree first.
func respondAccepted(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_ = strictjson.Write(w, v) // it fails only if the client is gone
	return nil
}
