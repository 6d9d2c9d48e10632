package allowlist

import (
	"context"
	"slices"
	"strings"

	"gavel"
)

// Snapshot is the file as operators see it: without the token.
type Snapshot struct {
	Path   string    `json:"path"`
	Exists bool      `json:"exists"`
	Hash   string    `json:"hash"` // hex SHA-256 of its bytes, or of no bytes if there is no file
	File   *Document `json:"file,omitempty"`
}

// Get returns the current file. A refused file is an error.
func (f *File) Get() (Snapshot, error) {
	f.reload()
	v := f.state.Load()
	if v.err != nil {
		return Snapshot{}, v.err
	}
	return f.snapshot(v), nil
}

func (f *File) snapshot(v *view) Snapshot {
	s := Snapshot{Path: f.cfg.Path, Exists: v.document != nil, Hash: hashOf(v.raw), File: &Document{Version: 1}}
	if v.document != nil {
		s.File = v.document.withoutToken()
	}
	return s
}

// Set replaces the file if its hash is still baseHash. The socket's path and token cannot be
// changed this way, because the token lets its holder answer. Codes: CodeBaseHashRequired,
// CodeBaseHashStale, CodeAllowlistInvalid.
func (f *File) Set(ctx context.Context, next *Document, baseHash string) (Snapshot, error) {
	if err := f.Valid(next); err != nil {
		return Snapshot{}, err
	}
	return f.edit(ctx, baseHash, func(d *Document) error {
		socket := d.Socket
		*d = *next
		d.Socket = socket
		return nil
	})
}

// Valid checks a proposed document, and normalises the ids of its agents.
func (f *File) Valid(next *Document) error {
	if next == nil {
		return invalid("exec approvals file is required")
	}
	if err := next.check(); err != nil {
		return invalid(err.Error())
	}
	if err := next.normalise(); err != nil {
		return invalid(err.Error())
	}
	if next.Socket == nil {
		return nil
	}
	own := &Socket{}
	if d := f.state.Load().document; d != nil && d.Socket != nil {
		own = d.Socket
	}
	if next.Socket.Token != "" && next.Socket.Token != own.Token || next.Socket.Path != "" && next.Socket.Path != own.Path {
		return invalid("socket: its path and token can be changed only in the file itself")
	}
	return nil
}

// SetAgent replaces one agent's section if the file's hash is still baseHash.
func (f *File) SetAgent(ctx context.Context, id string, agent Agent, baseHash string) (Snapshot, error) {
	id = gavel.Fold(id)
	if id == "" || id == "default" {
		return Snapshot{}, invalid("the agent's id is missing, or is not an agent id")
	}
	return f.edit(ctx, baseHash, func(d *Document) error {
		if d.Agents == nil {
			d.Agents = map[string]Agent{}
		}
		d.Agents[id] = agent
		if err := d.check(); err != nil {
			return invalid(err.Error())
		}
		return nil
	})
}

func (f *File) edit(ctx context.Context, baseHash string, change func(*Document) error) (Snapshot, error) {
	v, err := f.change(ctx, func(d *Document) (bool, error) {
		if err := checkBase(f.state.Load(), baseHash); err != nil {
			return false, err
		}
		return true, change(d)
	})
	if err != nil {
		return Snapshot{}, err
	}
	return f.snapshot(v), nil
}

func checkBase(now *view, baseHash string) error {
	return (&Snapshot{Exists: now.document != nil, Hash: hashOf(now.raw)}).CheckBase(baseHash)
}

// CheckBase returns an error if the editor has not read the file, or if the file has changed since.
// It checks this snapshot, because an edit must be compared with exactly the file that it replaces.
func (s *Snapshot) CheckBase(baseHash string) error {
	switch baseHash = strings.TrimSpace(baseHash); {
	case !s.Exists || baseHash == s.Hash:
		return nil
	case baseHash == "":
		return &gavel.ApprovalError{Code: gavel.CodeBaseHashRequired, Message: "exec approvals base hash required",
			Fix: "read the file, and send its hash as baseHash"}
	}
	return &gavel.ApprovalError{Code: gavel.CodeBaseHashStale, Message: "exec approvals changed since last load",
		Fix: "read the file again and repeat the change"}
}

func invalid(message string) error {
	return &gavel.ApprovalError{Code: gavel.CodeAllowlistInvalid, Message: message, Fix: "see docs/approvals.md for the format of the file"}
}

// Allow adds entries for an agent, as the answer allow-always does. An existing entry for the
// same pattern stays and also accepts what the new one accepts.
func (f *File) Allow(ctx context.Context, agent string, entries []gavel.OfferedPattern) error {
	_, err := f.change(ctx, func(d *Document) (bool, error) {
		own, changed := d.Agents[agent], false
		for _, offered := range f.Seal(entries, nil) {
			entry := Entry{Pattern: strings.TrimSpace(offered.Pattern), Source: string(gavel.AllowAlways), Only: withoutEmptyLists(offered.Only)}
			if entry.Pattern == "" {
				continue
			}
			at := slices.IndexFunc(own.Allowlist, entry.sameMatch)
			if at < 0 {
				entry.ID = f.cfg.NewID()
				own.Allowlist, changed = append(own.Allowlist, entry), true
				at = len(own.Allowlist) - 1
			}
			for _, hazard := range offered.Args {
				if !slices.Contains(own.Allowlist[at].Args, hazard) {
					own.Allowlist[at].Args, changed = append(own.Allowlist[at].Args, hazard), true
				}
			}
		}
		if d.Agents == nil {
			d.Agents = map[string]Agent{}
		}
		d.Agents[agent] = own
		return changed, nil
	})
	return err
}
