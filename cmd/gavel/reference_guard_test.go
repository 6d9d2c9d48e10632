package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// counter is a server that is started for the first who asks it.
type counter struct{ *testServer }

// asked puts a question to the RPC of a server, as a gateway does.
func (c *counter) asked(p scene, params map[string]any) string {
	if c.testServer == nil {
		c.testServer = startTestServer(p.t, "agents: {main: {exec: {security: full}}}\n")
	}
	params["twoPhase"] = true
	params["environment"] = json.RawMessage(`{"cwd":"/w","path":["/usr/bin"],"executables":{"ls":"/usr/bin/ls","uname":"/usr/bin/uname","echo":"/usr/bin/echo","env":"/usr/bin/env","bash":"/usr/bin/bash","/bin/sh":"/usr/bin/sh"}}`)
	text, err := json.Marshal(params)
	require.NoError(p.t, err)
	if v := c.rpc("gateway", "exec.approval.request", string(text)); v["error"] != nil {
		return "refused"
	}
	return "accepted"
}

// contradiction gives a command as words and as a text.
func (c *counter) contradiction(t *testing.T, r row) trial {
	in := part[struct {
		Command    []string
		RawCommand *string
	}](t, r.Input)
	want := "refused"
	if part[struct{ Request struct{ OK bool } }](t, r.Expect).Request.OK {
		want = "accepted"
	}
	return trial{want: want, observe: func(p scene) string {
		params := map[string]any{"cwd": "/w", "agentId": "main"}
		if in.Command != nil {
			params["commandArgv"] = in.Command
		}
		if in.RawCommand != nil {
			params["command"] = *in.RawCommand
		}
		return c.asked(p, params)
	}}
}

// plan asks about the plan of a node.
func (c *counter) plan(t *testing.T, r row) trial {
	in := part[struct{ Plan json.RawMessage }](t, r.Input)
	want := "accepted"
	if string(part[struct{ Plan json.RawMessage }](t, r.Expect).Plan) == "null" {
		want = "refused"
	}
	return trial{want: want, observe: func(p scene) string {
		return c.asked(p, map[string]any{"host": "node", "nodeId": "n1", "cwd": "/w", "agentId": "main", "systemRunPlan": in.Plan})
	}}
}

// guardCase is a question about a command of a node that somebody answered, or nobody in
// time, and the call that would use the answer.
type guardCase struct {
	Record struct {
		NodeID, RequestedByDeviceID, Decision, ExpireBy string
		Argv                                            []string
		NoNode, NoBinding, Expire                       bool
		Device                                          *string
		Conn                                            string
	}
	Call struct {
		Command                         []string
		RunID, ApprovalDecision, NodeID string
		Approved                        bool
	}
	Client struct {
		ConnID, DeviceID string
		Connect          struct{ Device struct{ ID string } }
	}
	NodeID    string
	Times     int
	NoManager bool
}

// asker is the credential that asked, and caller the one that would use the answer. A
// client without a device is its connection.
func (c guardCase) asker() string {
	if c.Record.Conn != "" {
		return c.Record.Conn
	}
	return c.Record.RequestedByDeviceID
}

func (c guardCase) caller() string {
	switch {
	case c.Record.Conn != "":
		return c.Client.ConnID
	case c.Client.Connect.Device.ID != "":
		return c.Client.Connect.Device.ID
	}
	return c.Client.DeviceID
}

// guard lets a question be answered, and makes the call.
func guard(t *testing.T, r row) trial {
	in := part[guardCase](t, r.Input)
	expect := part[struct {
		OK      *bool
		Results []struct{ OK bool }
	}](t, r.Expect)
	if expect.OK != nil {
		expect.Results = append(expect.Results, struct{ OK bool }{*expect.OK})
	}
	want := ""
	for _, result := range expect.Results {
		want += fmt.Sprint(result.OK, " ")
	}
	agent := map[string]any{"exec": map[string]any{"host": "node", "security": "full"}}
	return trial{want: want, agent: agent, observe: func(p scene) string {
		p = p.alone()
		if in.NoManager {
			p.PDP.Approvals = nil
		}
		if !in.NoManager {
			node := in.Record.NodeID
			if in.Record.NoNode || in.Record.NoBinding {
				node = "" // then the question is bound to nothing
			}
			first := p.onNode(in.asker(), node, in.Record.Argv)
			if in.Record.Decision != "" && first.Approval != nil {
				_, err := p.people.Resolve(p.t.Context(), approvals.Resolution{ID: first.Approval.ID, Answer: in.Record.Decision, By: "approve"})
				require.NoError(p.t, err)
			}
			if in.Record.Expire {
				p.now = p.now.Add(approvals.DefaultTimeout)
			}
		}
		got := ""
		for range max(in.Times, 1) {
			got += fmt.Sprint(p.onNode(in.caller(), in.NodeID, in.Call.Command).Effect == gavel.Allow, " ")
		}
		return got
	}}
}

// onNode decides a command of a node.
func (p scene) onNode(caller, node string, argv []string) gavel.Decision {
	call := gavel.Call{Agent: gavel.Agent{ID: p.id}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": shellWords(argv)}},
		Environment: &gavel.Environment{Cwd: "/w", Home: "/home/u", Path: []string{"/usr/bin"}, Executables: map[string]string{"echo": "/usr/bin/echo"}}}
	if node != "" {
		call.Tool.Params["node"] = node
	}
	return p.Decide(p.t.Context(), call, gavel.Options{Caller: caller})
}
