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

// page is a part of what is open, oldest first.
type page struct {
	limit int    // 0 is all
	after string // id of the last one that was shown
	at    time.Time
}

// pageOf reads ?limit and ?cursor.
func pageOf(limit, cursor string) (page, error) {
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
	if p.at, err = time.Parse(time.RFC3339Nano, at); err != nil {
		return bad("cursor", "the cursor is not valid")
	}
	p.after = id
	return p, nil
}

// of are the approvals on the page, and the cursor of the next one; "" for the last. What
// was answered in the meantime does not shift the others.
func (p page) of(list []gavel.Approval) (shown []gavel.Approval, next string) {
	for i := range list {
		if p.after != "" && (list[i].CreatedAt.Before(p.at) || list[i].CreatedAt.Equal(p.at) && list[i].ID <= p.after) {
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

// getApprovals answers GET /v1/approvals: what is open, oldest first. It is written one
// by one: however much is open, nothing of it is held twice, and each piece has a time of
// its own.
func (a *API) getApprovals(w http.ResponseWriter, r *http.Request, _ gavel.Caller) error {
	p, err := pageOf(r.URL.Query().Get("limit"), r.URL.Query().Get("cursor"))
	if err != nil {
		return err
	}
	list, err := a.cfg.People.List(r.Context())
	if err != nil {
		return err
	}
	list, next := p.of(list)
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
			panic(http.ErrAbortHandler) // an answer that was begun cannot be taken back
		}
		if text.Len() >= streamed {
			if out.send(text.Bytes()); out.err != nil {
				return nil // whoever asked is gone
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

// streamed is how many bytes are written at a time.
const streamed = 64 << 10
