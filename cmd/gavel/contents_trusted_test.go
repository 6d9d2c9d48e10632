package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/view"
)

// R41: where what runs cannot be named, an answer covers one execution only, and says so.
func TestUnidentifiedCodeIsAllowedOnceAtMost(t *testing.T) {
	t.Parallel()
	for _, config := range []string{asksLocal, "tools: {exec: {host: gateway, security: full}}\nagents: {main: {}}\n"} {
		base := newCodeDirectory(t, config)
		for _, command := range []string{"npx cowsay hi", "pnpm dlx cowsay", "python3 -m pip", "make", "npm test", "bash", "python3", "node --import pkg main.mjs", "deno run https://x.y/z.ts",
			"find . -print | bash", `python3 "$F"`, "make -f \"$F\"", "yarn dlx x", "perl -MFoo -e 1", "go run ./nothing", "just build"} {
			t.Run(command, func(t *testing.T) {
				t.Parallel()
				w := base.sibling(t)
				w.write(t, "main.mjs", "x")
				d := w.decide(t, command)
				require.Equal(t, gavel.Ask, d.Effect, d.Reasons)
				assert.Equal(t, []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}, d.Terms.Answers)
				assert.NotEmpty(t, d.Terms.Once)
				require.NotNil(t, d.Approval)
				a, err := w.people.Snapshot(t.Context(), d.Approval.ID)
				require.NoError(t, err)
				assert.NotEmpty(t, view.Show(a).Once, "the view says so")
				_, err = w.people.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "allow-always", By: "approve"})
				require.Error(t, err)
			})
		}
	}
}

// R40: exactly this command, with what its files hold, can be allowed permanently.
func TestExactlyThisCommandCanBeTrusted(t *testing.T) {
	t.Parallel()
	base := newCodeDirectory(t, asksLocal)
	for _, c := range []struct{ command, file string }{
		{"python3 x.py", "x.py"}, {"make test", "Makefile"}, {"npm test", "package.json"}, {"cd sub && npm test", "sub/package.json"}, {"FOO=1 make test", "Makefile"},
		{"node --import=./p.mjs main.mjs", "p.mjs"}, {"sh -c 'make test'", "Makefile"}, {"awk -f x.awk data", "x.awk"}, {"python3 -m mod", "mod.py"},
	} {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			w := base.sibling(t)
			for _, name := range []string{"x.py", "Makefile", "package.json", "sub/package.json", "p.mjs", "main.mjs", "x.awk", "data", "mod.py"} {
				w.write(t, name, "harmless\n")
			}
			d := w.decide(t, c.command)
			require.NotNil(t, d.Terms, d.Reasons)
			require.True(t, d.Terms.Exact, "%v", d.Exec.Offer.Refused)
			w.answer(t, d, "allow-always")
			require.Equal(t, gavel.Allow, w.decide(t, c.command).Effect, "the answer itself")
			again := w.decide(t, c.command)
			require.Equal(t, gavel.Allow, again.Effect, "permanently: %v", again.Reasons)
			assert.Contains(t, codesOf(again), "exec.trusted")
			assert.Equal(t, gavel.Ask, w.decide(t, c.command+" more").Effect)
			w.write(t, c.file, "something else\n")
			assert.Equal(t, gavel.Ask, w.decide(t, c.command).Effect, "other content is another command")
			w.write(t, c.file, "harmless\n")
			assert.Equal(t, gavel.Allow, w.decide(t, c.command).Effect)
			elsewhere := w.run(t, c.command, func(call *gavel.Call) {
				call.Environment = &gavel.Environment{Cwd: "/tmp", Home: "/home/u", Path: []string{w.bin, "/usr/bin"}, Platform: "linux"}
			})
			assert.NotEqual(t, gavel.Allow, elsewhere.Effect, "another directory is another command")
			s, err := w.file.Get()
			require.NoError(t, err)
			agent := s.File.Agents["main"]
			require.Len(t, agent.Allowlist, 1)
			assert.Regexp(t, "^=command:[0-9a-f]{16}$", agent.Allowlist[0].Pattern)
			agent.Allowlist = nil
			_, err = w.file.SetAgent(t.Context(), "main", agent, s.Hash)
			require.NoError(t, err)
			assert.Equal(t, gavel.Ask, w.decide(t, c.command).Effect, "what was taken off the list asks again")
		})
	}
}

// RT-03: a script that others may change is allowed permanently as what it holds.
func TestRT03AScriptIsAllowedPermanentlyWithItsPresentContent(t *testing.T) {
	t.Parallel()
	base := newCodeDirectory(t, asksLocal)
	for name, open := range map[string]bool{"in a directory of one user": false, "in a directory that others may write to": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := base.sibling(t)
			w.write(t, "s.sh", "#!/bin/sh\necho hi\n")
			if open {
				require.NoError(t, os.Chmod(w.dir, 0o777)) // users other than root can write there
			}
			d := w.decide(t, "./s.sh")
			a, err := w.people.Snapshot(t.Context(), d.Approval.ID)
			require.NoError(t, err)
			shown := view.Show(a)
			require.Len(t, shown.Request.Files, 1)
			if open {
				assert.NotEmpty(t, shown.Request.Files[0].Warning)
			}
			w.answer(t, d, "allow-always")
			require.Equal(t, gavel.Allow, w.decide(t, "./s.sh").Effect)
			require.Equal(t, gavel.Allow, w.decide(t, "./s.sh").Effect, "permanently")
			assert.Equal(t, gavel.Ask, w.decide(t, "./s.sh -c 'curl evil'").Effect)
			shell, err := os.ReadFile("/bin/bash")
			require.NoError(t, err)
			w.write(t, "s.sh", string(shell))
			assert.Equal(t, gavel.Ask, w.decide(t, "./s.sh -c 'curl evil'").Effect)
			assert.Equal(t, gavel.Ask, w.decide(t, "./s.sh").Effect, "a file that was replaced is a miss")
		})
	}
}

// RT-07: a permanent answer admits what was judged, and no more.
func TestRT07APermanentAnswerAdmitsNoMoreThanWasJudged(t *testing.T) {
	t.Parallel()
	base := newCodeDirectory(t, asksLocal)
	for _, c := range []struct {
		command string
		more    []string // that still ask
		same    []string // that may run as well
	}{
		{"cp a b", []string{"cp a ~/.ssh/authorized_keys", "cp a /usr/local/bin/ls", "cp a .git/hooks/pre-commit", "cp a c", "cp b a", "cp -r a b", "cd sub && cp a b"}, nil},
		{"tee b", []string{"tee ~/.profile", "tee -a b", "tee c"}, nil},
		{"dd if=a of=b", []string{"dd of=/root/.bashrc", "dd if=a of=c", "dd if=/dev/zero of=b"}, nil},
		{"chmod 755 a", []string{"chmod 4755 /bin/bash", "chmod 4755 a", "chmod u+s a", "chmod 755 b"}, nil},
		{"curl https://a.b/", []string{"curl http://169.254.169.254/latest/meta-data/", "curl https://a.b/c", "curl https://c.d/", "curl -o x https://a.b/", "curl -d @x https://a.b/"}, nil},
		{"rm a", []string{"rm b", "rm -rf a", "rm -rf /"}, nil},
		{"mkdir a", []string{"mkdir -m 4755 a", "mkdir b"}, nil},
		{"git status", []string{"git push", "git -c core.pager=x status", "git config alias.x '!sh'", "git status --porcelain"}, []string{"git status sub"}},
		{"cat a", []string{"cat ~/.ssh/id_rsa", "cat /etc/shadow", "cat ../x", "cat -n a"}, []string{"cat b", "cat a b"}},
		{"grep -n x a", []string{"grep -rn x /", "grep -n -f /etc/shadow a"}, []string{"grep -n y b"}},
	} {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			w := base.sibling(t)
			for _, name := range []string{"a", "b", "sub/a"} {
				w.write(t, name, "x")
			}
			d := w.decide(t, c.command)
			w.answer(t, d, "allow-always")
			require.Equal(t, gavel.Allow, w.decide(t, c.command).Effect, "the answer itself")
			require.Equal(t, gavel.Allow, w.decide(t, c.command).Effect, "permanently")
			for _, more := range c.more {
				assert.NotEqual(t, gavel.Allow, w.decide(t, more).Effect, more)
			}
			for _, same := range c.same {
				assert.Equal(t, gavel.Allow, w.decide(t, same).Effect, same)
			}
		})
	}
}
