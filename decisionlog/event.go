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
	// entrypoint is the path of the rule that decides, in the notation of OPA's decision log.
	entrypoint = "gavel/decision/result"
	// maxLine and maxText limit one line, and one text in it, in bytes.
	maxLine = 64 << 10
	maxText = 4 << 10
	// maskTimeout limits the evaluation of the mask rules for one event.
	maskTimeout = time.Second
)

// The codes and messages of the member "error". The cause of a failed mask is only in the
// server's log, because it may quote text that should have been masked.
const (
	codeMaskFailed          = "mask_failed"
	codeTooLarge            = "too_large"
	messageMaskFailed       = "masking failed, so facts and result are left out; the server's log has the cause"
	messageTooLarge         = "the event exceeds the line limit, so most facts are left out"
	messageMaskFailedDetail = "the detail could not be encoded and is left out; the server's log has the cause"

	messageTooLargeDetail = "the event exceeds the line limit, so its detail is left out"
)

// line encodes the event as one line. It never fails: if masking or encoding fails, the line is
// reduced to members that reveal nothing about the call. The result is valid until s is used
// again.
func (l *Log) line(ctx context.Context, s *encodeState, event gavel.Event) []byte {
	var line []byte
	err := rescue.Call(func() (err error) { // mask rules are code of the policy, and may panic
		if event.Timestamp.IsZero() {
			event.Timestamp = l.cfg.Now()
		}
		line, err = l.encode(ctx, s, event)
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
		"error":  map[string]any{"code": codeMaskFailed, "message": messageMaskFailed}}
	if line, err = encodeJSON(new(bytes.Buffer), doc); err != nil { // not reached: strings always encode
		return fmt.Appendf(nil, "{\"decision_id\":%q,\"error\":{\"code\":%q}}\n", d.ID, codeMaskFailed)
	}
	return line
}

// encode returns the event as a line, redacted, masked and cut.
func (l *Log) encode(ctx context.Context, s *encodeState, event gavel.Event) ([]byte, error) {
	masks := event.Snapshot != nil && event.Snapshot.Masks()
	if !masks && l.encodeFast(s, &event) {
		return s.line, nil
	}
	truncations := &truncations{}
	if len(event.Facts.Tool.Params) > 0 {
		params, err := copyParams(event.Facts.Tool.Params, "/input/tool/params", truncations)
		if err != nil {
			return nil, fmt.Errorf("encode parameters: %w", err)
		}
		event.Facts.Tool.Params = params
	}
	select { // the slow path needs memory, so its concurrency is limited
	case l.slowPath <- struct{}{}:
		defer func() { <-l.slowPath }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	doc, err := l.maskedDocument(ctx, event, truncations)
	if err != nil {
		return nil, err
	}
	return fit(new(bytes.Buffer), doc, truncations)
}

// fit encodes a document as a line. It cuts more and more of it until it fits.
func fit(space *bytes.Buffer, doc map[string]any, truncations *truncations) ([]byte, error) {
	for _, lim := range []limits{{maxText, 0}, {1 << 10, 64}, {1 << 8, 16}, {}} {
		if lim.textBytes == 0 { // still too large
			summarize(doc)
			lim = limits{1 << 10, 16}
		}
		for _, name := range []string{"input", "result"} {
			if doc[name] != nil {
				doc[name] = shorten(doc[name], "/"+name, lim, truncations)
			}
		}
		if custom, _ := doc["custom"].(map[string]any); len(truncations.list) > 0 {
			custom["truncated"] = truncations.toJSON()
		}
		line, err := encodeJSON(space, doc)
		if err != nil || len(line) <= maxLine {
			return line, err
		}
	}
	return nil, errors.New("the line is too large even without facts and result")
}

// summarize keeps only the agent, the tool, the command and the effect with its reasons.
func summarize(doc map[string]any) {
	input, result := pick(doc["input"], "agent", "session", "model", "tool", "exec"), pick(doc["result"], "decision", "reasons", "revision", "approval")
	if input["tool"] != nil {
		input["tool"] = pick(input["tool"], "name", "given", "plugin")
	}
	if input["exec"] != nil {
		input["exec"] = pick(input["exec"], "command", "shell", "workdir", "parsed")
	}
	doc["input"], doc["result"] = input, result
	delete(doc, "masked")
	delete(doc, "erased")
	doc["error"] = map[string]any{"code": codeTooLarge, "message": messageTooLarge}
}

func pick(node any, names ...string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		if value := member(node, name); value != nil {
			out[name] = value
		}
	}
	return out
}

// withoutPrivateParts returns a decision without members that the log has elsewhere or must not
// contain.
func withoutPrivateParts(decision gavel.Decision) gavel.Decision {
	decision.Facts = nil // an explanation repeats the input
	if used := decision.Approval; used != nil {
		// The grant authorizes the PEP to run the call. Answers have audit events of their own.
		decision.Approval = &gavel.Pending{ID: used.ID, ExpiresAt: used.ExpiresAt}
	}
	return decision
}

// maskedDocument returns the event as maps and slices, redacted, and masked by the rules of its
// snapshot.
func (l *Log) maskedDocument(ctx context.Context, event gavel.Event, truncations *truncations) (map[string]any, error) {
	decision := withoutPrivateParts(event.Decision)
	doc, err := l.entryDocument(event, &event.Facts, &decision)
	if err != nil {
		return nil, err
	}
	redactor := &secretRedactor{masker: l.masker, truncations: truncations, originals: map[string]any{}}
	result := maskResult{masked: redactAlways(doc["input"], doc["result"]), originals: redactor.originals}
	redactor.document(doc)
	result.masked = append(result.masked, redactor.masked...)
	if event.Snapshot != nil && event.Snapshot.Masks() { // converting an event to Rego values takes time
		ctx, cancel := context.WithTimeout(ctx, maskTimeout)
		defer cancel()
		rules, err := event.Snapshot.Mask(ctx, doc)
		if err != nil {
			return nil, fmt.Errorf("evaluate the mask rules: %w", err)
		}
		if err := result.apply(doc, rules); err != nil {
			return nil, err
		}
	}
	truncations.dropRedacted(append(result.erased, result.masked...))
	if len(result.erased) > 0 {
		doc["erased"] = anySlice(result.erased)
	}
	if len(result.masked) > 0 {
		doc["masked"] = anySlice(result.masked)
	}
	return doc, nil
}

// encodeJSON returns a line of JSON. It does not escape <, > and &, but it escapes unprintable
// characters, see [printable]. The result may share memory with space.
func encodeJSON(space *bytes.Buffer, doc any) ([]byte, error) {
	space.Reset()
	encoder := json.NewEncoder(space) // also appends the line feed
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode the event: %w", err)
	}
	return printable(space.Bytes()), nil
}

func anySlice(pointers []string) []any {
	out := make([]any, len(pointers))
	for i, pointer := range pointers {
		out[i] = pointer
	}
	return out
}
