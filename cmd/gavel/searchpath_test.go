package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// pathChange is one way in which a command changes where programs are found, with all
// the spellings of it that came to mind.
type pathChange struct {
	name     string
	shell    string // "" is bash
	commands []string
}

// deniedPathChanges returns the changes that the text shows. They cannot be permitted.
func deniedPathChanges() []pathChange {
	return []pathChange{
		{name: "an assignment before the command", commands: []string{"PATH=/tmp ls", "PATH= ls", "PATH+=:/tmp ls", "A=1 PATH=/tmp ls", "PATH=/tmp A=1 ls", "PATH=$X ls", "PATH=$(id) ls", "Path=/tmp ls"}},
		{name: "an assignment of the shell", commands: []string{"PATH=/tmp; ls", "PATH+=:/tmp; ls", "PATH=/tmp && ls", "PATH=/tmp & ls", "! PATH=/tmp; ls", "PATH=/tmp\nls", "ls; PATH=/tmp", "PATH=(/tmp); ls", "PATH[0]=/tmp; ls"}},
		{name: "a declaration", commands: []string{"export PATH=/tmp; ls", "export PATH+=:/tmp; ls", "export PATH; ls", "export -n PATH; ls", "export -- PATH=/tmp; ls", "export A=1 PATH=/tmp; ls",
			"declare -x PATH=/tmp; ls", "declare -gx PATH=/tmp; ls", "declare -a PATH=(/tmp); ls", "declare -u PATH; ls", "declare -p PATH; ls", "typeset PATH=/tmp; ls", "typeset -x PATH=/tmp; ls",
			"readonly PATH=/tmp; ls", "readonly PATH; ls", "local PATH=/tmp; ls", "integer PATH=1; ls", "float PATH=1; ls", "private PATH=/tmp; ls"}},
		{name: "a declaration in quotes", commands: []string{"export 'PATH=/tmp'; ls", `export "PATH=/tmp"; ls`, "export 'PATH'=/tmp; ls", "export P''ATH=/tmp; ls"}},
		{name: "a reference to it", commands: []string{"declare -n p=PATH; p=/tmp; ls", "typeset -n p=PATH; p=/tmp; ls", "nameref p=PATH; p=/tmp; ls", "typeset -T P2 path; ls"}},
		{name: "it is taken away", commands: []string{"unset PATH; ls", "unset -v PATH; ls", "unset 'PATH'; ls", "env -u PATH ls", "env -uPATH ls", "env --unset=PATH ls", "env --unset PATH ls"}},
		{name: "a command that sets the variable it is told", commands: []string{"printf -v PATH /tmp; ls", "printf -vPATH /tmp; ls", "read PATH; ls", "read -r PATH <<< /tmp; ls", "read x PATH; ls",
			"read -a PATH; ls", "IFS=: read PATH x; ls", "read -u 3 PATH; ls", "getopts x PATH; ls", "mapfile PATH; ls", "mapfile -t PATH; ls", "readarray PATH; ls", "wait -p PATH; ls", "wait -n -p PATH; ls",
			"set -A PATH /tmp; ls", "vared PATH; ls", "sysread PATH; ls", "strftime -s PATH x; ls", "zparseopts -a PATH x; ls", "print -v PATH x; ls", "compgen -V PATH -A x; ls"}},
		{name: "the same by way of command and builtin", commands: []string{"builtin export PATH=/tmp; ls", "builtin read PATH; ls", "builtin printf -v PATH x; ls", "builtin unset PATH; ls",
			"command export PATH=/tmp; ls", "command read PATH; ls", "command unset PATH; ls", "command printf -v PATH x; ls"}},
		{name: "a loop", commands: []string{"for PATH in /tmp; do ls; done", "for PATH in /tmp; do :; done; ls", "select PATH in /tmp; do ls; done", "for ((PATH=1;PATH<2;PATH++)); do ls; done"}},
		{name: "an expansion that assigns", commands: []string{": ${PATH:=x}; ls", ": ${PATH=x}; ls", `: "${PATH:=x}"; ls`, "ls ${PATH:=/tmp}"}},
		{name: "arithmetic", commands: []string{"((PATH=1)); ls", "((PATH++)); ls", "((PATH+=1)); ls", "let PATH=1; ls", "let 'PATH=1'; ls", "ls $((PATH=1))", "ls $[PATH=1]", "x=$((PATH=1)); ls", "a[PATH=1]=2; ls",
			"ls ${a[PATH=1]}", "ls ${x:PATH=1}", "[[ PATH=1 -eq 1 ]]; ls", "[[ x -eq PATH=1 ]]; ls"}},
		{name: "a descriptor or a coprocess of its name", commands: []string{"exec {PATH}>f; ls", "ls {PATH}>f", "coproc PATH { ls; }"}},
		{name: "inside compound commands", commands: []string{"(PATH=/tmp; ls)", "{ PATH=/tmp; ls; }", "if PATH=/tmp; then ls; fi", "while PATH=/tmp; do ls; done", "case x in x) PATH=/tmp;; esac; ls",
			"f() { PATH=/tmp; }; f; ls", "f() { local PATH=/tmp; ls; }; f", "function f { PATH=/tmp; }; f; ls", "ls $(PATH=/tmp; ls)", "ls `PATH=/tmp ls`", "cat <(PATH=/tmp ls)", "cat <<EOF\n$(PATH=/tmp ls)\nEOF", "time PATH=/tmp ls"}},
		{name: "a wrapper", commands: []string{"env PATH=/tmp ls", "env 'PATH=/tmp' ls", "env PA''TH=/tmp ls", `env PA\TH=/tmp ls`, "env A=1 PATH=/tmp ls", "env -i PATH=/tmp ls", "env -- PATH=/tmp ls", "env - PATH=/tmp ls",
			"env env PATH=/tmp ls", "nice env PATH=/tmp ls", "xargs env PATH=/tmp ls", "find . -exec env PATH=/tmp ls ';'", "sudo PATH=/tmp ls", "sudo env PATH=/tmp ls", "timeout 5 env PATH=/tmp ls", "command env PATH=/tmp ls",
			"exec env PATH=/tmp ls", "env path=/tmp ls"}},
		{name: "a wrapper with words that are not understood", commands: []string{"env -S 'PATH=/tmp ls'", "env -S'PATH=/tmp ls'", "env -vS 'PATH=/tmp ls'", "env --split-string='PATH=/tmp ls'", "env PATH=$X ls", `env "PATH=$X" ls`,
			"env PATH=$(id) ls", "busybox env PATH=/tmp ls", "systemd-run --user --scope -E PATH=/x ls", "systemd-run --user --scope --setenv=PATH=/x ls", "strace -E PATH=/x ls", "strace -EPATH=/x ls", "flock f -c 'PATH=/x ls'",
			"watch 'PATH=/x ls'", "run0 --setenv=PATH=/x ls", "xargs -I% env PATH=% ls", "find . -exec env PATH={} ls ';'", "xargs -I% sh -c 'PATH=% ls'"}},
		{name: "a shell inside", commands: []string{"bash -c 'PATH=/tmp; ls'", "bash -c 'PATH=/tmp ls'", "bash -c 'export PATH=/tmp; ls'", "sh -c 'PATH=/tmp; export PATH; ls'", "bash -lc 'PATH=/tmp ls'",
			`sh -c "bash -c 'PATH=/tmp ls'"`, "nice bash -c 'unset PATH; ls'", "nohup sh -c 'PATH=/x ls'", "busybox sh -c 'PATH=/tmp; ls'", "dash -c 'getopts x PATH; ls'", "bash -c 'declare -a PATH=(/tmp); ls'",
			"bash -c ': ${PATH:=x}; ls'", "mksh -c 'set -A PATH /tmp; ls'", "mksh -c 'read -A PATH; ls'", "bash -k -c 'ls PATH=/tmp'", "bash -c 'PATH=$1 ls' x /tmp", `bash -c '"$@"' x env PATH=/x ls`, `sh -c '$0 "$@"' env PATH=/x ls`}},
		{name: "a text that is run", commands: []string{"eval PATH=/tmp; ls", "eval 'PATH=/tmp ls'", "eval export PATH=/tmp", "trap 'PATH=/tmp' EXIT; ls", "trap PATH=/tmp DEBUG; ls"}},
		{name: "the table of names that bash keeps", commands: []string{"BASH_CMDS=(ls /tmp/x); ls", "BASH_CMDS[ls]=/tmp/x; ls", "BASH_ALIASES=(ls x); ls", "declare -A BASH_CMDS=([ls]=/x); ls"}},
		{name: "the array of zsh", shell: "zsh", commands: []string{"path=(/tmp); ls", "path+=(/tmp); ls", "path=/tmp; ls", "for path in /tmp; do ls; done", "read path; ls", "read -A path; ls", "unset path; ls", "set -A path /tmp; ls",
			"export path; ls", "typeset -T P path; ls", "print -v path x; ls", "commands=(ls /x); ls"}},
	}
}

// doubtfulPathChanges name no variable that can be seen, or none at all: a person may
// decide about them, and no list permits them.
func doubtfulPathChanges() []pathChange {
	return []pathChange{
		{name: "a name that is produced at run time", commands: []string{"unset $X; ls", "read $X; ls", `printf -v "$X" y; ls`, "printf -v $X y; ls", "getopts x $X; ls", "mapfile $X; ls", "export $X; ls", `export "$X"; ls`, `export PA\TH=/tmp; ls`, "declare $X=/tmp; ls",
			"env $X ls", `env "$X" ls`, "env ${X}=/tmp ls", "env P*H=1 ls", "xargs env", "xargs -I% env % ls", "find . -exec env {} ls ';'"}},
		{name: "another search path, or another table of names", commands: []string{"env -P /tmp ls", "env -P/tmp ls", "command -p ls", "hash -p /tmp/evil ls; ls", "hash ls=/tmp/evil; ls", "rehash; ls", "alias ls=/tmp/x; ls", "enable -f /tmp/x ls; ls"}},
		{name: "a text that is read", commands: []string{"source f; ls", ". ./f; ls", "set -k; ls PATH=/tmp", "set -o keyword; ls PATH=/tmp", "zsh -c 'path=(/tmp); ls'", "fish -c 'set PATH /x; ls'", "su -c ls", "bash -ic ls", "sudo -i ls", "env -C /tmp ls"}},
	}
}

// harmlessPathUses returns commands that change nothing, or run by full path what was judged.
func harmlessPathUses() []string {
	return []string{"ls", "printf '%s' PATH", "printf '%s' PATH=/x", "echo $PATH", `echo "${PATH}"`, "echo PATH=/tmp", "printenv PATH", "cat PATH", "env A=1 ls", "read x; ls", "for x in a; do ls; done", "MYPATH=x ls",
		"env -i ls", "env - ls", "bash -lc ls", "sh -c ls", "command ls", "sudo ls", "f() { ls; }; f"}
}

func pathPolicy(t *testing.T, exec map[string]any) *gavel.PDP {
	t.Helper()
	settings := map[string]any{"host": "gateway", "harmlessRedirects": "allow",
		"allowlist":  []any{map[string]any{"pattern": "/usr/bin/*", "args": "any"}, map[string]any{"pattern": "/usr/bin/sudo", "args": "any"}},
		"constructs": map[string]any{"redirect": "paths", "substitution": "segments", "compound": "segments", "heredoc": "stdin"}}
	for key, value := range exec {
		settings[key] = value
	}
	pdp := referencePDP(t, map[string]any{"tools": map[string]any{"exec": settings, "read": map[string]any{"allow": []string{"**"}}, "write": map[string]any{"allow": []string{"**"}}},
		"agents": map[string]any{"main": map[string]any{}}})
	require.NotNil(t, pdp)
	return pdp
}

func decideOnPath(t *testing.T, pdp *gavel.PDP, shell, command string) gavel.Decision {
	t.Helper()
	programs := map[string]string{}
	for _, name := range strings.Fields(`alias bash builtin busybox cat command dash echo enable env export fish flock getopts hash id local ls mapfile mksh nice nohup printenv printf read
		readarray rehash run0 set sh sort source strace su sudo systemd-run timeout unset wait watch xargs find zsh print vared sysread strftime zparseopts compgen`) {
		programs[name] = "/usr/bin/" + name
	}
	return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Shell: shell, Executables: programs}}, gavel.Options{})
}

// EXEC-7: a command does not change where programs are found, neither in its env
// parameter nor in its text. Names were resolved by the search path as it was before.
func TestACommandThatChangesTheSearchPathIsDenied(t *testing.T) {
	t.Parallel()
	for security, pdp := range map[string]*gavel.PDP{"allowlist": pathPolicy(t, map[string]any{"ask": "on-miss"}),
		"full": pathPolicy(t, map[string]any{"security": "full", "ask": "off"})} {
		for _, change := range deniedPathChanges() {
			t.Run(security+", "+change.name, func(t *testing.T) {
				t.Parallel()
				for _, command := range change.commands {
					d := decideOnPath(t, pdp, change.shell, command)
					assert.Equal(t, gavel.Deny, d.Effect, "%q: %+v", command, d.Reasons)
					assert.True(t, outcome{decision: d}.has("exec.environment"), "%q: %+v", command, d.Reasons)
				}
			})
		}
	}
}

func TestACommandThatMayChangeTheSearchPathIsNotAllowed(t *testing.T) {
	t.Parallel()
	pdp := pathPolicy(t, map[string]any{"ask": "on-miss"})
	for _, change := range doubtfulPathChanges() {
		for _, command := range change.commands {
			d := decideOnPath(t, pdp, change.shell, command)
			assert.NotEqual(t, gavel.Allow, d.Effect, "%s: %q", change.name, command)
		}
	}
}

func TestACommandThatDoesNotChangeTheSearchPathIsAllowed(t *testing.T) {
	t.Parallel()
	pdp := pathPolicy(t, map[string]any{"ask": "on-miss"})
	for _, command := range harmlessPathUses() {
		d := decideOnPath(t, pdp, "", command)
		require.Equal(t, gavel.Allow, d.Effect, "%q: %+v", command, d.Reasons)
		for _, word := range strings.Fields(d.Exec.Command) {
			assert.NotContains(t, []string{"ls", "'ls'"}, word, "%q runs a program by its name: %s", command, d.Exec.Command)
		}
	}
}
