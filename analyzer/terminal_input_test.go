package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
)

// A person who types into such a program runs commands that were not
// judged.
func TestProgramsThatReadCommandsFromATerminalAreAHazard(t *testing.T) {
	t.Parallel()
	a, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: shippedTables(t)})
	require.NoError(t, err)
	reads := func(command string, terminal bool) bool {
		exec := a.Analyze(t.Context(), gavel.Call{
			Environment: claims("bash", "bash", "sh", "zsh", "python3", "node", "psql", "mysql", "sqlite3", "irb", "ruby", "perl", "gdb", "ssh",
				"docker", "kubectl", "su", "screen", "tmux",
				"ftp", "sftp", "nc", "telnet", "ping", "vim", "php", "lua", "env", "timeout", "cat", "echo", "grep", "ls", "script", "ed", "expect",
				"iex", "redis-cli", "podman", "git"),
			Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command, "pty": terminal}}}, nil).Exec
		require.True(t, exec.Parsed, "%s: %+v", command, exec.Refusal)
		for _, s := range exec.Segments {
			for _, h := range s.Hazards {
				if h.Option == "terminal" {
					return true
				}
			}
		}
		return false
	}
	for command, want := range map[string]bool{
		"bash": true, "bash --norc": true, "bash -i": true, "sh": true, "zsh": true, "env bash": true, "timeout 5 bash": true, "sh -c bash": true,
		"true; bash": true, "bash && ls": true,
		"bash -c 'ls'": false, "bash x.sh": false, "sh -c 'ls'": false, "bash </dev/null": false, "bash < x.sh": true, "cat x | bash": true,
		"cat | bash": true, "grep '' | bash": true, "printf ls | bash": false, "printf ls | cat | bash": true, "cat | cat | bash": true,
		"echo x </dev/tty | bash": false, "echo x | (cat </dev/tty) | bash": true, "echo ls | bash": false, "bash <<'E'\nls\nE\n": false,
		"bash <<< ls":    false,
		"bash </dev/tty": true, "bash </dev/stdin": true, "bash < /proc/self/fd/0": true, "bash < $X": true, "bash 3</dev/null": true,
		"bash | cat": true, "echo x | { cat; bash; }": false, "{ bash; }": true,
		"{ bash; } </dev/null": false, "for i in 1 2; do bash; done": true, "echo x | bash </dev/tty": true,
		"python3": true, "python3 -i x.py": true, "python3 x.py": false, "python3 -c 'print(1)'": false, "python3 -": true, "python3 -m http.server": false,
		"node": true, "node -i": true, "node x.js": false, "node -e 1": false, "psql": true, "psql -c 'select 1'": false, "mysql": true,
		"mysql -e 'select 1'": false, "sqlite3": true, "sqlite3 x.db": true,
		"sqlite3 x.db 'select 1'": false, "irb": true, "ruby": true, "ruby x.rb": false, "perl": true, "perl x.pl": false, "php -a": true,
		"php x.php": false, "lua": true, "lua x.lua": false,
		"gdb x": true, "gdb -batch x": false, "ssh host": true, "ssh host uptime": true, "ssh -n host uptime": false, "sftp host": true,
		"docker exec -it c sh": true, "docker exec -i c sh": true,
		"docker run --rm -ti i": true, "docker attach c": true, "docker exec c ls": false, "docker ps": false, "podman exec -it c sh": true,
		"kubectl exec -it p -- sh": true, "kubectl get pods": false,
		"su": true, "su -c ls": true, "screen": true, "tmux": true, "ftp host": true, "nc host 1": true, "telnet host": true, "ping host": false,
		"git merge x": true, "git merge --no-ff x": true, "git pull": true, "git merge --no-edit x": false, "git pull --ff-only": false, "git merge -m y x": false,
		"git merge x </dev/null": false, "git commit -m x": false,
		"vim x": true, "ed x": true, "script x": true,
		"expect": true, "expect x.exp": false, "iex": true, "redis-cli": true, "redis-cli get x": false, "cat x": false, "grep x y": false, "ls": false,
	} {
		assert.Equal(t, want, reads(command, true), command)
		assert.False(t, reads(command, false), "without a terminal: %s", command)
	}
}
