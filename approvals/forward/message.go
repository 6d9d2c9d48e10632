package forward

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/view"
)

// The longest message, in characters; below the limits of the channels.
const maxText = 1800

// body returns the message for a channel.
func (f *Forwarder) body(m message) ([]byte, error) {
	shown := view.Show(m.event.Approval)
	switch m.target.Channel {
	case "slack":
		return json.Marshal(map[string]any{"channel": m.target.To, "text": escapeSlack(text(m.event, &shown, f.cfg.Now())), "unfurl_links": false})
	case "discord":
		return json.Marshal(map[string]any{"content": text(m.event, &shown, f.cfg.Now()), "allowed_mentions": map[string]any{"parse": []string{}}})
	case "telegram":
		return json.Marshal(map[string]any{"chat_id": m.target.To, "text": text(m.event, &shown, f.cfg.Now()), "link_preview_options": map[string]bool{"is_disabled": true}})
	case "webhook":
		return json.Marshal(webhookBody{Version: 1, Event: m.event.Name, Timestamp: f.cfg.Now().UTC().Format(time.RFC3339),
			RequestID: shown.ID, To: m.target.To, Text: text(m.event, &shown, f.cfg.Now()), Approval: shown, ExpiresAt: shown.ExpiresAt,
			Digest: shown.Binding, Policy: m.event.Approval.Request.Revision})
	}
	return nil, fmt.Errorf("there is no way to send to %q", m.target.Channel)
}

// webhookBody is the body of a plain webhook.
type webhookBody struct {
	Version   int           `json:"version"`
	Event     string        `json:"event"`
	Timestamp string        `json:"timestamp"`
	RequestID string        `json:"requestId"`
	To        string        `json:"to"`
	Text      string        `json:"text"`
	Approval  view.Approval `json:"approval"`
	ExpiresAt time.Time     `json:"expiresAt"`
	Digest    string        `json:"digest"` // the binding: what an answer covers
	Policy    string        `json:"policy"` // the revision of the policy that asks
}

// text is the message for people.
func text(event *approvals.Event, v *view.Approval, now time.Time) string {
	if event.Name != approvals.EventRequested {
		return describeEnd(v)
	}
	r, short := &v.Request, v.ID[:min(8, len(v.ID))]
	what := r.Command
	if what == "" {
		what = r.Tool + " " + r.Params
	}
	begin := "An agent asks for approval\nID: " + v.ID + "\nCommand: `" + shorten(escapeBackticks(what)) + "`\n"
	end := fmt.Sprintf("Expires in: %s\nAnswer: gavel approvals approve %s, or deny; or /approve %s %s",
		v.ExpiresAt.Sub(now).Round(time.Second), short, short, strings.Join(v.Decisions, "|"))
	return begin + fitLines(details(v), maxText-len([]rune(begin))-len([]rune(end)), short) + end
}

// details returns lines about a question, most important first.
func details(v *view.Approval) []string {
	var lines []string
	line := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+escapeBackticks(value)+"\n")
		}
	}
	for _, note := range v.Notes {
		line("Careful: the text", note)
	}
	r := &v.Request
	for _, why := range v.Once {
		line("Covers one execution only", why)
	}
	for _, file := range r.Files {
		if file.Warning != "" {
			line("Careful", file.Path+": "+file.Warning)
		}
	}
	for _, segment := range r.Segments {
		for _, hazard := range segment.Hazards {
			line("Hazard", segment.Program+" "+hazard)
		}
		for _, pattern := range segment.Patterns {
			line("Pattern", pattern)
		}
	}
	for _, file := range r.Files {
		line("Covers", file.Role+" "+file.Path+" (sha256 "+file.SHA256[:min(12, len(file.SHA256))]+")")
	}
	line("CWD", r.Cwd)
	line("Host", strings.TrimSpace(r.Host+" "+r.Node))
	line("Agent", r.Agent)
	line("Asked by", strings.Join(v.Requesters, ", "))
	line("Env overrides", strings.Join(r.Variables, ", "))
	for _, reason := range r.Reasons {
		line("Asked because", reason.Message)
	}
	line("allow-always would add", strings.Join(v.Offer, ", "))
	return lines
}

// fitLines returns as many lines as fit, and a note about the rest.
func fitLines(lines []string, room int, id string) string {
	var b strings.Builder
	left := 0
	room -= len("999999 lines are left out; see gavel approvals show 12345678\n")
	for _, line := range lines {
		if room -= len([]rune(line)); room < 0 {
			left++
			room += len([]rune(line)) // a shorter one may fit
			continue
		}
		b.WriteString(line)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%d lines are left out; see gavel approvals show %s\n", left, id)
	}
	return b.String()
}

// describeEnd describes how a question ended.
func describeEnd(v *view.Approval) string {
	switch v.State {
	case string(gavel.ApprovalExpired):
		return fmt.Sprintf("Approval %s expired (%s)", v.ID, escapeBackticks(v.Expired))
	default:
		return fmt.Sprintf("Approval %s: %s by %s", v.ID, v.Decision, escapeBackticks(v.ResolvedBy))
	}
}

// escapeBackticks escapes backticks, so that a text cannot end the code block around it.
func escapeBackticks(text string) string { return strings.ReplaceAll(text, "`", `\u{60}`) }

func shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= maxText/2 {
		return text
	}
	return fmt.Sprintf("%s … (%d characters left out) … %s", string(runes[:maxText/3]), len(runes)-maxText/2, string(runes[len(runes)-maxText/6:]))
}

// escapeSlack keeps a text from mentioning people and channels, and from containing links.
func escapeSlack(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
