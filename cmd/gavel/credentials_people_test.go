package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/client"
	"gavel/credentials/daemon"
)

func TestARefusalByAPersonSaysSoAndWhatTheyWrote(t *testing.T) {
	asked := gavel.Decision{ID: "d", Effect: gavel.Ask, Reasons: []gavel.Reason{{Code: "credentials.ask", Message: "a person must agree"}}}
	for name, c := range map[string]struct {
		refused client.Refused
		want    gavel.Reason
	}{
		"nobody was asked": {client.Refused{Decision: asked}, asked.Reasons[0]},
		"denied":           {client.Refused{Decision: asked, State: gavel.ApprovalResolved}, gavel.Reason{Layer: "approvals", Code: daemon.CodeDenied, Message: "a person denied it"}},
		"with a comment": {client.Refused{Decision: asked, State: gavel.ApprovalResolved, Comment: "not today"},
			gavel.Reason{Layer: "approvals", Code: daemon.CodeDenied, Message: "a person denied it: not today"}},
		"too late": {client.Refused{Decision: asked, State: gavel.ApprovalExpired}, gavel.Reason{Layer: "approvals", Code: daemon.CodeNobody, Message: "nobody answered the question in time"}},
	} {
		got := refusedByPeople(&c.refused)
		assert.Equal(t, gavel.Deny, got.Effect, name)
		assert.Equal(t, []gavel.Reason{c.want}, got.Reasons, name)
		assert.Equal(t, "d", got.ID)
	}
}
