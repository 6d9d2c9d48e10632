package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/internal/display"
)

// askArea is the area ask: whom a command is asked about, and what comes of an answer.
func askArea() area {
	return area{count: 139, ops: map[string]func(*testing.T, row) trial{
		"requiresExecApproval": prompted, "approvalOutcome": answered, "minSecurity": tightest, "maxAsk": tightest,
		"normalizeExecSecurity": word("security"), "normalizeExecAsk": word("ask"), "normalizeExecHost": word("host"), "normalizeExecTarget": word("host"),
		"resolveApprovalsFile": fileSettings, "allowedDecisions": answersOffered, "requestAllowedDecisions": answersOffered,
		"lookupPendingId": lookup, "constant": constant, "forwardFilter": forwarded, "systemRun": answeredRun,
		"sanitizeDisplay": shownText, "displayRequest": shownRequest, "parseApproveCommand": approveCommand, "safeRegex": filterText,
	}}
}

// gateway are settings of exec on the gateway.
func gateway(settings map[string]any) map[string]any {
	exec := map[string]any{"host": "gateway"}
	for name, value := range settings {
		exec[name] = value
	}
	return map[string]any{"exec": exec}
}

// exec is a call of the case's agent on a machine with a few programs.
func (p scene) exec(command string, change ...func(*gavel.Call)) gavel.Decision {
	return p.run(p.t, command, append([]func(*gavel.Call){func(c *gavel.Call) { c.Agent.ID = p.id }}, change...)...)
}

// prompted asks about ls, or about echo with a substitution where the reference could not
// take the command apart. What was approved permanently is in the file, and was answered so.
func prompted(t *testing.T, r row) trial {
	in := part[struct {
		Ask, Security                           string
		AnalysisOK, AllowlistSatisfied, Durable bool
	}](t, r.Input)
	settings := map[string]any{"security": in.Security, "ask": in.Ask}
	if in.AllowlistSatisfied {
		settings["allowlist"] = []string{"/usr/bin/ls"}
	}
	command := "ls"
	if !in.AnalysisOK {
		command = "ls $(ls)"
	}
	return trial{want: part[struct{ Outcome string }](t, r.Expect).Outcome, agent: gateway(settings), observe: func(p scene) string {
		if in.Durable {
			require.NoError(p.t, p.file.Allow(p.t.Context(), p.id, []gavel.OfferedPattern{{Pattern: "/usr/bin/ls"}}))
			if d := p.exec(command); d.Terms != nil && slices.Contains(d.Terms.Answers, gavel.AllowAlways) {
				p.answer(p.t, d, "allow-always")
				if used := p.exec(command); used.Effect != gavel.Allow {
					return "the answer is not used: " + codes(used)
				}
			}
		}
		return p.exec(command).Effect.String()
	}}
}

// answered answers a question, or lets its time pass. A command that the list permits is
// asked about because of ask: always, and another one because it is not listed.
func answered(t *testing.T, r row) trial {
	in := part[struct {
		Decision                                    *string
		AskFallback                                 string
		AnalysisOKAndSatisfied, StrictInlineEvalHit bool
	}](t, r.Input)
	want := part[struct{ Approved, Persist bool }](t, r.Expect)
	command, program := "rm x", "/usr/bin/rm"
	if in.StrictInlineEvalHit {
		command, program = "python3 -c x", "/usr/bin/python3"
	}
	settings := map[string]any{"askFallback": in.AskFallback, "strictInlineEval": true}
	if in.AnalysisOKAndSatisfied {
		settings["allowlist"] = []any{map[string]any{"pattern": program, "args": "any"}}
		if !in.StrictInlineEvalHit {
			settings["ask"] = "always"
		}
	}
	c := trial{want: fmt.Sprintf("approved %t, permanently %t", want.Approved, want.Persist), agent: gateway(settings)}
	if in.AskFallback == "full" {
		c.config = map[string]any{"agents": map[string]any{"main": c.agent}}
	}
	c.observe = func(p scene) string {
		d := p.exec(command)
		if d.Effect != gavel.Ask {
			return codes(d)
		}
		if in.Decision == nil {
			p.now = p.now.Add(approvals.DefaultTimeout)
			expired, err := p.people.Wait(p.t.Context(), d.Approval.ID)
			require.NoError(p.t, err)
			return fmt.Sprintf("approved %t, permanently %t", expired.Fallback.Effect == gavel.Allow, false)
		}
		if _, err := p.people.Resolve(p.t.Context(), approvals.Resolution{ID: d.Approval.ID, Answer: *in.Decision, By: "approve"}); err != nil {
			return "the answer is refused"
		}
		approved := p.exec(command).Effect == gavel.Allow
		file, err := p.file.Get()
		require.NoError(p.t, err)
		return fmt.Sprintf("approved %t, permanently %t", approved, len(file.File.Agents[p.id].Allowlist) > 0)
	}
	return c
}

// tightest combines a setting of the configuration with one of the session.
func tightest(t *testing.T, r row) trial {
	in := part[struct{ Op, A, B string }](t, r.Input)
	settings, session := map[string]any{"security": in.A, "ask": "off"}, gavel.SessionExec{Security: in.B}
	found := map[string]string{"exec.security_deny": "deny", "exec.allowlist_miss": "allowlist", "exec.full": "full"}
	if in.Op == "maxAsk" {
		settings, session = map[string]any{"security": "full", "ask": in.A}, gavel.SessionExec{Ask: in.B}
		found = map[string]string{"approvals.always": "always", "approvals.unseen": "on-miss", "exec.full": "off"}
	}
	return trial{want: part[struct{ Value string }](t, r.Expect).Value, agent: gateway(settings), observe: func(p scene) string {
		code := codes(p.exec("rm x", func(c *gavel.Call) { c.Session.Exec = session }))
		if value, known := found[code]; known {
			return value
		}
		return code
	}}
}

// word says a word of a setting in a session: nothing is the word that is none.
func word(setting string) func(t *testing.T, r row) trial {
	return func(t *testing.T, r row) trial {
		in := part[struct{ Value string }](t, r.Input)
		want := "nothing"
		if value := part[struct{ Value *string }](t, r.Expect).Value; value != nil {
			want = *value
		}
		return trial{want: want, agent: gateway(nil), observe: func(p scene) string {
			said := map[string]gavel.SessionExec{"security": {Security: in.Value}, "ask": {Ask: in.Value}, "host": {Host: in.Value}}[setting]
			call := gavel.Call{Agent: gavel.Agent{ID: p.id}, Session: gavel.Session{Exec: said}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "rm x"}}}
			facts, err := p.Observe(p.t.Context(), call)
			if err != nil {
				return err.Error()
			}
			if d := p.exec("rm x", func(c *gavel.Call) { c.Session.Exec = said }); strings.Contains(codes(d), "exec.unknown_setting") {
				return "exec.unknown_setting"
			}
			exec := facts.Session.Exec
			if value := exec.Security + exec.Ask + exec.Host; value != "" {
				return value
			}
			return "nothing"
		}}
	}
}

// fileSettings reads an approvals file, and says whose settings hold for an agent.
func fileSettings(t *testing.T, r row) trial {
	in := part[struct {
		File    json.RawMessage
		AgentID string
	}](t, r.Input)
	expect := part[struct {
		Agent     struct{ Security, Ask, AskFallback string }
		Sources   struct{ Security, Ask, AskFallback *string }
		Allowlist []struct{ Pattern string }
	}](t, r.Expect)
	said := func(value string, source *string) string {
		if source == nil {
			return "nothing"
		}
		return value + " of " + *source
	}
	want := fmt.Sprint(said(expect.Agent.Security, expect.Sources.Security), ", ", said(expect.Agent.Ask, expect.Sources.Ask), ", ",
		said(expect.Agent.AskFallback, expect.Sources.AskFallback), ", ", expect.Allowlist)
	if r.Bug {
		want = "the file is refused"
	}
	return trial{want: want, observe: func(p scene) string {
		f := p.alone()
		file, err := f.file.Get()
		require.NoError(p.t, err)
		require.NoError(p.t, os.WriteFile(file.Path, in.File, 0o600))
		if file, err = f.file.Get(); err != nil {
			return "the file is refused"
		}
		facts := gavel.Facts{Agent: gavel.AgentFacts{ID: in.AgentID}}
		f.file.Observe(&facts)
		got := func(value func(gavel.ApprovalsFileSetting) string, name string) string {
			for _, s := range facts.ApprovalsFile.Settings {
				if value(s) != "" {
					return value(s) + " of " + strings.TrimPrefix(s.Path, allowlist.Name+"#") + "." + name
				}
			}
			return "nothing"
		}
		list := []struct{ Pattern string }{}
		for _, entry := range file.File.Agents[in.AgentID].Allowlist {
			list = append(list, struct{ Pattern string }{entry.Pattern})
		}
		return fmt.Sprint(got(func(s gavel.ApprovalsFileSetting) string { return s.Security }, "security"), ", ",
			got(func(s gavel.ApprovalsFileSetting) string { return s.Ask }, "ask"), ", ",
			got(func(s gavel.ApprovalsFileSetting) string { return s.AskFallback }, "askFallback"), ", ", list)
	}}
}

// shownText is a text as people see it.
func shownText(t *testing.T, r row) trial {
	in := part[struct{ Text string }](t, r.Input)
	want := part[struct{ Text string }](t, r.Expect).Text
	if r.Bug { // the safer way escapes every control character
		want = ""
		for _, c := range in.Text {
			if c < ' ' {
				want += fmt.Sprintf(`\u{%X}`, c)
			} else {
				want += string(c)
			}
		}
	}
	return trial{want: want, observe: func(scene) string { return display.Clean(in.Text, 0).Text }}
}

// constant is a number that both have.
func constant(t *testing.T, r row) trial {
	in := part[struct{ Name string }](t, r.Input)
	return trial{want: fmt.Sprint(part[struct{ Value int }](t, r.Expect).Value), observe: func(scene) string {
		if in.Name == "default approval timeout ms" {
			return fmt.Sprint(approvals.DefaultTimeout.Milliseconds())
		}
		return "there is none"
	}}
}

// filterText lists a text as a filter of sessions, which is compared and never a regular
// expression.
func filterText(t *testing.T, r row) trial {
	in := part[struct{ Source string }](t, r.Input)
	want := "refused"
	if part[struct{ Accepted bool }](t, r.Expect).Accepted {
		want = "accepted"
	}
	return trial{want: want, agent: map[string]any{}, observe: func(p scene) string {
		_, refused := settled(p.t, map[string]any{"approvals": map[string]any{"exec": map[string]any{"sessionFilter": []string{in.Source}}}})
		if refused != "" {
			return "refused"
		}
		return "accepted"
	}}
}
