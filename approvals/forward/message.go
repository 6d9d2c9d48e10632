package forward

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/api"
)

// Most characters of a message, below what the channels take.
const maxText = 1800

// body is what a channel is sent.
func (f *Forwarder) body(m message) ([]byte, error) {
	view := api.Show(m.event.Approval)
	switch m.target.Channel {
	case "slack":
		return json.Marshal(map[string]any{"channel": m.target.To, "text": slackText(text(m.event, &view, f.cfg.Now())), "unfurl_links": false})
	case "discord":
		return json.Marshal(map[string]any{"content": text(m.event, &view, f.cfg.Now()), "allowed_mentions": map[string]any{"parse": []string{}}})
	case "telegram":
		return json.Marshal(map[string]any{"chat_id": m.target.To, "text": text(m.event, &view, f.cfg.Now()), "link_preview_options": map[string]bool{"is_disabled": true}})
	case "webhook":
		return json.Marshal(webhookBody{Version: 1, Event: m.event.Name, Timestamp: f.cfg.Now().UTC().Format(time.RFC3339),
			RequestID: view.ID, To: m.target.To, Text: text(m.event, &view, f.cfg.Now()), Approval: view, ExpiresAt: view.ExpiresAt,
			Digest: view.Binding, Policy: m.event.Approval.Request.Revision})
	}
	return nil, fmt.Errorf("nobody knows how to send to %q", m.target.Channel)
}

// webhookBody is what a plain webhook is sent.
type webhookBody struct {
	Version   int       `json:"version"`
	Event     string    `json:"event"`
	Timestamp string    `json:"timestamp"`
	RequestID string    `json:"requestId"`
	To        string    `json:"to"`
	Text      string    `json:"text"`
	Approval  api.View  `json:"approval"`
	ExpiresAt time.Time `json:"expiresAt"`
	Digest    string    `json:"digest"` // the binding: what an answer covers
	Policy    string    `json:"policy"` // the revision that asks
}

// text is the message for people.
func text(event *approvals.Event, v *api.View, now time.Time) string {
	if event.Name != approvals.EventRequested {
		return ended(v)
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + inline(value) + "\n")
		}
	}
	r := &v.Request
	b.WriteString("An agent asks for approval\n")
	line("ID", v.ID)
	what := r.Command
	if what == "" {
		what = r.Tool + " " + r.Params
	}
	b.WriteString("Command: `" + inline(shortened(what)) + "`\n")
	for _, segment := range r.Segments {
		for _, hazard := range segment.Hazards {
			line("Hazard", segment.Program+" "+hazard)
		}
	}
	line("CWD", r.Cwd)
	line("Host", strings.TrimSpace(r.Host+" "+r.Node))
	line("Agent", r.Agent)
	line("Env overrides", strings.Join(r.Env, ", "))
	for _, reason := range r.Reasons {
		line("Asked because", reason.Message)
	}
	for _, note := range v.Notes {
		line("Careful: the text", note)
	}
	line("allow-always would add", strings.Join(v.Offer, ", "))
	fmt.Fprintf(&b, "Expires in: %s\n", v.ExpiresAt.Sub(now).Round(time.Second))
	fmt.Fprintf(&b, "Answer: gavel approvals approve %s, or deny; or /approve %s %s", v.ID[:min(8, len(v.ID))], v.ID[:min(8, len(v.ID))], strings.Join(v.Decisions, "|"))
	return b.String()
}

// ended says how a question ended.
func ended(v *api.View) string {
	switch v.State {
	case string(gavel.ApprovalExpired):
		return fmt.Sprintf("Approval %s expired (%s)", v.ID, inline(v.Expired))
	default:
		return fmt.Sprintf("Approval %s: %s by %s", v.ID, v.Decision, inline(v.ResolvedBy))
	}
}

// inline keeps a text from ending the code that it stands in.
func inline(text string) string { return strings.ReplaceAll(text, "`", `\u{60}`) }

func shortened(text string) string {
	runes := []rune(text)
	if len(runes) <= maxText/2 {
		return text
	}
	return fmt.Sprintf("%s … (%d characters left out) … %s", string(runes[:maxText/3]), len(runes)-maxText/2, string(runes[len(runes)-maxText/6:]))
}

// slackText keeps a text from naming people, channels and links.
func slackText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
