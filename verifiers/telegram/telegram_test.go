package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	bot "gavel/internal/telegram"
	"gavel/verifiers/telegram"
)

// scripted answers what it was told to.
type scripted struct {
	answer bot.Answer
	err    error
	asked  bot.Question
	chat   bot.Chat
}

func (s *scripted) Ask(_ context.Context, chat bot.Chat, q bot.Question) (bot.Answer, error) {
	s.asked, s.chat = q, chat
	return s.answer, s.err
}

func clock() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func TestAnswersAndFailuresHaveOutcomes(t *testing.T) {
	alice := bot.User{ID: 42, Name: "@alice"}
	late, cancel := context.WithCancelCause(t.Context())
	cancel(gavel.ErrVerifierTime)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for name, c := range map[string]struct {
		ctx    context.Context
		answer bot.Answer
		err    error
		want   string
		detail string
	}{
		"the first button allows":     {t.Context(), bot.Answer{Choice: 0, User: alice}, nil, gavel.VerifierAllowed, "@alice (id 42)"},
		"the second button denies":    {t.Context(), bot.Answer{Choice: 1, User: alice}, nil, gavel.VerifierDenied, "@alice (id 42)"},
		"any other choice denies":     {t.Context(), bot.Answer{Choice: 7, User: alice}, nil, gavel.VerifierDenied, "@alice (id 42)"},
		"nobody answers":              {t.Context(), bot.Answer{}, bot.ErrExpired, gavel.VerifierTimeout, ""},
		"its time is over":            {late, bot.Answer{}, context.Canceled, gavel.VerifierTimeout, ""},
		"the caller has gone":         {gone, bot.Answer{}, context.Canceled, gavel.VerifierEnded, ""},
		"Telegram is down":            {t.Context(), bot.Answer{}, fmt.Errorf("%w: no\nroute", bot.ErrUnreachable), gavel.VerifierUnreachable, `telegram cannot be reached: no\u{A}route`},
		"down until its time is over": {late, bot.Answer{}, fmt.Errorf("%w: 401", bot.ErrUnreachable), gavel.VerifierUnreachable, "telegram cannot be reached: 401"},
		"gone while it is down":       {gone, bot.Answer{}, fmt.Errorf("%w: 401", bot.ErrUnreachable), gavel.VerifierEnded, ""},
		"gone while it is busy":       {gone, bot.Answer{}, bot.ErrBusy, gavel.VerifierEnded, ""},
		"Telegram wants fewer":        {t.Context(), bot.Answer{}, fmt.Errorf("%w: 429", bot.ErrBusy), gavel.VerifierBusy, "too many questions are asked with Telegram: 429"},
		"anything else":               {t.Context(), bot.Answer{}, errors.New("odd"), gavel.VerifierUnreachable, "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := telegram.New(&scripted{answer: c.answer, err: c.err}, bot.Chat{ID: 42}, clock)
			require.NoError(t, err)
			got := client.Ask(c.ctx, &gavel.VerifierQuestion{Tool: "exec"})
			assert.Equal(t, c.want, got.Outcome)
			assert.Equal(t, c.detail, got.Detail)
		})
	}
}

func TestAQuestionTellsAPersonWhatRunsWhereAndForWhom(t *testing.T) {
	s := &scripted{}
	client, err := telegram.New(s, bot.Chat{ID: -100, People: []int64{42}}, clock)
	require.NoError(t, err)
	client.Ask(t.Context(), &gavel.VerifierQuestion{Tool: "exec", Agent: "main", Session: "agent:main:main", Digest: strings.Repeat("ab", 32), Directory: "/srv",
		Params:    map[string]any{"command": "curl https://example.com", "workdir": "/srv", "pty": true, "env": map[string]any{"A": "[REDACTED: 3 chars]"}},
		Reasons:   []gavel.Reason{{Message: "curl is allowlisted"}},
		ExpiresAt: clock().Add(time.Minute)})
	assert.Equal(t, []bot.Field{
		{Name: "Tool", Value: "exec"}, {Name: "Command", Value: "curl https://example.com"}, {Name: "Directory", Value: "/srv"},
		{Name: "Parameters", Value: `{"env":{"A":"[REDACTED: 3 chars]"},"pty":true}`},
		{Name: "Agent", Value: "main"}, {Name: "Session", Value: "agent:main:main"},
		{Name: "Because", Value: "curl is allowlisted"}, {Name: "Digest", Value: "abababababababab"},
	}, s.asked.Fields)
	assert.Equal(t, clock().Add(time.Minute), s.asked.Expires)
	assert.EqualValues(t, -100, s.chat.ID)
	assert.Equal(t, "Allow", s.asked.Choices[0].Label)
}

func TestAPersonSeesWhereACallRunsEvenIfTheCallLeavesItOut(t *testing.T) {
	for name, c := range map[string]struct {
		params map[string]any
		want   []bot.Field
	}{
		"no parameter":         {map[string]any{"command": "make"}, []bot.Field{{Name: "Tool", Value: "exec"}, {Name: "Command", Value: "make"}, {Name: "Directory", Value: "/real"}}},
		"by another name":      {map[string]any{"workdir": "/link"}, []bot.Field{{Name: "Tool", Value: "exec"}, {Name: "Directory", Value: "/real"}, {Name: "Parameters", Value: `{"workdir":"/link"}`}}},
		"one that is not text": {map[string]any{"workdir": 7.0}, []bot.Field{{Name: "Tool", Value: "exec"}, {Name: "Directory", Value: "/real"}, {Name: "Parameters", Value: `{"workdir":7}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{}
			client, err := telegram.New(s, bot.Chat{ID: 42}, clock)
			require.NoError(t, err)
			client.Ask(t.Context(), &gavel.VerifierQuestion{Tool: "exec", Directory: "/real", Params: c.params})
			assert.Equal(t, c.want, s.asked.Fields[:len(c.want)])
		})
	}
}

func TestAProbeSaysThatNothingRuns(t *testing.T) {
	s := &scripted{}
	client, err := telegram.New(s, bot.Chat{ID: 42}, clock)
	require.NoError(t, err)
	client.Ask(t.Context(), &gavel.VerifierQuestion{Tool: "exec", Probe: true})
	assert.Contains(t, s.asked.Title, "No tool runs")
	assert.Equal(t, clock().Add(2*time.Minute), s.asked.Expires)
}

func TestAGroupNeedsPeopleWhoMayAnswer(t *testing.T) {
	_, err := telegram.New(&scripted{}, bot.Chat{ID: -100}, clock)
	require.ErrorContains(t, err, "list the user ids")
}
