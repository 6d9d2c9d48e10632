package hosts_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/hosts"
)

// request is one with a call for each command.
func request(commands ...string) hosts.Request {
	r := hosts.Request{Host: "host", Rewrites: true, Asks: true}
	for _, text := range commands {
		r.Calls = append(r.Calls, gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": text}},
			Environment: &gavel.Environment{Path: []string{"/usr/bin"}}})
	}
	return r
}

func decision(effect gavel.Effect, code, command string) gavel.Decision {
	return gavel.Decision{Effect: effect, Reasons: []gavel.Reason{{Code: code, Message: "m"}}, Exec: &gavel.Exec{Host: "gateway", Command: command},
		Terms: &gavel.Terms{Quorum: 1}}
}

func TestTheWorstDecisionIsTheVerdict(t *testing.T) {
	allow, ask, deny := decision(gavel.Allow, "a.a", "'ls'"), decision(gavel.Ask, "b.b", "'ls'"), decision(gavel.Deny, "c.c", "")
	for about, c := range map[string]struct {
		decisions []gavel.Decision
		effect    gavel.Effect
		code      string
	}{
		"all allowed":     {[]gavel.Decision{allow, allow}, gavel.Allow, "a.a"},
		"one asked":       {[]gavel.Decision{allow, ask}, gavel.Ask, "b.b"},
		"one denied":      {[]gavel.Decision{deny, allow}, gavel.Deny, "c.c"},
		"denied and more": {[]gavel.Decision{ask, deny}, gavel.Deny, "c.c"},
	} {
		t.Run(about, func(t *testing.T) {
			v := hosts.Judge(request("ls", "ls"), c.decisions)
			assert.Equal(t, c.effect, v.Effect)
			assert.Contains(t, v.Reason, c.code)
		})
	}
	for _, wrong := range [][]gavel.Decision{nil, {allow}, {allow, allow, allow}} {
		assert.Equal(t, gavel.Deny, hosts.Judge(request("ls", "ls"), wrong).Effect, "%d decisions", len(wrong))
	}
	assert.Equal(t, gavel.Deny, hosts.Judge(request(), nil).Effect, "a missing call is not allowed")
}

func TestAnAnswerThatTheHostCannotCarryOutIsDenied(t *testing.T) {
	for about, c := range map[string]struct {
		change  func(*gavel.Decision)
		request func(*hosts.Request)
		code    string
	}{
		"another machine": {change: func(d *gavel.Decision) { d.Exec.Host = "node" }, code: "hook.exec_host"},
		"a sandbox":       {change: func(d *gavel.Decision) { d.Exec.Host = "sandbox" }, code: "hook.exec_host"},
		"variables":       {change: func(d *gavel.Decision) { d.Exec.Env = map[string]string{"A": "1"} }, code: "hook.environment"},
		"no rewrite, and another search path": {change: func(d *gavel.Decision) { d.Exec.PathPrepend = []string{"/opt/bin"} },
			request: func(r *hosts.Request) { r.Rewrites = false }, code: "hook.not_rewritten"},
		"no rewrite, and an unknown search path": {request: func(r *hosts.Request) { r.Rewrites, r.Calls[0].Environment = false, nil }, code: "hook.not_rewritten"},
		"no rewrite, and a login shell":          {request: func(r *hosts.Request) { r.Rewrites, r.Login = false, true }, code: "hook.not_rewritten"},
	} {
		t.Run(about, func(t *testing.T) {
			d, r := decision(gavel.Allow, "a.a", "'/usr/bin/ls'"), request("ls")
			if c.change != nil {
				c.change(&d)
			}
			if c.request != nil {
				c.request(&r)
			}
			v := hosts.Judge(r, []gavel.Decision{d})
			assert.Equal(t, gavel.Deny, v.Effect)
			assert.Contains(t, v.Reason, c.code)
		})
	}
}

func TestACallToWhichAVerifierAgreedIsAllowed(t *testing.T) {
	d := decision(gavel.Allow, "a.a", "'ls'")
	d.Verify = []string{"webhook"} // a decision allows only after they have agreed
	assert.Equal(t, gavel.Allow, hosts.Judge(request("ls"), []gavel.Decision{d}).Effect)
}

func TestWhatRunsIsWhatWasJudged(t *testing.T) {
	allowed := decision(gavel.Allow, "a.a", "'/usr/bin/ls'")
	v := hosts.Judge(request("ls", "'/usr/bin/ls'"), []gavel.Decision{allowed, allowed})
	assert.Equal(t, []string{"'/usr/bin/ls'", ""}, v.Run, "a command that is as it was judged needs no rewrite")
	v = hosts.Judge(request("ls"), []gavel.Decision{decision(gavel.Ask, "a.a", "'/usr/bin/ls'")})
	assert.Equal(t, []string{"'/usr/bin/ls'"}, v.Run, "what a person permits is rewritten too")
	r := request("ls")
	r.Rewrites = false
	v = hosts.Judge(r, []gavel.Decision{decision(gavel.Allow, "a.a", "'/usr/bin/ls'")})
	assert.Equal(t, []string{""}, v.Run)
	assert.Contains(t, v.Reason, "not rewritten", "the decision says what is lost")
}

func TestAnAskThatThePersonAtTheHostMayNotAnswerIsADeny(t *testing.T) {
	ask := decision(gavel.Ask, "exec.rule", "'ls'")
	ask.Approval = &gavel.Pending{ID: "3f0c8a7e", ExpiresAt: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)}
	v := hosts.Judge(request("ls"), []gavel.Decision{ask})
	assert.Equal(t, gavel.Ask, v.Effect)
	for about, change := range map[string]func(*hosts.Request, *gavel.Decision){
		"the host does not ask": func(r *hosts.Request, _ *gavel.Decision) { r.Asks = false },
		"nobody is there":       func(r *hosts.Request, _ *gavel.Decision) { r.Complete(hosts.ProcessInfo{Unattended: true}) },
		"the policy names who answers": func(_ *hosts.Request, d *gavel.Decision) {
			d.Terms = &gavel.Terms{Approvers: []string{"alice"}, Quorum: 1}
		},
		"the decision has no terms": func(_ *hosts.Request, d *gavel.Decision) { d.Terms = nil },
		"a verifier is asked next":  func(_ *hosts.Request, d *gavel.Decision) { d.Verify = []string{"webhook"} },
		"two people must agree":     func(_ *hosts.Request, d *gavel.Decision) { d.Terms = &gavel.Terms{Quorum: 2} },
	} {
		t.Run(about, func(t *testing.T) {
			r, d := request("ls"), ask
			change(&r, &d)
			v := hosts.Judge(r, []gavel.Decision{d})
			assert.Equal(t, gavel.Deny, v.Effect)
			assert.Contains(t, v.Reason, "gavel approvals approve 3f0c8a7e")
			assert.Contains(t, v.Reason, "09:30:00Z")
		})
	}
}

func TestAQuestionBeginsWithWhatWouldRunAndEndsWithHowToAnswer(t *testing.T) {
	ask := decision(gavel.Ask, "exec.rule_asks", "")
	ask.Approval = &gavel.Pending{ID: "3f0c8a7e", ExpiresAt: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)}
	ask.Reasons = []gavel.Reason{{Code: "a.a", Message: "a push leaves this machine", Fix: "push a branch of your own"}, {Code: "b.b", Message: "m", Fix: "f"}}
	const how = " A person answers with gavel approvals approve 3f0c8a7e, or deny, until 09:30:00Z; then repeat the same call"
	v := hosts.Judge(request("git push"), []gavel.Decision{ask})
	assert.Equal(t, "approval needed for git push: a.a: a push leaves this machine. What helps: push a branch of your own. b.b: m."+how, v.Reason)

	r := request("")
	r.Calls[0].Tool = gavel.Tool{Name: "web_fetch", Params: map[string]any{"url": "https://a.test/"}}
	v = hosts.Judge(r, []gavel.Decision{ask})
	assert.True(t, strings.HasPrefix(v.Reason, "approval needed for web_fetch https://a.test/: a.a"), v.Reason)

	ask.Reasons[0].Message = strings.Repeat("ä", 5000)
	v = hosts.Judge(request(strings.Repeat("x", 5000)), []gavel.Decision{ask})
	assert.True(t, strings.HasSuffix(v.Reason, how), "however long the reasons are: %s", v.Reason)
}

func TestADenialSaysWhatHelpsForEachReason(t *testing.T) {
	deny := decision(gavel.Deny, "", "")
	deny.Reasons = []gavel.Reason{{Code: "a.a", Message: "it is denied", Fix: "use another file"}, {Code: "b.b", Message: "really?", Fix: "ask."}}
	v := hosts.Judge(request("cat .env"), []gavel.Decision{deny})
	assert.Equal(t, "a.a: it is denied. What helps: use another file. b.b: really? What helps: ask.", v.Reason)
}

func TestAReasonIsOnePrintableLine(t *testing.T) {
	for _, message := range []string{"", "a\nb\r\tc", "\x1b[31mred", "\u202eevil", strings.Repeat("ä", 5000), "\xff"} {
		v := hosts.Judge(request("ls"), []gavel.Decision{{Reasons: []gavel.Reason{{Code: "x.y", Message: message}}}})
		assert.NotEmpty(t, strings.TrimSpace(v.Reason))
		assert.NotContains(t, v.Reason, "\n")
		assert.NotContains(t, v.Reason, "\x1b")
		assert.NotContains(t, v.Reason, "\u202e")
		assert.Less(t, len(v.Reason), 2100)
	}
	assert.NotEmpty(t, hosts.Judge(request("ls"), []gavel.Decision{{}}).Reason)
}
