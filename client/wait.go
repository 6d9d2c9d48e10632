package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gavel"
)

// poll is how long one request waits for an answer. It is shorter than what proxies usually
// permit.
const poll = 25 * time.Second

// Answer is the outcome of a question to people.
type Answer struct {
	ID       string              `json:"id"`
	State    gavel.ApprovalState `json:"state"`
	Decision gavel.Answer        `json:"decision"` // what the person said; "" if nobody answered
	Comment  string              `json:"comment"`  // what they said with it; sanitised
	Outcome  *struct {
		Effect  gavel.Effect   `json:"effect"`
		Reasons []gavel.Reason `json:"reasons"`
	} `json:"outcome"`
}

// Wait waits until the question that a decision opened is no longer pending. It returns an
// *Error if the decision opened none, if ctx ends first, or if Gavel cannot be asked. An
// answer permits nothing yet: decide the same call again, as Authorize does.
func (c *Client) Wait(ctx context.Context, decision gavel.Decision) (Answer, error) {
	const doing = "wait for an approval"
	if decision.Approval == nil || decision.Approval.ID == "" {
		return Answer{}, &Error{Doing: doing, Err: errors.New("the decision opened no question")}
	}
	for {
		if err := ctx.Err(); err != nil {
			return Answer{}, &Error{Doing: doing, Err: err}
		}
		limit := poll
		if deadline, set := ctx.Deadline(); set {
			limit = max(time.Millisecond, min(limit, time.Until(deadline)))
		}
		path := fmt.Sprintf("/v1/approvals/%s/wait?timeoutMs=%d", url.PathEscape(decision.Approval.ID), limit.Milliseconds())
		once, cancel := context.WithTimeout(ctx, limit+c.config.Timeout)
		text, err := c.request(once, doing, http.MethodGet, path, nil)
		cancel()
		if err != nil {
			return Answer{}, err
		}
		var answer Answer
		if err := json.Unmarshal(text, &answer); err != nil {
			return Answer{}, &Error{Doing: doing, Status: http.StatusOK, Err: fmt.Errorf("the answer is not an approval: %w", err)}
		}
		if answer.ID != decision.Approval.ID {
			return Answer{}, &Error{Doing: doing, Status: http.StatusOK, Err: fmt.Errorf("the answer is about approval %q", answer.ID)}
		}
		switch answer.State {
		case gavel.ApprovalPending:
		case gavel.ApprovalResolved, gavel.ApprovalExpired, gavel.ApprovalConsumed:
			return answer, nil
		default:
			return Answer{}, &Error{Doing: doing, Status: http.StatusOK, Err: fmt.Errorf("the answer has the unknown state %q", answer.State)}
		}
	}
}

// Refused is the error for a call that was decided and must not run.
type Refused struct {
	Decision gavel.Decision
	// State is how the question to people ended; "" if they were not asked.
	State gavel.ApprovalState
	// Comment is what the person who answered wrote, if anything.
	Comment string
}

// Error returns the reasons, what to do, and the person's comment.
func (r *Refused) Error() string {
	var parts []string
	for _, reason := range r.Decision.Reasons {
		text := reason.Message + " (" + reason.Code + ")"
		if reason.Fix != "" {
			text += "; " + reason.Fix
		}
		parts = append(parts, text)
	}
	text := "gavel: " + r.Decision.Effect.String() + ": " + strings.Join(parts, "; ")
	if r.Comment != "" {
		text += "; a person said: " + r.Comment
	}
	return text
}

// Authorize decides a call and, if a person must agree, waits for the answer and asks again.
// It returns a permit if the call may run, a *Refused if it must not, and an *Error if there
// is no decision. How long a person has is up to the policy; ctx may end the wait earlier.
func (c *Client) Authorize(ctx context.Context, call gavel.Call) (*Permit, error) {
	decision, err := c.Decide(ctx, call)
	if err != nil {
		return nil, err
	}
	comment := ""
	if decision.Effect == gavel.Ask && decision.Approval != nil {
		answer, err := c.Wait(ctx, decision)
		if err != nil {
			return nil, err
		}
		comment = answer.Comment
		if answer.Outcome == nil || answer.Outcome.Effect != gavel.Allow {
			return nil, &Refused{Decision: decision, State: answer.State, Comment: comment}
		}
		if decision, err = c.Decide(ctx, call); err != nil {
			return nil, err
		}
	}
	if decision.Effect != gavel.Allow {
		return nil, &Refused{Decision: decision, Comment: comment}
	}
	return &Permit{decision: decision, call: call}, nil
}
