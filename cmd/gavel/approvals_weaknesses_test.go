package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/approvals/view"
	"gavel/bundles"
)

// Each known weakness of the original's approvals (docs/rules.md, W42 to W54), by number.

func TestWeakness42AnAnswerWithoutANameIsNotUsedTwice(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	d := f.run(t, "rm x")
	_, err := f.people.Resolve(t.Context(), approvals.Resolution{ID: d.Approval.ID, Answer: "approve", By: ""})
	require.NoError(t, err)
	assert.Equal(t, gavel.Allow, f.run(t, "rm x").Effect)
	used, err := f.people.Snapshot(t.Context(), d.Approval.ID)
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalConsumed, used.State, "consumed is a state of its own")
	assert.Equal(t, gavel.AllowOnce, used.Answer, "and the answer is not cleared")
	assert.Equal(t, gavel.Ask, f.run(t, "rm x").Effect)
}

func TestWeakness43APermanentAnswerIsNotReplayed(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	d := f.run(t, "rm x")
	f.answer(t, d, "allow-always")
	a, err := f.people.Snapshot(t.Context(), d.Approval.ID)
	require.NoError(t, err)
	_, _, err = f.people.Consume(t.Context(), a.ID, a.Binding, nil)
	require.NoError(t, err)
	_, _, err = f.people.Consume(t.Context(), a.ID, a.Binding, nil)
	var refused *gavel.ApprovalError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, gavel.CodeApprovalConsumed, refused.Code)
}

func TestWeakness44TheFallbackHoldsAfterATimeout(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: node, node: mac-1, ask: always, askFallback: allowlist, allowlist: [/usr/bin/ls]}}\nagents: {main: {}}\n")
	d := f.run(t, "ls")
	require.NotNil(t, d.Approval, d.Reasons)
	f.now = f.now.Add(2 * time.Minute)
	expired, err := f.people.Wait(t.Context(), d.Approval.ID)
	require.NoError(t, err)
	assert.Equal(t, gavel.Allow, expired.Fallback.Effect)
}

func TestWeakness45ShortPrefixesAndOwnAnswersAreRefused(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	d := f.run(t, "rm x")
	for _, c := range []struct{ id, by, want string }{
		{d.Approval.ID[:1], "approve", gavel.CodeApprovalIDTooShort},
		{d.Approval.ID[:7], "approve", gavel.CodeApprovalIDTooShort},
		{d.Approval.ID, "gateway", gavel.CodeSelfApproval},
	} {
		_, err := f.people.Resolve(t.Context(), approvals.Resolution{ID: c.id, Answer: "approve", By: c.by})
		var refused *gavel.ApprovalError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, c.want, refused.Code)
	}
}

// local decides a command by this machine's files, for a script in a directory.
func local(t *testing.T, f *flow, dir, command string) gavel.Decision {
	t.Helper()
	return f.run(t, command, func(c *gavel.Call) {
		c.Environment = &gavel.Environment{Cwd: dir, Home: "/home/u", Path: []string{"/usr/bin", "/bin"}, Platform: "linux"}
	})
}

func TestWeakness46AnAnswerCoversTheFilesContent(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{"a script that is called": "./run.sh", "a script that a shell is given": "sh ./run.sh",
		"a script in a longer text": `sh -c "./run.sh"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFlow(t, "tools: {exec: {host: gateway}}\nagents: {main: {}}\n")
			dir := t.TempDir()
			script := filepath.Join(dir, "run.sh")
			require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho harmless\n"), 0o755))
			first := local(t, f, dir, command)
			f.answer(t, first, "approve")
			require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nrm -rf .\n"), 0o755)) // in place: the same inode
			changed := local(t, f, dir, command)
			require.Equal(t, gavel.Ask, changed.Effect, "other content is another call")
			assert.NotEqual(t, first.Approval.ID, changed.Approval.ID)
			require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho harmless\n"), 0o755))
			assert.Equal(t, gavel.Allow, local(t, f, dir, command).Effect)
			f.answer(t, local(t, f, dir, command), "approve")
			beside := filepath.Join(dir, "beside") // both exist at once, so they have different inodes
			require.NoError(t, os.WriteFile(beside, []byte("#!/bin/sh\necho harmless\n"), 0o755))
			require.NoError(t, os.Rename(beside, script))
			if command == "./run.sh" {
				assert.Equal(t, gavel.Ask, local(t, f, dir, command).Effect, "another file of the same content is another one")
			}
		})
	}
}

func TestWeakness47ACorruptFileLoosensNothing(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"{", `{"version":2}`, `{"version":1,"defaults":{"security":"Deny"}}`, ""} {
		f := newFlow(t, "tools: {exec: {host: gateway, security: full, ask: \"off\"}}\nagents: {main: {}}\n")
		s, err := f.file.Get()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(s.Path, []byte(content), 0o600))
		_, err = f.file.Get()
		require.Error(t, err)
		assert.Equal(t, []string{"approvals.file_refused"}, codesOf(f.run(t, "ls")))
		left, err := os.ReadFile(s.Path)
		require.NoError(t, err)
		assert.Equal(t, content, string(left), "and it is left unchanged")
	}
}

func TestWeakness48EntriesOfAnswersCanBeSentBack(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	f.answer(t, f.run(t, "rm x"), "allow-always")
	s, err := f.file.Get()
	require.NoError(t, err)
	require.Equal(t, "allow-always", s.File.Agents["main"].Allowlist[0].Source)
	after, err := f.file.Set(t.Context(), s.File, s.Hash)
	require.NoError(t, err)
	assert.Equal(t, s.File.Agents, after.File.Agents)
}

func TestWeakness49AddingAnEntryChangesNoOther(t *testing.T) {
	t.Parallel()
	f := newFlow(t, asking)
	s, err := f.file.Get()
	require.NoError(t, err)
	narrow := allowlist.Entry{ID: "mine", Pattern: "/usr/bin/rm", ArgPattern: "^x$"}
	_, err = f.file.SetAgent(t.Context(), "main", allowlist.Agent{Allowlist: []allowlist.Entry{narrow}}, s.Hash)
	require.NoError(t, err)
	d := f.run(t, "rm x")
	require.Equal(t, gavel.Ask, d.Effect, "an entry for some arguments matches nothing here")
	f.answer(t, d, "allow-always")
	after, err := f.file.Get()
	require.NoError(t, err)
	assert.Equal(t, narrow, after.File.Agents["main"].Allowlist[0])
	assert.Len(t, after.File.Agents["main"].Allowlist, 2)
}

func TestWeakness50TheFileCannotLoosenAnything(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: node, node: mac-1, ask: always}}\nagents: {main: {}}\n")
	s, err := f.file.Get()
	require.NoError(t, err)
	full, off := "full", "off"
	_, err = f.file.SetAgent(t.Context(), "main", allowlist.Agent{Security: &full, Ask: &off, AskFallback: &full}, s.Hash)
	require.NoError(t, err)
	assert.Contains(t, codesOf(f.run(t, "ls")), "approvals.always")
}

func TestWeakness51NothingThatIsShownDeceives(t *testing.T) {
	t.Parallel()
	nasty := "x\n\r\x1b[2K\b\u2028\u202e\u200b\u00a0" + `\u{200B}` + "\u0441at"
	shown := view.Show(gavel.Approval{Comment: nasty, ResolvedBy: nasty, Requesters: []string{nasty}, Terms: gavel.Terms{Offer: []string{nasty}},
		Request: gavel.ApprovalRequest{Tool: nasty, Agent: nasty, Session: nasty, Node: nasty, Cwd: nasty, Command: nasty, Given: nasty + "2", Params: nasty,
			Env: []string{nasty}, Segments: []gavel.ApprovalSegment{{Argv: []string{nasty}, Wrappers: [][]string{{nasty}}}},
			Reasons: []gavel.Reason{{Code: nasty, Message: nasty}}}})
	r := shown.Request
	for _, text := range []string{shown.Comment, shown.ResolvedBy, shown.Requesters[0], shown.Offer[0], r.Tool, r.Agent, r.Session, r.Node, r.Cwd, r.Command,
		r.Given, r.Params, r.Env[0], r.Segments[0].Command, r.Segments[0].Through[0], r.Reasons[0].Code, r.Reasons[0].Message} {
		assert.Contains(t, text, `\u{A}\u{D}\u{1B}[2K\u{8}\u{2028}\u{202E}\u{200B}\u{A0}\u{5C}u{200B}\u{441}at`)
	}
	assert.NotEmpty(t, shown.Notes)
}

func TestWeakness52ABlankFilterIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("approvals: {exec: {sessionFilter: ['']}}\nagents: {main: {}}\n"), 0o644))
	a, _, _ := testApp("")
	_, err := a.load(t.Context(), dir)
	require.Error(t, err)
	assert.Equal(t, "approvals.exec.sessionFilter[0]", bundles.Problems(err)[0].Path)
}

func TestWeakness53AHeredocRunsAsItWasShown(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: gateway, security: full}}\nagents: {main: {}}\n")
	text := "ls <<EOF\nx\nEOF\n"
	f.answer(t, f.run(t, text), "approve")
	d := f.run(t, text)
	require.Equal(t, gavel.Allow, d.Effect)
	assert.Equal(t, "'/usr/bin/ls' <<'EOF'\nx\nEOF\n", d.Exec.Command)
	assert.Equal(t, []string{"exec.heredoc"}, codesOf(newFlow(t, asking).run(t, text)), "in allowlist mode nobody is asked about it")
}

// Gavel does not read what is typed into a running program as a command. A rule
// of the policy's own can ask about it, and an answer covers exactly that text.
func TestWeakness54InputForAProgramCanNeedAnAnswer(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "agents: {main: {}}\n", "custom.rego", `package custom.typing

ask contains {"code": "typing.input", "message": "text is typed into a running program", "fix": "run a command of its own"} if {
	input.tool.name == "process"
	not input.tool.params.action in {"list", "poll", "log", "kill", "clear", "remove"}
}
`)
	typed := func(action, text string) func(*gavel.Call) {
		return func(c *gavel.Call) {
			c.Tool = gavel.Tool{Name: "process", Params: map[string]any{"action": action, "sessionId": "s1", "text": text}}
		}
	}
	assert.Equal(t, gavel.Allow, f.run(t, "", typed("poll", "")).Effect)
	f.answer(t, f.run(t, "", typed("write", "ls\n")), "approve")
	assert.Equal(t, gavel.Ask, f.run(t, "", typed("write", "rm -rf /\n")).Effect)
	assert.Equal(t, gavel.Allow, f.run(t, "", typed("write", "ls\n")).Effect)
	assert.Equal(t, gavel.Ask, f.run(t, "", typed("write", "ls\n")).Effect)
}
