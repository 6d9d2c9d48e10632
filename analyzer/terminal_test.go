package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
)

// TestProgramsThatStartAPagerOnATerminalAreAHazard: whoever types into a pager runs
// programs.
func TestProgramsThatStartAPagerOnATerminalAreAHazard(t *testing.T) {
	t.Parallel()
	a, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: shippedTables(t)})
	require.NoError(t, err)
	pages := func(command string, terminal bool) bool {
		exec := a.Analyze(t.Context(), gavel.Call{
			Environment: claims("bash", "git", "man", "systemctl", "journalctl", "psql", "gh", "bat", "aws", "cat", "sh", "env", "top", "xargs", "hostnamectl", "hg"),
			Tool:        gavel.Tool{Name: "exec", Params: map[string]any{"command": command, "pty": terminal}}}, nil).Exec
		require.True(t, exec.Parsed, "%s: %+v", command, exec.Refusal)
		for _, s := range exec.Segments {
			for _, h := range s.Hazards {
				if h.Option == "pager" && h.Kind == "runs" {
					return true
				}
			}
		}
		return false
	}
	for command, want := range map[string]bool{
		"git log": true, "git diff": true, "git show HEAD": true, "git branch": true, "git": true, "git stash list": true, "git stash show -p": true, "git --no-pager stash list": false, "git evil": true,
		"git --no-pager log": false, "git -P log": false, "git add x": false, "git commit -m x": false, "git status": false,
		"git log -P": true, "git log --no-pager": true, "git --no-pag log": true,
		"git log | cat": false, "git log |& cat": false, "git log | cat | cat": false, "cat x | git log": true,
		"git log 1>&2 | cat": true, "{ git log; } | cat": true, "git log; git log | cat": true,
		"sh -c 'git log'": true, "sh -c 'git log' | cat": false, "sh -c 'git log | cat'": false, "env A=b git log": true,
		"man ls": true, "man ls | cat": false, "systemctl status x": true, "systemctl status x --no-pager": false,
		"systemctl --no-pager status x": false, "systemctl -t --no-pager status": true, "journalctl -u x": true,
		"journalctl --no-pager -u x": false, "hostnamectl status": true, "psql -c 'select 1'": true, "psql -P pager=off -c 'select 1'": false,
		"gh pr list": true, "bat x": true, "bat -P x": false, "bat --paging=never x": false, "bat --paging=always x": true,
		"aws s3 ls": true, "aws --no-cli-pager s3 ls": false, "aws s3 ls --no-cli-pager": false, "top": true, "top -b": false, "hg log": true,
		"cat x": false,
	} {
		assert.Equal(t, want, pages(command, true), command)
		assert.False(t, pages(command, false), "without a terminal: %s", command)
	}
}

// TestOnlyWebProtocolsArePermitted: a redirect to file: reads a file.
func TestOnlyWebProtocolsArePermitted(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for command, want := range map[string]string{
		"curl --proto-redir =file,http -L http://localhost":     "reads --proto-redir =file,http",
		"curl --proto-redir all -L http://localhost":            "reads --proto-redir all",
		"curl --proto-redir +file -L http://localhost":          "reads --proto-redir +file",
		"curl --proto-redir=file http://localhost":              "reads --proto-redir file",
		"curl --proto =all http://localhost":                    "reads --proto =all",
		"curl --proto-redir =http,https -L localhost":           "",
		"curl --proto =https --tlsv1.2 -sSf https://localhost/": "",
		"curl -sL localhost:3000":                               "",
		"curl --proto-default file localhost":                   "network --proto-default file",
		"curl --url @urls":                                      "reads @file @urls",
	} {
		list := strings.Join(hazards(command), "; ")
		if want == "" {
			assert.Empty(t, list, command)
		} else {
			assert.Contains(t, list, want, command)
		}
	}
}

// TestProgramsThatRunOrWriteThroughAnArgumentAreInTheCatalog names a few of each kind.
func TestProgramsThatRunOrWriteThroughAnArgumentAreInTheCatalog(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, command := range []string{
		"sdiff --diff-program=./evil a b", "diff3 --diff-program ./evil a b c", "javac -processor Evil A.java", "javac -J-javaagent:x A.java", "javac -cp lib A.java", "javac @args",
		"prove -e ./evil t", "prove ../t", "prove -", "cross-env A=b ./evil", "mise x -- ./evil", "pipenv run ./evil", "delta --pager ./evil",
		"erb x.erb", "jobs -x ./evil", "history -a f", "history -w f", "just --shell ./evil", "go-task -d x", "nox", "invoke x", "rake x", "ant x", "sbt x", "meson x", "ninja -f x", "scons x", "waf x",
		"direnv exec . ./evil", "asdf exec ./evil", "nvm exec ./evil", "pyenv exec ./evil", "rbenv exec ./evil", "poetry run ./evil", "hatch run ./evil", "pdm run ./evil", "rye run x", "conda run x", "pipx run x", "bundle exec x",
		"devbox run x", "nix-shell x", "guix shell x", "dotenv ./evil", "doppler run ./evil", "op run ./evil", "aws-vault exec x", "chamber exec x", "infisical run x", "sops exec-env x", "teller run x",
		"with-contenv ./evil", "entr ./evil", "watchexec ./evil", "nodemon x", "reflex x", "air x", "concurrently ./evil", "npm-run-all x", "hyperfine ./evil", "valgrind ./evil", "gdb --args ./evil", "perf record ./evil", "heaptrack x", "rr x",
		"unbuffer ./evil", "script -c ./evil", "expect x", "dtach x", "abduco x", "nsenter ./evil", "bwrap ./evil", "chpst ./evil", "s6-setuidgid u ./evil", "su-exec u ./evil", "gosu u ./evil", "numactl ./evil", "cgexec ./evil", "faketime x ./evil",
		"proxychains ./evil", "torify ./evil", "tsocks ./evil", "fakeroot ./evil", "eatmydata ./evil", "xvfb-run ./evil", "dbus-run-session ./evil", "ssh-agent ./evil", "gpg-agent --daemon ./evil", "envdir d ./evil", "tini ./evil",
		"rubocop -r ./evil", "phpunit --bootstrap ./evil", "stylelint --config ./evil", "pyright --pythonpath ./evil x", "x86_64-linux-gnu-gcc-12 -wrapper ./evil -c e.c", "x86_64-linux-gnu-objdump --plugin=./evil x", "llvm-nm-15 --plugin ./evil x",
	} {
		assert.NotEmpty(t, hazards(command), command)
	}
	for _, command := range []string{"sdiff a b", "javac -d out -proc:none A.java", "prove -l t", "rubocop lib", "javac -version", "mise --version", "jobs -l", "pkg-config --cflags glib-2.0", "dot -Tpng"} {
		list := hazards(command)
		if strings.HasPrefix(command, "javac -d") {
			assert.Equal(t, []string{"writes -d out"}, list, command)
			continue
		}
		list = append([]string{}, list...)
		if strings.HasPrefix(command, "prove") {
			assert.Equal(t, []string{"project prove"}, list, command)
			continue
		}
		assert.Empty(t, list, command)
	}
}

// TestHostsWithoutTheirHooksAreAHazard: an agent must not start another one that nobody asks
// about.
func TestHostsWithoutTheirHooksAreAHazard(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for command, want := range map[string]string{
		"claude --bare -p x": "runs --bare", "claude -p x --safe-mode": "runs --safe-mode", "claude --settings s.json -p x": "loads --settings s.json",
		"claude --dangerously-skip-permissions": "runs --dangerously-skip-permissions", "claude --setting-sources user": "runs --setting-sources user",
		"codex --disable hooks exec x": "runs --disable hooks", "codex exec --disable hooks x": "runs --disable hooks",
		"codex --disable=hooks x":                      "runs --disable hooks",
		"codex -c features.hooks=false x":              "runs -c features.hooks=false",
		"codex exec --dangerously-bypass-hook-trust x": "runs --dangerously-bypass-hook-trust",
		"opencode run --pure x":                        "runs --pure", "openclaw agent exec x": "runs exec exec",
	} {
		assert.Contains(t, hazards(command), want, command)
	}
	for _, command := range []string{"claude --version", "codex --version", "opencode --version"} {
		assert.Empty(t, hazards(command), command)
	}
	for _, command := range []string{"claude -p x", "codex exec x", "gemini -p x", "copilot -p x", "qwen x", "cline x", "droid exec x", "openclaw agent x"} {
		assert.Len(t, hazards(command), 1, "%s runs whatever the other agent runs: %v", command, hazards(command))
	}
}
