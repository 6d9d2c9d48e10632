package analyzer

import (
	"slices"
	"strings"

	"gavel"
)

// sender returns the identity tokens of a sender. Nobody has none, and is not
// the owner.
func sender(s *gavel.Sender) gavel.SenderFacts {
	if s == nil {
		return gavel.SenderFacts{}
	}
	return gavel.SenderFacts{
		Channel:  fold(s.Channel),
		ID:       handle(s.ID),
		Name:     fold(s.Name),
		Username: handle(s.Username),
		Tag:      fold(s.Tag),
		From:     fold(s.From),
		E164:     fold(s.E164),
		Owner:    s.Owner,
	}
}

// handle folds a token that some channels write with a leading @.
func handle(s string) string {
	return strings.TrimSpace(strings.TrimPrefix(fold(s), "@"))
}

// group returns the conversation and the ids under which configuration may name
// it: those of the group that the call names, then those of the session key.
func group(g gavel.Group, sessionKey string, from *gavel.Sender) gavel.GroupFacts {
	channel, id := conversation(sessionKey)
	facts := gavel.GroupFacts{Channel: fold(g.Channel), Account: fold(g.Account), IDs: []string{}}
	if facts.Channel == "" {
		facts.Channel = channel
	}
	for _, known := range [...]string{fold(g.ID), id} {
		for _, candidate := range candidates(known) {
			if candidate != "" && !slices.Contains(facts.IDs, candidate) {
				facts.IDs = append(facts.IDs, candidate)
			}
		}
	}
	if facts.Channel == "" && len(facts.IDs) > 0 && from != nil {
		facts.Channel = fold(from.Channel)
	}
	return facts
}

// conversation reads <channel>:(group|channel):<id> from a session key, past an
// agent:<id> head, a subagent part and a :thread:<id> tail. Every other key
// names no conversation.
func conversation(sessionKey string) (channel, id string) {
	key := fold(sessionKey)
	if !strings.Contains(key, ":group:") && !strings.Contains(key, ":channel:") {
		return "", ""
	}
	if i := strings.LastIndex(key, ":thread:"); i >= 0 {
		key = key[:i]
	}
	parts := strings.Split(key, ":")
	if len(parts) > 2 && parts[0] == "agent" {
		parts = parts[2:]
	}
	if len(parts) > 1 && parts[0] == "subagent" {
		parts = parts[1:]
	}
	if len(parts) < 3 || (parts[1] != "group" && parts[1] != "channel") {
		return "", ""
	}
	id = strings.TrimSpace(strings.Join(parts[2:], ":"))
	if channel = strings.TrimSpace(parts[0]); channel == "" || id == "" {
		return "", ""
	}
	return channel, id
}

// candidates returns the names of a conversation, most specific first. Ids of
// the forms X:topic:T:sender:S, X:topic:T and X:sender:S also answer to what
// contains them; every other id is its only name.
func candidates(id string) []string {
	if id == "" {
		return nil
	}
	names := []string{id}
	if outer, ok := container(id, ":sender:"); ok {
		id = outer
		names = append(names, id)
	}
	if outer, ok := container(id, ":topic:"); ok {
		names = append(names, outer)
	}
	return names
}

// container cuts the last marker and what follows it off an id, both sides of
// which must have text, the right one without a further colon.
func container(id, marker string) (string, bool) {
	i := strings.LastIndex(id, marker)
	if i <= 0 {
		return "", false
	}
	tail := id[i+len(marker):]
	return strings.TrimSpace(id[:i]), tail != "" && !strings.Contains(tail, ":")
}
