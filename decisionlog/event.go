package decisionlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gavel"
	"gavel/internal/rescue"
)

const (
	// entrypoint is the deciding rule, as OPA's decision log writes it.
	entrypoint = "gavel/decision/result"
	// maxLine is the most bytes of one line.
	maxLine = 64 << 10
	// maxText is the most bytes of one text.
	maxText = 4 << 10
	// maskTimeout is how long the mask rules of one event may take.
	maskTimeout = time.Second
)

// The codes and messages of the member error. The cause of a failed mask is only in the
// server's log, because it may quote text that should have been masked.
const (
	codeMaskFailed  = "mask_failed"
	codeTooLarge    = "too_large"
	messageMask     = "masking failed, so facts and result are left out; the server's log has the cause"
	messageTooLarge = "the event exceeds the line limit, so most facts are left out"
	messageDetail   = "the detail could not be encoded and is left out; the server's log has the cause"

	messageTooLargeDetail = "the event exceeds the line limit, so its detail is left out"
)

// line encodes the event as one line, using a sheet. It never fails: if masking, encoding or
// fitting fails, the line is reduced to members that reveal nothing about the call.
func (l *Log) line(ctx context.Context, s *sheet, event gavel.Event) []byte {
	var line []byte
	err := rescue.Call(func() (err error) { // the policy has mask rules
		if event.Timestamp.IsZero() {
			event.Timestamp = l.cfg.Now()
		}
		line, err = l.full(ctx, s, event)
		return err
	})
	if err == nil {
		return line
	}
	l.metrics.maskErrors.Inc()
	d := &event.Decision
	l.logger.Error("a decision is logged without facts and result", "decision_id", d.ID, "error", err, "stack", rescue.Stack(err))
	doc := map[string]any{"labels": l.labels, "decision_id": clip(d.ID), "path": entrypoint, "requested_by": clip(event.RequestedBy),
		"timestamp": event.Timestamp.UTC().Format(time.RFC3339Nano), "custom": map[string]any{"revision": clip(d.Revision), "call": clip(d.Call)},
		"result": map[string]any{"decision": d.Effect.String(), "revision": clip(d.Revision)},
		"error":  map[string]any{"code": codeMaskFailed, "message": messageMask}}
	if line, err = encode(new(bytes.Buffer), doc); err != nil { // not reached: texts always encode
		return fmt.Appendf(nil, "{\"decision_id\":%q,\"error\":{\"code\":%q}}\n", d.ID, codeMaskFailed)
	}
	return line
}

// full is the event with everything that masking leaves, or an error.
func (l *Log) full(ctx context.Context, s *sheet, event gavel.Event) ([]byte, error) {
	masks := event.Snapshot != nil && event.Snapshot.Masks()
	if !masks && l.plain(s, &event) {
		return s.line, nil
	}
	cuts := &cuts{}
	if len(event.Facts.Tool.Params) > 0 {
		params, err := parameters(event.Facts.Tool.Params, "/input/tool/params", cuts)
		if err != nil {
			return nil, fmt.Errorf("encode parameters: %w", err)
		}
		event.Facts.Tool.Params = params
	}
	select { // this is slow and needs memory, so concurrency is limited
	case l.heavy <- struct{}{}:
		defer func() { <-l.heavy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	doc, err := l.masked(ctx, event, cuts)
	if err != nil {
		return nil, err
	}
	return fitted(new(bytes.Buffer), doc, cuts)
}

// fitted encodes a document as a line, cut as far as necessary.
func fitted(space *bytes.Buffer, doc map[string]any, cuts *cuts) ([]byte, error) {
	for _, most := range []limits{{maxText, 0}, {1 << 10, 64}, {1 << 8, 16}, {}} {
		if most.text == 0 { // still too large
			summarize(doc)
			most = limits{1 << 10, 16}
		}
		for _, name := range []string{"input", "result"} {
			if doc[name] != nil {
				doc[name] = shorten(doc[name], "/"+name, most, cuts)
			}
		}
		if custom, _ := doc["custom"].(map[string]any); len(cuts.list) > 0 {
			custom["truncated"] = cuts.document()
		}
		line, err := encode(space, doc)
		if err != nil || len(line) <= maxLine {
			return line, err
		}
	}
	return nil, errors.New("the line is too large, whatever is left out")
}

// summarize keeps only the agent, the tool and the outcome.
func summarize(doc map[string]any) {
	input, result := kept(doc["input"], "agent", "session", "model", "tool", "exec"), kept(doc["result"], "decision", "reasons", "revision", "approval")
	if input["tool"] != nil {
		input["tool"] = kept(input["tool"], "name", "given", "plugin")
	}
	if input["exec"] != nil {
		input["exec"] = kept(input["exec"], "command", "shell", "workdir", "parsed")
	}
	doc["input"], doc["result"] = input, result
	delete(doc, "masked")
	delete(doc, "erased")
	doc["error"] = map[string]any{"code": codeTooLarge, "message": messageTooLarge}
}

func kept(node any, names ...string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		if value := member(node, name); value != nil {
			out[name] = value
		}
	}
	return out
}

// shown returns a decision without members that the log has elsewhere or must not contain.
func shown(decision gavel.Decision) gavel.Decision {
	decision.Facts = nil // an explanation repeats the input
	if used := decision.Approval; used != nil {
		// A grant is for whoever runs the call; what people said is in the event of their answer.
		decision.Approval = &gavel.Pending{ID: used.ID, ExpiresAt: used.ExpiresAt}
	}
	return decision
}

// masked is the event in JSON types, after the default masks and the snapshot's mask rules.
func (l *Log) masked(ctx context.Context, event gavel.Event, cuts *cuts) (map[string]any, error) {
	decision := shown(event.Decision)
	doc, err := l.document(event, &event.Facts, &decision)
	if err != nil {
		return nil, err
	}
	hidden := &hider{masker: l.masker, cuts: cuts, was: map[string]any{}}
	changed := changes{masked: hideAlways(doc["input"], doc["result"]), kept: hidden.was}
	hidden.document(doc)
	changed.masked = append(changed.masked, hidden.masked...)
	if event.Snapshot != nil && event.Snapshot.Masks() { // making Rego values of an event takes time
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
	cuts.hidden(append(changed.erased, changed.masked...))
	if len(changed.erased) > 0 {
		doc["erased"] = list(changed.erased)
	}
	if len(changed.masked) > 0 {
		doc["masked"] = list(changed.masked)
	}
	return doc, nil
}

// encode returns a line in space, or beside it if characters had to be escaped: JSON as
// [encoding/json] writes it with <, > and & as they are, but see printable.
func encode(space *bytes.Buffer, doc any) ([]byte, error) {
	space.Reset()
	encoder := json.NewEncoder(space) // ends the line, too
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode the event: %w", err)
	}
	return printable(space.Bytes()), nil
}

func list(pointers []string) []any {
	out := make([]any, len(pointers))
	for i, pointer := range pointers {
		out[i] = pointer
	}
	return out
}
