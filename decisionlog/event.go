package decisionlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gavel"
	"gavel/internal/rescue"
)

const (
	// entrypoint is the rule that decides, as OPA's decision log writes it.
	entrypoint = "gavel/decision/result"
	// maxLine is the most bytes of one line. It is well below a megabyte, the
	// smallest size at which a file is rotated.
	maxLine = 512 << 10
	// maxString and tightString are the most bytes of one string: the second
	// for an event that is too large with the first.
	maxString, tightString = 64 << 10, 1 << 10
	// maxDetail is the most bytes of one string in the detail of an audit event.
	maxDetail = 4 << 10
	// maskTimeout is how long the mask rules of one event may take.
	maskTimeout = time.Second
)

// The codes and messages of the member error. The cause of a failed mask stands
// in the server's own log only: it may quote what should have been masked.
const (
	codeMaskFailed  = "mask_failed"
	codeTooLarge    = "too_large"
	codePanicked    = "panicked"
	messageMask     = "masking failed, so facts and result are left out; the server's log has the cause"
	messagePanicked = "the event could not be written out, so all but the effect is left out; the server's log has the cause"
	messageTooLarge = "the event is larger than a line may be, so facts and result are left out"
	messageDetail   = "the detail could not be written out and is left out; the server's log has the cause"

	messageTooLargeDetail = "the event is larger than a line may be, so its detail is left out"
)

var errTooLarge = errors.New("the line is too large")

// line is the event as one line, which the next one overwrites. It never fails: what
// cannot be masked, encoded or fitted is reduced to what says nothing about the call.
func (l *Log) line(ctx context.Context, event gavel.Event) []byte {
	if event.Timestamp.IsZero() {
		event.Timestamp = l.cfg.Now()
	}
	var line []byte
	err := rescue.Call(func() (err error) { // the policy has a say in masking
		line, err = l.full(ctx, event)
		return err
	})
	if err == nil {
		return line
	}
	l.metrics.maskErrors.Inc()
	l.logger.Error("a decision is logged without facts and result", "decision_id", event.Decision.ID, "error", err, "stack", rescue.Stack(err))
	code, message := codeMaskFailed, messageMask
	if errors.Is(err, errTooLarge) {
		code, message = codeTooLarge, messageTooLarge
	}
	doc, err := l.document(event, nil, nil)
	if err == nil {
		doc["result"] = map[string]any{"decision": event.Decision.Effect.String(), "revision": event.Decision.Revision}
		doc["error"] = map[string]any{"code": code, "message": message}
		shorten(doc, "", tightString)
		line, err = l.encode(doc)
	}
	if err != nil { // not reached: texts always encode
		return fmt.Appendf(nil, "{\"error\":{\"code\":%q}}\n", code)
	}
	return line
}

// full is the event with everything that masking leaves, or an error.
func (l *Log) full(ctx context.Context, event gavel.Event) (line []byte, err error) {
	if event.Snapshot == nil || !event.Snapshot.Masks() {
		if line, err = l.plain(event); err != nil || len(line) <= maxString { // so no string is too long
			return line, err
		}
	}
	doc, err := l.masked(ctx, event)
	if err != nil {
		return nil, err
	}
	for _, limit := range []int{maxString, tightString} {
		if cut := shorten(doc, "", limit); len(cut) > 0 {
			custom, _ := doc["custom"].(map[string]any)
			custom["truncated"] = cut
		}
		if line, err = l.encode(doc); err != nil {
			return nil, err
		}
		if len(line) <= maxLine {
			return line, nil
		}
	}
	return nil, fmt.Errorf("%w: %d bytes, at most %d", errTooLarge, len(line), maxLine)
}

// shown is a decision without what a log has elsewhere, or must not have.
func shown(decision gavel.Decision) gavel.Decision {
	decision.Facts = nil // an explanation repeats the input
	if used := decision.Approval; used != nil && used.Grant != nil {
		decision.Approval = &gavel.Pending{ID: used.ID, ExpiresAt: used.ExpiresAt} // a grant is for whoever runs the call
	}
	return decision
}

// masked is the event in JSON types, as the snapshot's mask rules leave it.
func (l *Log) masked(ctx context.Context, event gavel.Event) (map[string]any, error) {
	decision := shown(event.Decision)
	doc, err := l.document(event, &event.Facts, &decision)
	if err != nil {
		return nil, err
	}
	changed := changes{masked: redact(doc["input"], doc["result"])}
	if event.Snapshot != nil {
		ctx, cancel := context.WithTimeout(ctx, maskTimeout)
		defer cancel()
		rules, err := event.Snapshot.Mask(ctx, doc)
		if err != nil {
			return nil, fmt.Errorf("evaluate the mask rules: %w", err)
		}
		if err := changed.apply(doc, rules); err != nil {
			return nil, err
		}
	}
	if len(changed.erased) > 0 {
		doc["erased"] = list(changed.erased)
	}
	if len(changed.masked) > 0 {
		doc["masked"] = list(changed.masked)
	}
	return doc, nil
}

// encode returns a line, which the next one overwrites. It is for the writer alone.
func (l *Log) encode(doc any) ([]byte, error) {
	if l.space.Cap() > maxString {
		l.space = bytes.Buffer{} // a long line is rare, and its room is not kept
	}
	l.space.Reset()
	encoder := json.NewEncoder(&l.space) // ends the line, too
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode the event: %w", err)
	}
	return l.space.Bytes(), nil
}

func list(pointers []string) []any {
	out := make([]any, len(pointers))
	for i, pointer := range pointers {
		out[i] = pointer
	}
	return out
}

// shorten cuts every string below node to limit bytes and a note of how long it
// was, and returns where it did. Member names stay as they are.
func shorten(node any, at string, limit int) (cut []any) {
	if !longer(node, limit) {
		return nil
	}
	visit := func(child any, at string, set func(any)) {
		if text, ok := child.(string); ok && len(text) > limit {
			set(fmt.Sprintf("%s… (%d bytes)", prefix(text, limit), len(text)))
			cut = append(cut, at)
			return
		}
		cut = append(cut, shorten(child, at, limit)...)
	}
	switch node := node.(type) {
	case map[string]any:
		for _, name := range sorted(node) {
			visit(node[name], at+"/"+escape(name), func(v any) { node[name] = v })
		}
	case []any:
		for i := range node {
			visit(node[i], at+"/"+strconv.Itoa(i), func(v any) { node[i] = v })
		}
	}
	return cut
}

// longer tells whether a string below node has more than limit bytes.
func longer(node any, limit int) bool {
	switch node := node.(type) {
	case string:
		return len(node) > limit
	case map[string]any:
		for _, child := range node {
			if longer(child, limit) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(node, func(child any) bool { return longer(child, limit) })
	}
	return false
}

// prefix is at most limit bytes of text, and never ends inside a character.
func prefix(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.ToValidUTF8(text[:limit], "\uFFFD")
}
