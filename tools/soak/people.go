package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"gavel"
)

const (
	concurrentQuestions = 4
	answerInterval      = 100 * time.Millisecond
	concurrentUses      = 4 // callers that use the same answer at the same time
)

// plannedAnswers returns the answers that the operator gives in turn; "" lets the question expire.
func plannedAnswers() []gavel.Answer {
	return []gavel.Answer{gavel.AllowOnce, gavel.AllowOnce, gavel.DenyAnswer, ""}
}

// answerPlan contains the planned answers by question id. It is safe for concurrent use.
type answerPlan struct {
	mu   sync.Mutex
	open map[string]gavel.Answer
}

func (d *answerPlan) put(id string, answer gavel.Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[id] = answer
}

// take removes and returns the planned answer to a question.
func (d *answerPlan) take(id string) (gavel.Answer, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	answer, ok := d.open[id]
	delete(d.open, id)
	return answer, ok
}

// answerQuestions lists the open questions and gives the planned answers, until ctx ends.
func (s *soak) answerQuestions(ctx context.Context, c *client) {
	defer c.close()
	for pause(ctx, answerInterval) {
		var list struct {
			Approvals []struct{ ID string }
		}
		if !c.do(http.MethodGet, "/v1/approvals", nil, &list) {
			continue
		}
		for _, open := range list.Approvals {
			answer, ok := s.plan.take(open.ID)
			if !ok {
				continue
			}
			s.ledger.recordAnswer(open.ID, answer)
			// It may have just expired.
			if c.do(http.MethodPost, "/v1/approvals/"+open.ID+"/resolve", map[string]any{"decision": answer}, nil, http.StatusConflict) {
				s.ledger.recordAccepted(open.ID)
			}
		}
	}
}

// askQuestions runs one question after the other until ctx ends. It finishes the current one.
func (s *soak) askQuestions(ctx context.Context, number int) {
	clients := [2]*client{s.client(false, "gateway"), s.client(true, "gateway")}
	defer clients[0].close()
	defer clients[1].close()
	all := plannedAnswers()
	for n := number; pause(ctx, callPause); n++ {
		c := call{Call: execCall(approvalAgent, "", fmt.Sprintf("rm build/%d-%d", number, n))}
		c.Environment = environment(map[string]bool{"rm": true})
		s.runQuestion(clients, c, all[n%len(all)])
	}
}

// runQuestion takes a question through its life: a call causes it, it is answered or expires, and
// several callers repeat the call at once.
func (s *soak) runQuestion(clients [2]*client, c call, answer gavel.Answer) {
	asked, ok := clients[0].decide(c)
	if !ok {
		return
	}
	if asked.Effect != gavel.Ask || asked.Approval == nil {
		s.ledger.report(wrongOutcome, "%v did not cause a question: %s, %v", c.Tool.Params, asked.Effect, asked.Reasons)
		return
	}
	id := asked.Approval.ID
	if answer != "" {
		s.plan.put(id, answer)
	}
	var end struct {
		State    gavel.ApprovalState
		Decision gavel.Answer
	}
	for end.State == "" || end.State == gavel.ApprovalPending {
		if !clients[0].do(http.MethodGet, "/v1/approvals/"+id+"/wait", nil, &end) {
			return
		}
	}
	var using sync.WaitGroup
	for i := range concurrentUses {
		using.Go(func() {
			d, _ := clients[i%len(clients)].decide(c)
			if d.Effect == gavel.Allow && (d.Approval == nil || d.Approval.ID != id) {
				s.ledger.report(answerMisused, "%v was allowed by something other than approval %s: %v", c.Tool.Params, id, d.Reasons)
			}
		})
	}
	using.Wait()
	s.ledger.recordOutcome(id, answer, end.State, end.Decision)
}
