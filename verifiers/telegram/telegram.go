// Package telegram asks a person with Telegram whether a call may run (VERIFIER-1). The question is
// a message with the buttons Allow and Deny. The package decides nothing: the policy defines what an
// answer means.
package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gavel"
	"gavel/internal/display"
	"gavel/internal/telegram"
)

// defaultTime is how long a person has if the question has no deadline.
const defaultTime = 2 * time.Minute

// Asker asks one question in a chat; [telegram.Bot] is one.
type Asker interface {
	Ask(ctx context.Context, chat telegram.Chat, q telegram.Question) (telegram.Answer, error)
}

// Client implements gavel.Verifier. It is safe for concurrent use.
type Client struct {
	bot  Asker
	chat telegram.Chat
	now  func() time.Time
}

// New returns a client that asks in a chat. It returns an error if the chat does not name the people
// who may answer.
func New(bot Asker, chat telegram.Chat, now func() time.Time) (*Client, error) {
	if err := chat.Check(); err != nil {
		return nil, err
	}
	return &Client{bot: bot, chat: chat, now: now}, nil
}

// Ask implements gavel.Verifier.
func (c *Client) Ask(ctx context.Context, q *gavel.VerifierQuestion) gavel.VerifierReply {
	answer, err := c.bot.Ask(ctx, c.chat, c.question(q))
	reply := gavel.VerifierReply{Attempts: 1}
	switch {
	case err == nil && answer.Choice == allow:
		reply.Outcome, reply.Detail = gavel.VerifierAllowed, by(answer.User)
	case err == nil:
		reply.Outcome, reply.Detail = gavel.VerifierDenied, by(answer.User)
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), gavel.ErrVerifierTime):
		reply.Outcome = gavel.VerifierEnded // if the caller has gone, that is not a failure of the verifier
	case errors.Is(err, telegram.ErrBusy):
		reply.Outcome, reply.Detail = gavel.VerifierBusy, display.Clean(err.Error(), 300).Text
	case errors.Is(err, telegram.ErrExpired), ctx.Err() != nil && !errors.Is(err, telegram.ErrUnreachable):
		reply.Outcome = gavel.VerifierTimeout
	default:
		reply.Outcome, reply.Detail = gavel.VerifierUnreachable, display.Clean(err.Error(), 300).Text
	}
	return reply
}

// The choices, in the order of the buttons. Only the first one allows.
const allow = 0

func by(user telegram.User) string { return fmt.Sprintf("%s (id %d)", user.Name, user.ID) }

// question returns the message for the person.
func (c *Client) question(q *gavel.VerifierQuestion) telegram.Question {
	title := "Tool verification request"
	if q.Probe {
		title = "Test of Gavel: a tool verification request. No tool runs, whatever you answer."
	}
	expires := q.ExpiresAt
	if expires.IsZero() {
		expires = c.now().Add(defaultTime)
	}
	return telegram.Question{
		Title: title, Fields: fields(q), Expires: expires,
		Choices: []telegram.Choice{{Label: "Allow", Result: "Allowed"}, {Label: "Deny", Result: "Denied"}},
	}
}

// fields returns the tool, its parameters, and who calls it. A command, a path and the directory have
// lines of their own.
func fields(q *gavel.VerifierQuestion) []telegram.Field {
	list := []telegram.Field{{Name: "Tool", Value: q.Tool}}
	rest := map[string]any{}
	for name, value := range q.Params {
		rest[name] = value
	}
	take := func(label, name string) {
		if text, ok := rest[name].(string); ok {
			list = append(list, telegram.Field{Name: label, Value: text})
			delete(rest, name)
		}
	}
	take("Command", "command")
	take("Path", "path")
	list = append(list, telegram.Field{Name: "Directory", Value: q.Directory})
	if rest["workdir"] == q.Directory {
		delete(rest, "workdir")
	}
	if len(rest) > 0 {
		list = append(list, telegram.Field{Name: "Parameters", Value: compact(rest)})
	}
	list = append(list, telegram.Field{Name: "Agent", Value: q.Agent}, telegram.Field{Name: "Session", Value: q.Session})
	for _, reason := range q.Reasons {
		list = append(list, telegram.Field{Name: "Because", Value: reason.Message})
	}
	return append(list, telegram.Field{Name: "Digest", Value: q.Digest[:min(16, len(q.Digest))]})
}

// compact writes parameters as JSON. Values that JSON cannot hold do not occur in calls.
func compact(params map[string]any) string {
	text, err := json.Marshal(params)
	if err != nil {
		return "(these parameters cannot be shown)"
	}
	return string(text)
}
