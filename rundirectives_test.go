package gavel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// directed is a policy that says the same of every directive.
type directed struct {
	saying
	verdicts []gavel.DirectiveVerdict
	fails    error
	panics   bool
}

func (d directed) Directives(context.Context, gavel.Facts) ([]gavel.DirectiveVerdict, error) {
	if d.panics {
		panic("rules")
	}
	return d.verdicts, d.fails
}

// keeping keeps what is set.
type keeping struct {
	sets  []gavel.StoredSession
	fails error
}

func (*keeping) Observe(*gavel.Call) gavel.SessionValuesFacts { return gavel.SessionValuesFacts{} }

func (k *keeping) Set(_ context.Context, set gavel.StoredSession) (gavel.StoredSession, error) {
	k.sets = append(k.sets, set)
	return set, k.fails
}

func one(string) (gavel.MessageFacts, string) {
	return gavel.MessageFacts{Directives: []gavel.DirectiveFacts{{Name: "exec"}}}, "rest"
}

func stores() []gavel.DirectiveVerdict {
	return []gavel.DirectiveVerdict{{Action: gavel.DirectiveStore, Values: gavel.StoredValues{Ask: "always"}, TimeoutMs: 60_000}}
}

func TestADirectiveIsRecordedAndThenStored(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	facts := gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Session: gavel.SessionFacts{Key: "k"}, Sender: gavel.SenderFacts{Channel: "discord", ID: "1"}}
	audit, store := &written{}, &keeping{}
	pdp := gavel.PDP{Analyzer: of{facts}, Policy: only{directed{verdicts: stores()}}, NewID: func() string { return "id" }, Now: func() time.Time { return at }, Audit: audit}
	answer := pdp.CarryOutDirectives(t.Context(), gavel.DirectiveServices{Read: one, Sessions: store}, gavel.IncomingMessage{}, gavel.Options{Caller: "gateway"})
	want := gavel.StoredSession{Key: "k", Agent: "main", StoredValues: gavel.StoredValues{Ask: "always"}, By: "discord:1", ExpiresAt: at.Add(time.Minute)}
	assert.Equal(t, []gavel.StoredSession{want}, store.sets)
	assert.Equal(t, gavel.DirectivesAnswer{Text: "rest", Revision: "saying", Reply: "Set for this session until 2026-01-02T03:05:05Z: ask=always.",
		Directives: []gavel.DirectiveOutcome{{Name: "exec", Action: "store", Reply: "Set for this session until 2026-01-02T03:05:05Z: ask=always.", Session: &want}}}, answer)
	assert.Equal(t, []gavel.AuditEvent{{Kind: "directive.set", Timestamp: at, By: "gateway", Agent: "main",
		Detail: map[string]any{"directive": "exec", "sender": "discord:1", "session": "k", "values": "ask=always", "for": "store"}}}, audit.events)
}

func TestADirectiveThatCannotBeJudgedOrRecordedIsRefused(t *testing.T) {
	for about, c := range map[string]struct {
		policy gavel.Snapshot
		log    error
		code   string
	}{
		"no policy":                   {nil, nil, gavel.CodePolicyError},
		"a policy without directives": {saying{}, nil, gavel.CodePolicyError},
		"an error of the policy":      {directed{fails: errors.New("rules")}, nil, gavel.CodePolicyError},
		"a panic":                     {directed{panics: true}, nil, gavel.CodePolicyError},
		"no verdict":                  {directed{}, nil, gavel.CodePolicyError},
		"a verdict too many":          {directed{verdicts: append(stores(), stores()...)}, nil, gavel.CodePolicyError},
		"an action that nobody knows": {directed{verdicts: []gavel.DirectiveVerdict{{Action: "allow"}}}, nil, gavel.CodePolicyError},
		"an empty verdict":            {directed{verdicts: []gavel.DirectiveVerdict{{}}}, nil, gavel.CodePolicyError},
		"a log that is full":          {directed{verdicts: stores()}, errors.New("full"), gavel.CodeLogUnavailable},
		"an answer without a door":    {directed{verdicts: []gavel.DirectiveVerdict{{Action: gavel.DirectiveAnswer}}}, nil, gavel.CodeNoApprovals},
	} {
		store := &keeping{}
		pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{c.policy}, NewID: func() string { return "id" }, Now: time.Now, Audit: &written{fails: c.log}}
		answer := pdp.CarryOutDirectives(t.Context(), gavel.DirectiveServices{Read: one, Sessions: store}, gavel.IncomingMessage{}, gavel.Options{})
		if assert.Len(t, answer.Directives, 1, about) {
			assert.Equal(t, gavel.DirectiveRefuse, answer.Directives[0].Action, about)
			assert.Equal(t, c.code, answer.Directives[0].Reason[0].Code, about)
			if _, judges := c.policy.(gavel.DirectiveJudge); !judges {
				assert.Equal(t, "the policy does not judge directives", answer.Directives[0].Reason[0].Message, about)
			}
		}
		assert.Empty(t, store.sets, about)
	}
}

func TestAValueThatCannotBeStoredIsRefusedWithAReason(t *testing.T) {
	store := &keeping{fails: errors.New("disk")}
	pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{directed{verdicts: stores()}}, NewID: func() string { return "id" }, Now: time.Now}
	answer := pdp.CarryOutDirectives(t.Context(), gavel.DirectiveServices{Read: one, Sessions: store}, gavel.IncomingMessage{}, gavel.Options{})
	assert.Equal(t, gavel.CodeSessionsUnusable, answer.Directives[0].Reason[0].Code)
	assert.Equal(t, gavel.DirectiveRefuse, answer.Directives[0].Action)
}

func TestAnAnswerThatIsNotRecordedIsRefused(t *testing.T) {
	verdicts := []gavel.DirectiveVerdict{{Action: gavel.DirectiveAnswer, ID: "a1", Answer: "allow-once"}}
	for about, c := range map[string]struct {
		id     string
		err    error
		action string
		code   string
		reply  string
	}{
		"answered":                       {"a1", nil, gavel.DirectiveAnswer, "", "Answered a1 with allow-once."},
		"answered, but not in full":      {"a1", errors.New("no entry was added"), gavel.DirectiveAnswer, "", "Answered a1 with allow-once, but: no entry was added."},
		"refused, with a code":           {"", &gavel.ApprovalError{Code: gavel.CodeNotApprover, Message: "m"}, gavel.DirectiveRefuse, gavel.CodeNotApprover, "m"},
		"the question cannot be reached": {"", errors.New("disk"), gavel.DirectiveRefuse, gavel.CodeNoApprovals, "could not be recorded"},
	} {
		pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{directed{verdicts: verdicts}}, NewID: func() string { return "id" }, Now: time.Now}
		services := gavel.DirectiveServices{Read: one, Sessions: &keeping{}, Answers: func(context.Context, gavel.AnswerRequest) (string, string, error) { return c.id, "resolved", c.err }}
		outcome := pdp.CarryOutDirectives(t.Context(), services, gavel.IncomingMessage{}, gavel.Options{}).Directives[0]
		assert.Equal(t, c.action, outcome.Action, about)
		assert.Contains(t, outcome.Reply, c.reply, about)
		if c.code != "" {
			assert.Equal(t, c.code, outcome.Reason[0].Code, about)
		}
	}
}
