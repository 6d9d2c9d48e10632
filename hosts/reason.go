package hosts

import (
	"fmt"
	"strings"

	"gavel"
)

// maxReasons limits how many reasons of a decision are shown.
const maxReasons = 3

// why returns the reasons for a decision, as sentences. A denial has the fix of each reason, and a
// question only that of the first one, because an answer helps as well.
func why(d *gavel.Decision) string {
	var parts []string
	for i, reason := range d.Reasons[:min(maxReasons, len(d.Reasons))] {
		parts = append(parts, reason.Code+": "+reason.Message)
		if reason.Fix != "" && (d.Effect == gavel.Deny || d.Effect == gavel.Ask && i == 0) {
			parts = append(parts, "What helps: "+reason.Fix)
		}
	}
	if d.Effect == gavel.Allow {
		parts = parts[:min(1, len(parts))]
	}
	if d.Effect == gavel.Deny && d.Approval != nil && d.Approval.Comment != "" {
		parts = append(parts, "A person says: "+d.Approval.Comment)
	}
	return sentences(parts)
}

// sentences joins texts, and ends each but the last with a full stop unless it has an end already.
func sentences(list []string) string {
	var b strings.Builder
	for i, text := range list {
		text = strings.TrimRight(text, " \t\n")
		b.WriteString(text)
		if i == len(list)-1 {
			break
		}
		if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
			b.WriteByte('.')
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// maxShown limits the length of a command or name at the beginning of a question.
const maxShown = 160

// shown returns what a question is about: the command, or the tool with its path or URL.
func shown(t gavel.Tool) string {
	text, _ := t.Params["command"].(string)
	if t.Name != "exec" || text == "" {
		text = t.Name
		for _, name := range []string{"path", "url"} {
			if about, ok := t.Params[name].(string); ok && about != "" {
				text += " " + about
			}
		}
	}
	return cut(oneLine(text), maxShown)
}

// howToAnswer tells a person how to answer a question.
func howToAnswer(d *gavel.Decision) string {
	if d.Approval == nil || d.Approval.ID == "" {
		return "No server is running that could ask people: start gavel serve"
	}
	return fmt.Sprintf("A person answers with gavel approvals approve %s, or deny, until %s; then repeat the same call",
		d.Approval.ID, d.Approval.ExpiresAt.UTC().Format("15:04:05Z"))
}

func unique(list []string) []string {
	seen := map[string]bool{}
	var kept []string
	for _, text := range list {
		if !seen[text] {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	return kept
}

// maxReason limits the text that a model and a person have to read.
const maxReason = 2000

// oneLine makes a text one printable line. It is never empty: some hosts ignore a deny
// without a reason.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)
	if text = cut(strings.TrimSpace(text), maxReason); text == "" {
		return "gavel: no reason was given"
	}
	return text
}

// cut shortens a text to so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// FailureText is what a person and the model read if Gavel could not decide.
func FailureText(err error) string {
	return oneLine("gavel: not decided, so denied: " + err.Error())
}
