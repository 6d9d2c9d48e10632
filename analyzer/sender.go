package analyzer

import (
	"slices"
	"strings"

	"gavel"
)

// sender returns the identity tokens of a sender. Ids remain texts, with every digit, and other
// spellings of an id are added. A missing sender has no tokens and is not the owner. Only a gateway
// can name the owner.
func sender(s *gavel.Sender, from *gavel.CallerFacts) gavel.SenderFacts {
	if s == nil {
		return gavel.SenderFacts{Also: []string{}}
	}
	channel, id := gavel.Fold(s.Channel), gavel.Fold(s.ID)
	facts := gavel.SenderFacts{
		Channel:  channel,
		ID:       id,
		Also:     []string{},
		Name:     gavel.Fold(s.Name),
		Username: handle(s.Username),
		Tag:      strings.TrimSuffix(gavel.Fold(s.Tag), "#0"), // Discord's tag of a name that needs no number
		From:     gavel.Fold(s.From),
		E164:     e164(s.E164),
		Owner:    s.Owner && (from == nil || from.Kind == gavel.CallerGateway),
	}
	if number := phoneNumber(channel, id); number != "" && number != id {
		facts.Also = append(facts.Also, number)
	}
	return facts
}

// handle folds an identity token, without the leading @ that some channels write.
func handle(s string) string {
	return strings.TrimSpace(strings.TrimPrefix(gavel.Fold(s), "@"))
}

// phoneNumber returns the telephone number of a folded id, on the channels whose ids are telephone
// numbers; "" for any other id. A WhatsApp id may name a device too:
// 15551234567:2@s.whatsapp.net.
func phoneNumber(channel, id string) string {
	switch channel {
	case "whatsapp", "signal", "sms", "imessage":
	default:
		return ""
	}
	id = strings.TrimSpace(strings.TrimPrefix(id, channel+":"))
	if user, found := strings.CutSuffix(id, "@s.whatsapp.net"); found && channel == "whatsapp" {
		user, device, _ := strings.Cut(user, ":")
		if strings.Trim(user+device, "0123456789") != "" {
			return ""
		}
		return e164(user)
	}
	if !strings.HasPrefix(id, "+") {
		return "" // it may be an id of another kind that has digits only
	}
	return e164(id)
}

// maxDigits is the length of the longest telephone number of E.164.
const maxDigits = 15

// e164 returns a telephone number in the format of E.164: + and digits. For any other text it
// returns "", which matches no sender.
func e164(s string) string {
	digits := make([]byte, 0, maxDigits)
	for i, r := range strings.TrimSpace(s) {
		switch {
		case '0' <= r && r <= '9':
			digits = append(digits, byte(r))
		case r == '+' && i == 0, r == ' ', r == '-', r == '(', r == ')', r == '.':
		default:
			return ""
		}
	}
	if len(digits) == 0 || len(digits) > maxDigits {
		return ""
	}
	return "+" + string(digits)
}

// group returns the conversation and the ids under which a configuration may name it: first those
// of the group that the call names, then those of the session key. Ids keep their case, because
// some channels tell groups apart by it.
func group(g gavel.Group, sessionKey string, from *gavel.Sender) gavel.GroupFacts {
	channel, id := conversation(sessionKey)
	facts := gavel.GroupFacts{Channel: gavel.Fold(g.Channel), Account: gavel.Fold(g.Account), IDs: []string{}}
	if facts.Channel == "" {
		facts.Channel = channel
	}
	for _, known := range [...]string{strings.TrimSpace(g.ID), id} {
		for _, candidate := range groupNames(known) {
			if candidate != "" && !slices.Contains(facts.IDs, candidate) {
				facts.IDs = append(facts.IDs, candidate)
			}
		}
	}
	if facts.Channel == "" && len(facts.IDs) > 0 && from != nil {
		facts.Channel = gavel.Fold(from.Channel)
	}
	return facts
}

// conversation reads <channel>:(group|channel):<id> from a session key. It skips an agent:<id>
// prefix, a subagent part and a :thread:<id> suffix. Every other key names no conversation. The
// keywords may be in any case.
func conversation(sessionKey string) (channel, id string) {
	key := strings.TrimSpace(sessionKey)
	folded := asciiLower(key)
	if !strings.Contains(folded, ":group:") && !strings.Contains(folded, ":channel:") {
		return "", ""
	}
	if i := strings.LastIndex(folded, ":thread:"); i >= 0 {
		key, folded = key[:i], folded[:i]
	}
	parts, words := strings.Split(key, ":"), strings.Split(folded, ":")
	if len(words) > 2 && words[0] == "agent" {
		parts, words = parts[2:], words[2:]
	}
	if len(words) > 1 && words[0] == "subagent" {
		parts, words = parts[1:], words[1:]
	}
	if len(words) < 3 || (words[1] != "group" && words[1] != "channel") {
		return "", ""
	}
	id = strings.TrimSpace(strings.Join(parts[2:], ":"))
	if channel = gavel.Fold(parts[0]); channel == "" || id == "" {
		return "", ""
	}
	return channel, id
}

// groupNames returns the names of a conversation, most specific first. An id of the form
// X:topic:T:sender:S, X:topic:T or X:sender:S also matches the ids that contain it. Every other
// id is its only name.
func groupNames(id string) []string {
	if id == "" {
		return nil
	}
	names := []string{id}
	if outer, ok := cutMarker(id, ":sender:"); ok {
		id = outer
		names = append(names, id)
	}
	if outer, ok := cutMarker(id, ":topic:"); ok {
		names = append(names, outer)
	}
	return names
}

// cutMarker cuts off the last marker, in any case, and what follows it. Both sides must have
// text, and the right side no further colon.
func cutMarker(id, marker string) (string, bool) {
	i := strings.LastIndex(asciiLower(id), marker)
	if i <= 0 {
		return "", false
	}
	tail := id[i+len(marker):]
	return strings.TrimSpace(id[:i]), tail != "" && !strings.Contains(tail, ":")
}

// asciiLower lowers ASCII letters only. The length stays the same, so positions in the text stay
// valid.
func asciiLower(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return s
	}
	lower := []byte(s)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}
