package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
)

// flow is a decision point with people, as serve wires it.
type flow struct {
	*gavel.PDP
	people *approvals.Manager
	file   *allowlist.File
	now    time.Time
}

func newFlow(t *testing.T, config string, files ...string) *flow {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i+1 < len(files); i += 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o644))
	a, _, _ := testApp("")
	pdp, err := a.load(t.Context(), dir)
	require.NoError(t, err)
	return newFlowFor(t, pdp)
}

// newFlowFor returns a flow for a decision point, with approvals and an allowlist of its own.
func newFlowFor(t *testing.T, pdp *gavel.PDP) *flow {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.Mkdir(state, 0o700))
	var err error
	f := &flow{PDP: pdp, now: time.Now()}
	f.file, err = allowlist.Open(allowlist.Config{Path: filepath.Join(state, "exec-approvals.json"), Now: time.Now, NewID: uuid.NewString, Token: newToken})
	require.NoError(t, err)
	f.people, err = approvals.Open(t.Context(), approvals.Config{Store: approvals.NewInMemory(), NewID: uuid.NewString,
		Now: func() time.Time { return f.now }, Allowlist: f.file, Revision: func() string { return pdp.Policy.Current().Revision() }})
	require.NoError(t, err)
	t.Cleanup(f.people.Close)
	pdp.Approvals, pdp.File = f.people, f.file
	return f
}

// run decides a command as the gateway's call.
func (f *flow) run(t *testing.T, command string, change ...func(*gavel.Call)) gavel.Decision {
	t.Helper()
	call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Platform: "linux",
			Executables: map[string]string{"rm": "/usr/bin/rm", "ls": "/usr/bin/ls", "python3": "/usr/bin/python3"}}}
	for _, c := range change {
		c(&call)
	}
	return f.Decide(context.Background(), call, gavel.Options{Caller: "gateway"})
}

func (f *flow) answer(t *testing.T, d gavel.Decision, answer string) {
	t.Helper()
	require.Equal(t, gavel.Ask, d.Effect, d.Reasons)
	require.NotNil(t, d.Approval)
	_, err := f.people.Resolve(t.Context(), approvals.Resolution{ID: d.Approval.ID, Answer: answer, By: "approve"})
	require.NoError(t, err)
}

func codesOf(d gavel.Decision) []string {
	var list []string
	for _, reason := range d.Reasons {
		list = append(list, reason.Code)
	}
	return list
}

const asking = "tools: {exec: {host: gateway, allowlist: [/usr/bin/ls]}}\nagents: {main: {}}\n"

func TestAnAnswerPermitsTheSameCallOnce(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	first := f.run(t, "rm x")
	assert.Equal(t, first.Approval.ID, f.run(t, "rm x").Approval.ID, "asking again is the same question")
	f.answer(t, first, "approve")
	allowed := f.run(t, "rm x")
	assert.Equal(t, gavel.Allow, allowed.Effect)
	assert.Contains(t, codesOf(allowed), "approvals.approved")
	assert.Equal(t, first.Approval.ID, allowed.Approval.ID)
	assert.Equal(t, "'/usr/bin/rm' 'x'", allowed.Exec.Command)
	assert.Equal(t, "approval", allowed.Exec.Segments[0].By)
	again := f.run(t, "rm x")
	assert.Equal(t, gavel.Ask, again.Effect, "once")
	assert.NotEqual(t, first.Approval.ID, again.Approval.ID)
}

func TestAnAnswerCoversNothingButItsCall(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]func(*gavel.Call){
		"another argument":    func(c *gavel.Call) { c.Tool.Params["command"] = "rm y" },
		"another directory":   func(c *gavel.Call) { c.Environment.Cwd = "/srv" },
		"another session":     func(c *gavel.Call) { c.Session.Key = "agent:main:b" },
		"another variable":    func(c *gavel.Call) { c.Tool.Params["env"] = map[string]any{"LC_ALL": "C"} },
		"another program":     func(c *gavel.Call) { c.Environment.Executables["rm"] = "/opt/rm" },
		"another shell":       func(c *gavel.Call) { c.Environment.Shell = "sh" },
		"another parameter":   func(c *gavel.Call) { c.Tool.Params["pty"] = true },
		"the same and a bit":  func(c *gavel.Call) { c.Tool.Params["command"] = "rm x; rm z" },
		"its text as a quote": func(c *gavel.Call) { c.Tool.Params["command"] = "rm 'x '" },
	} {
		f := newFlow(t, asking)
		f.answer(t, f.run(t, "rm x"), "approve")
		assert.Equal(t, gavel.Ask, f.run(t, "rm x", other).Effect, name)
		assert.Equal(t, gavel.Allow, f.run(t, "rm x").Effect, name)
	}
}

func TestADenialHolds(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	f.answer(t, f.run(t, "rm x"), "deny")
	assert.Equal(t, []string{"approvals.denied"}, codesOf(f.run(t, "rm x")))
	f.now = f.now.Add(approvals.Grace)
	assert.Equal(t, gavel.Ask, f.run(t, "rm x").Effect, "later it may be asked again")
}

func TestAllowAlwaysAllowlistsTheProgramForLaterCalls(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	d := f.run(t, "rm x")
	assert.Equal(t, []string{"/usr/bin/rm"}, d.Terms.Offer)
	f.answer(t, d, "allow-always")
	for range 3 {
		allowed := f.run(t, "rm x")
		require.Equal(t, gavel.Allow, allowed.Effect)
		assert.Contains(t, codesOf(allowed), "exec.allowlisted")
		for _, reason := range allowed.Reasons {
			if reason.Code == "exec.allowlisted" {
				assert.Equal(t, allowlist.Name, filepath.Base(reason.Source.File))
				assert.Positive(t, reason.Source.Line)
			}
		}
	}
	require.NoError(t, f.file.Flush())
	s, err := f.file.Get()
	require.NoError(t, err)
	assert.Equal(t, "rm x", s.File.Agents["main"].Allowlist[0].LastUsedCommand)
	assert.Equal(t, gavel.Ask, f.run(t, "rm something else").Effect, "a permanent answer is for these words")
}

func TestAllowAlwaysIsNotOfferedWhereNoEntryIsPossible(t *testing.T) {
	t.Parallel()
	d := newFlow(t, asking).run(t, "python3 -c x")
	assert.Equal(t, []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}, d.Terms.Answers)
	assert.Empty(t, d.Terms.Offer)
}

func TestAnUnboundCallIsDenied(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	assert.Equal(t, []string{"approvals.unbound"}, codesOf(f.run(t, "zz x")), "a program that is not there")
	assert.Equal(t, []string{"approvals.unbound"}, codesOf(f.run(t, "rm x", func(c *gavel.Call) { c.Environment.Cwd = "" })))
}

func TestARefusedFileDeniesEveryCommandAndNothingElse(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	s, err := f.file.Get()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.Path, []byte("{"), 0o600))
	_, err = f.file.Get()
	require.Error(t, err)
	assert.Equal(t, []string{"approvals.file_refused"}, codesOf(f.run(t, "ls")))
	read := f.run(t, "", func(c *gavel.Call) { c.Tool = gavel.Tool{Name: "read", Params: map[string]any{"path": "x"}} })
	assert.Equal(t, gavel.Allow, read.Effect)
}

func TestSettingsOfTheFileTightenAndAreNamed(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	s, err := f.file.Get()
	require.NoError(t, err)
	always := "always"
	_, err = f.file.SetAgent(t.Context(), "main", allowlist.Agent{Ask: &always}, s.Hash)
	require.NoError(t, err)
	d := f.run(t, "ls")
	require.Equal(t, []string{"approvals.always"}, codesOf(d))
	assert.Equal(t, "exec-approvals.json#agents.main.ask", d.Reasons[0].Source.Path)
	assert.Positive(t, d.Reasons[0].Source.Line)
	assert.Equal(t, []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}, d.Terms.Answers, "always offers nothing permanently (R15)")
}

func TestWithoutARouteTheFallbackAnswersAtOnce(t *testing.T) {
	t.Parallel()
	connected := "approvals: {exec: {route: connected}}\n"
	f := newFlow(t, connected+asking)
	d := f.run(t, "rm x")
	assert.Equal(t, []string{"approvals.no_route"}, codesOf(d))
	f = newFlow(t, connected+"tools: {exec: {host: gateway, ask: always, askFallback: allowlist, allowlist: [/usr/bin/ls]}}\nagents: {main: {}}\n")
	assert.Contains(t, codesOf(f.run(t, "ls")), "approvals.fallback")
	assert.Equal(t, []string{"approvals.no_route"}, codesOf(f.run(t, "rm x")))
}

func TestAWaitingCallerLearnsTheFallback(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: gateway, ask: always, askFallback: allowlist, allowlist: [/usr/bin/ls]}}\nagents: {main: {}}\n")
	for command, want := range map[string]gavel.Effect{"ls": gavel.Allow, "rm x": gavel.Deny} {
		d := f.run(t, command)
		f.now = f.now.Add(2 * time.Minute)
		expired, err := f.people.Wait(t.Context(), d.Approval.ID)
		require.NoError(t, err)
		assert.Equal(t, gavel.ApprovalExpired, expired.State)
		assert.Equal(t, want, expired.Fallback.Effect, command)
		assert.Equal(t, gavel.Ask, f.run(t, command).Effect, "asking again opens a new one")
	}
}

func TestFullModeAsksUntilTheCommandIsApprovedPermanently(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: gateway, security: full}}\nagents: {main: {}}\n")
	f.answer(t, f.run(t, "rm x"), "allow-once")
	assert.Equal(t, gavel.Allow, f.run(t, "rm x").Effect)
	f.answer(t, f.run(t, "rm x"), "allow-always")
	for range 3 {
		assert.Equal(t, gavel.Allow, f.run(t, "rm x", func(c *gavel.Call) { c.Session.Key = "another" }).Effect)
	}
	assert.Equal(t, gavel.Ask, f.run(t, "rm y").Effect)
	s, err := f.file.Get()
	require.NoError(t, err)
	assert.Empty(t, s.File.Agents["main"].Allowlist, "full mode looks at no list, and adds to none")
}

func TestATextThatWasNotParsedIsBoundExactly(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: gateway, security: full}}\nagents: {main: {}}\n")
	f.answer(t, f.run(t, "echo $(rm x)"), "approve")
	assert.Equal(t, gavel.Ask, f.run(t, "echo $(rm  x)").Effect)
	d := f.run(t, "echo $(rm x)")
	assert.Equal(t, gavel.Allow, d.Effect)
	assert.Equal(t, "echo $(rm x)", d.Exec.Command)
}

func TestACustomRuleAsksAboutAnotherTool(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "agents: {main: {}}\n", "custom.rego", "package custom\n\nask contains \"somebody must look\" if input.tool.name == \"message\"\n")
	send := func(text string) func(*gavel.Call) {
		return func(c *gavel.Call) { c.Tool = gavel.Tool{Name: "message", Params: map[string]any{"text": text}} }
	}
	d := f.run(t, "", send("hi"))
	assert.Equal(t, []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}, d.Terms.Answers)
	f.answer(t, d, "approve")
	assert.Equal(t, gavel.Ask, f.run(t, "", send("hi, all")).Effect)
	assert.Equal(t, gavel.Allow, f.run(t, "", send("hi")).Effect)
	assert.Equal(t, gavel.Ask, f.run(t, "", send("hi")).Effect)
}

// How long something may take that another goroutine does, and how often to look.
const wait, tick = time.Minute, 5 * time.Millisecond

func now() time.Time { return time.Now() }

// lockedBuffer is written by one goroutine and read by another.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
