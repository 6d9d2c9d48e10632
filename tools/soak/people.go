package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"gavel"
)

// askers is how many questions are in progress at a time. Those whose question expires wait
// long.
const (
	askers       = 4
	answerEvery  = 100 * time.Millisecond
	usersAtATime = 4 // callers who try to use the same answer at the same moment
)

// answers are the intended answers to questions. Most callers come back with an answer, and
// some are never answered.
func answers() []gavel.Answer {
	return []gavel.Answer{gavel.AllowOnce, gavel.AllowOnce, gavel.DenyAnswer, ""}
}

// desk holds the intended answers of the operator by question id. It is safe for concurrent
// use.
type desk struct {
	mu   sync.Mutex
	open map[string]gavel.Answer
}

func (d *desk) put(id string, answer gavel.Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[id] = answer
}

// take returns the intended answer once.
func (d *desk) take(id string) (gavel.Answer, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	answer, ok := d.open[id]
	delete(d.open, id)
	return answer, ok
}

// operate lists the open questions and answers those on the desk, until ctx ends.
func (s *soak) operate(ctx context.Context, c *client) {
	defer c.close()
	for pause(ctx, answerEvery) {
		var list struct {
			Approvals []struct{ ID string }
		}
		if !c.do(http.MethodGet, "/v1/approvals", nil, &list) {
			continue
		}
		for _, open := range list.Approvals {
			answer, ok := s.desk.take(open.ID)
			if !ok {
				continue
			}
			s.book.answering(open.ID, answer)
			// It may have expired just now.
			if c.do(http.MethodPost, "/v1/approvals/"+open.ID+"/resolve", map[string]any{"decision": answer}, nil, http.StatusConflict) {
				s.book.taken(open.ID)
			}
		}
	}
}

// askPeople takes questions through their life cycle, one after the other, until ctx ends. It
// finishes the current one.
func (s *soak) askPeople(ctx context.Context, number int) {
	clients := [2]*client{s.client(false, "gateway"), s.client(true, "gateway")}
	defer clients[0].close()
	defer clients[1].close()
	all := answers()
	for n := number; pause(ctx, restAfterCall); n++ {
		one := call{Call: execCall(asker, "", fmt.Sprintf("rm build/%d-%d", number, n))}
		one.Environment = environment(map[string]bool{"rm": true})
		s.life(clients, one, all[n%len(all)])
	}
}

// life takes one question through its life cycle: asked, answered or not, and used by several
// callers at once.
func (s *soak) life(clients [2]*client, one call, answer gavel.Answer) {
	asked, ok := clients[0].decide(one)
	if !ok {
		return
	}
	if asked.Effect != gavel.Ask || asked.Approval == nil {
		s.book.wrong(notAsked, "%v was not asked about: %s, %v", one.Tool.Params, asked.Effect, asked.Reasons)
		return
	}
	id := asked.Approval.ID
	if answer != "" {
		s.desk.put(id, answer)
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
	for i := range usersAtATime {
		using.Go(func() {
			d, _ := clients[i%len(clients)].decide(one)
			if d.Effect == gavel.Allow && (d.Approval == nil || d.Approval.ID != id) {
				s.book.wrong(usedTwice, "%v was allowed by something other than approval %s: %v", one.Tool.Params, id, d.Reasons)
			}
		})
	}
	using.Wait()
	s.book.settled(id, answer, end.State, end.Decision)
}
