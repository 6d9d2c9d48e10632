package main

import (
	"context"

	"gavel"
	"gavel/analyzer/directive"
	"gavel/approvals"
)

// directiveServices returns the parts that carry out directives: their reader, the session store, and the
// function that resolves an approval.
func (s *service) directiveServices() *gavel.DirectiveServices {
	return &gavel.DirectiveServices{Read: directive.Read, Sessions: s.who.sessions, Answers: func(ctx context.Context, answer gavel.AnswerRequest) (id, state string, err error) {
		resolved, err := s.state.manager.Resolve(ctx, approvals.Resolution{ID: answer.ID, Answer: answer.Answer, By: answer.By, Person: answer.Person, Issue: answer.Issue, From: answer.From, Comment: answer.Comment})
		return resolved.ID, string(resolved.State), err
	}}
}
