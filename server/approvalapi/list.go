package approvalapi

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gavel"
	"gavel/approvals/view"
	"gavel/internal/strictjson"
)

const maxPage = 1000 // approvals on one page

// page selects a part of the open approvals, oldest first.
type page struct {
	limit     int    // 0 is all
	after     string // id of the last one that was shown
	createdAt time.Time
}

// parsePage parses ?limit and ?cursor. Errors are *gavel.InputError.
func parsePage(limit, cursor string) (page, error) {
	var p page
	bad := func(path, message string) (page, error) {
		return page{}, &gavel.InputError{Path: path, Message: message, Fix: fmt.Sprintf("give a limit of 1 to %d, and as cursor the next of the page before", maxPage)}
	}
	if limit != "" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > maxPage {
			return bad("limit", "the limit is not a number of approvals")
		}
		p.limit = n
	}
	if cursor == "" {
		return p, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	at, id, found := strings.Cut(string(raw), " ")
	if err != nil || !found || id == "" {
		return bad("cursor", "the cursor is not valid")
	}
	if p.createdAt, err = time.Parse(time.RFC3339Nano, at); err != nil {
		return bad("cursor", "the cursor is not valid")
	}
	p.after = id
	return p, nil
}

// slice returns the approvals on the page, and the cursor of the next one, or "". Approvals that
// were answered in the meantime do not shift the others.
func (p page) slice(list []gavel.Approval) (shown []gavel.Approval, next string) {
	for i := range list {
		if p.after != "" && (list[i].CreatedAt.Before(p.createdAt) || list[i].CreatedAt.Equal(p.createdAt) && list[i].ID <= p.after) {
			continue
		}
		if p.limit > 0 && len(shown) == p.limit {
			last := shown[len(shown)-1]
			return shown, base64.RawURLEncoding.EncodeToString([]byte(last.CreatedAt.UTC().Format(time.RFC3339Nano) + " " + last.ID))
		}
		shown = append(shown, list[i])
	}
	return shown, ""
}

// getApprovals answers GET /v1/approvals: the open approvals, oldest first. It writes them in pieces,
// so that a long list is not in memory twice and each piece has its own time limit.
func (a *API) getApprovals(w http.ResponseWriter, r *http.Request, _ gavel.Caller) error {
	p, err := parsePage(r.URL.Query().Get("limit"), r.URL.Query().Get("cursor"))
	if err != nil {
		return err
	}
	list, err := a.cfg.People.List(r.Context())
	if err != nil {
		return err
	}
	list, next := p.slice(list)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	out := &stream{w: w, control: http.NewResponseController(w)}
	var text bytes.Buffer
	text.WriteString(`{"approvals":[`)
	for i := range list {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := strictjson.Write(&text, view.Show(list[i])); err != nil {
			panic(http.ErrAbortHandler) // the answer has begun, so the connection must be cut
		}
		if text.Len() >= flushSize {
			if out.send(text.Bytes()); out.err != nil {
				return nil // the client is gone
			}
			text.Reset()
		}
	}
	text.WriteByte(']')
	if next != "" {
		fmt.Fprintf(&text, `,"next":%q`, next)
	}
	text.WriteString("}\n")
	out.send(text.Bytes())
	return nil
}

// flushSize is the number of bytes after which a piece is written.
const flushSize = 64 << 10
