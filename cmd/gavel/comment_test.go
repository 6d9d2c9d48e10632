package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// The comment of a person's answer is for the agent: the next decision has it, whatever the answer.
func TestAPersonsAnswerReachesTheAgent(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking, "alice", "bob")
	answer := func(scope, id, decision, comment string) {
		t.Helper()
		body, err := json.Marshal(map[string]string{"decision": decision, "comment": comment})
		require.NoError(t, err)
		status, v := o.do(scope, http.MethodPost, "/v1/approvals/"+id+"/resolve", string(body))
		require.Equal(t, http.StatusOK, status, v)
	}
	allowed := o.ask("rm a")
	answer("approve.alice", allowed.Approval.ID, "approve", "only this once, use trash next time")
	d := o.ask("rm a")
	require.Equal(t, gavel.Allow, d.Effect)
	assert.Equal(t, "only this once, use trash next time", d.Approval.Comment)

	denied := o.ask("rm b")
	answer("approve.alice", denied.Approval.ID, "deny", "not on Fridays\u001b[2J")
	d = o.ask("rm b")
	require.Equal(t, gavel.Deny, d.Effect)
	require.NotNil(t, d.Approval)
	assert.Equal(t, denied.Approval.ID, d.Approval.ID)
	assert.Equal(t, `not on Fridays\u{1B}[2J`, d.Approval.Comment, "it is sanitised")
	status, v := o.do("decide", http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"rm b"}}}`)
	require.Equal(t, http.StatusOK, status)
	assert.NotContains(t, fmt.Sprint(v), "Fridays", "another credential is told nothing")

	silent := o.ask("rm c")
	answer("approve.alice", silent.Approval.ID, "deny", "")
	assert.Nil(t, o.ask("rm c").Approval, "there is nothing to tell")

	asked := make(chan map[string]any)
	go func() {
		asked <- o.rpc("gateway", "exec.approval.request", `{"command":"rm d","agentId":"main",`+machine+`}`)
	}()
	var id string
	require.Eventually(t, func() bool {
		for _, open := range o.open() {
			id = open
		}
		return id != ""
	}, time.Minute, 20*time.Millisecond)
	answer("approve.bob", id, "deny", "ask in the channel")
	result := (<-asked)["result"].(map[string]any)
	assert.Equal(t, "ask in the channel", result["comment"])

	for line := range strings.Lines(decisionLog(t, o.state)) {
		if !strings.Contains(line, `"type":"audit"`) {
			assert.NotContains(t, line, "trash", "it stands in the event of the answer")
		}
	}
	assert.Contains(t, decisionLog(t, o.state), "trash")
}
