package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// programWeakness is a known weakness of the reference (docs/rules.md, W and Z), with
// commands that must not be allowed, and others that the rule must leave alone.
type programWeakness struct {
	name   string
	list   []string          // the allowlist
	shut   []string          // not allowed
	open   []string          // allowed all the same
	other  map[string]string // programs besides those of /usr/bin
	reason string            // a code that every one of shut is given, or ""
}

// programsOfWeaknesses are in /usr/bin.
const programsOfWeaknesses = "awk printf test [ bash sh zsh fish pwsh ksh busybox nice env time script sandbox-exec stdbuf nohup ls wc tr head echo rm id cat git sudo find xargs npx python3 eval timeout"

func weaknesses() []programWeakness {
	return slices.Concat(shellTextWeaknesses(), wrapperWeaknesses(), entryWeaknesses())
}

// evilPrograms are programs and scripts in directories that nobody trusts.
func evilPrograms() map[string]string {
	return map[string]string{"/tmp/evil/sh": "/tmp/evil/sh", "/tmp/evil/bash": "/tmp/evil/bash", "/srv/app/sh": "/srv/app/sh",
		"/srv/app/s.sh": "/srv/app/s.sh", "/srv/app/evil.sh": "/srv/app/evil.sh", "/tmp/evil/x": "/tmp/evil/x"}
}

// shellTextWeaknesses are about how the text of a command is read.
func shellTextWeaknesses() []programWeakness {
	evil := evilPrograms()
	safe := []string{"/usr/bin/wc", "/usr/bin/tr", "/usr/bin/head"}
	ls := []string{"/usr/bin/ls"}
	return []programWeakness{
		{name: "Z1: a shell stops at its script, and what looks like -c behind it is a parameter", list: safe, other: evil,
			shut: []string{"bash evil.sh -c 'wc; wc'", "busybox sh evil.sh -c 'wc; wc'", "nice bash evil.sh -c 'wc; wc'"}},
		{name: "Z2: the name of a shell says nothing about the file", list: safe, other: evil, reason: "exec.wrapper_untrusted",
			shut: []string{"/tmp/evil/sh -c 'wc; wc'", "./sh -c 'wc; wc'"}, open: []string{"sh -c 'wc; wc'"}},
		{name: "Z3: options that read other files are unknown", list: safe, reason: "exec.opaque_program",
			shut: []string{"bash --rcfile /tmp/evil -ic 'wc; wc'", "bash --init-file /tmp/evil -ic 'wc; wc'"}},
		{name: "Z4 to Z6: texts are read by the grammar of the shell that runs them", list: safe,
			shut: []string{`bash -c 'wc; tr "${x:=\$(id)}" "${x@P}"'`, `zsh -c 'wc; tr "${(e):-\$(id)}" b'`, `ksh -c 'wc; tr a "${ id;}"'`}},
		{name: "Z7 and Z8: a comment ends with its line, and only blanks part words", list: safe,
			shut: []string{"sh -c 'wc; wc # x\nid'", "bash -c 'wc; wc \u00a0# ; id'"}},
		{name: "Z9 and Z10: shells without a grammar are opaque", list: safe, reason: "exec.opaque_program",
			shut: []string{"fish --init-command id -c 'wc; wc'", "fish -c 'wc; wc' -c id", "pwsh -c 'wc; wc' '; id'"}},
		{name: "Z11: words of a text are literal", list: append(safe, "/usr/bin/id"),
			shut: []string{"sh -c 'wc; head -n ${x:-1$IFS/etc/passwd}'"}},
		{name: "W6: letters behind c are options, and the text is the next word", list: append(ls, "/usr/bin/echo"),
			shut: []string{"sh -cls 'id -un'", "bash -cecho pipefail 'id -un'"}},
		{name: "W7: options before and behind -c are read as the shell reads them", list: ls, other: evil,
			shut: []string{"bash evil.sh -c 'ls; ls'", "bash evil.sh -c '$0' ls", "bash -C evil.sh", "bash -ce id", "bash -c -x 'id'", "bash --init-file -c 'ls; ls'", "pwsh -File 'ls; ls'"},
			open: []string{"bash -c -x ls"}},
		{name: "W4: files that a shell would read first", list: ls, reason: "exec.opaque_program",
			shut: []string{"bash --rcfile /tmp/evil -ic 'ls; ls'", "bash --init-file x -c ls", "bash -ic ls"}, open: []string{"bash -c 'ls; ls'"}},
		{name: "W13: what is behind a here-document", list: []string{"/usr/bin/cat"}, shut: []string{"cat <<EOF\nhi\nEOF\nid", "cat # <<EOF\nid"}},
		{name: "W14: the end of a here-document in other quotes", list: []string{"/usr/bin/cat"},
			shut: []string{"cat <<'E'OF\nx\nE\nid\nEOF", "cat <<\\EOF\nx\nEOF\nid", "cat <<E'O'F\nid\nEOF"}},
		{name: "W16: arithmetic, indirection and prompts evaluate", list: []string{"/usr/bin/echo"},
			shut: []string{"echo $[LC_X]", "echo $((LC_X))", "echo ${LC_X@P}", "echo ${!x}", "echo ${x[y]}", "x=1; (( x ))", "[[ $x -eq 1 ]]"}},
		{name: "W17: commands of a shell that evaluate a subscript", list: []string{"*"},
			shut: []string{"printf -v 'a[$(id)]' x", "test -v 'a[$(id)]'", "[ -v 'a[$(id)]' ]", "read 'a[$(id)]'", "unset 'a[$(id)]'", "wait -p 'a[$(id)]'"}},
		{name: "W18: a login shell runs programs by the path that was judged", list: []string{"/usr/bin/ls", "/usr/bin/sh", "/usr/bin/bash"},
			open: []string{"sh -lc ls", "bash -lc 'ls x'"}, shut: []string{"sh -lc id"}},
		{name: "a login shell runs start-up files first, which an agent may be able to write", list: ls, reason: "exec.login_shell",
			shut: []string{"sh -lc ls", "bash -lc 'ls x'", "bash --login -c ls", "sh -l -c ls"}, open: []string{"bash --noprofile -lc ls"}},
		{name: "W20: blanks of Unicode are none", list: ls, reason: "exec.guard", shut: []string{"ls\u00a0x", "ls\u2003x", "ls \u3000 x"}},
		{name: "W21: a pipeline without a command", list: []string{"/usr/bin/ls", "/usr/bin/cat"}, reason: "exec.syntax", shut: []string{"| ls", "ls | | cat", "ls |"}, open: []string{"ls | cat"}},
		{name: "W22: words of the grammar are not programs", list: []string{"*"},
			shut: []string{"{ id; }", "! id", "if id; then ls; fi", "then id", "time id", "while id; do ls; done", "(id)"}, open: []string{"ls if then"}},
	}
}

// wrapperWeaknesses are about programs that run other programs.
func wrapperWeaknesses() []programWeakness {
	evil := evilPrograms()
	ls := []string{"/usr/bin/ls"}
	return []programWeakness{
		{name: "W1: a wrapper must be one that somebody vouches for", list: ls, other: evil, reason: "exec.wrapper_untrusted",
			shut: []string{"/tmp/evil/sh -c 'ls; ls'", "/tmp/evil/sh -c ls", "./sh -c 'ls; ls'"}},
		{name: "W3: through carriers and scripts as well", list: append(ls, "/srv/app/s.sh"), other: evil, reason: "exec.wrapper_untrusted",
			shut: []string{"/tmp/evil/sh -c '$0' ls", "/tmp/evil/bash s.sh"}, open: []string{"sh -c '$0' ls", "bash s.sh"}},
		{name: "W5: what env and time do besides is judged, or they are opaque", list: ls, other: evil,
			shut: []string{"env -S /tmp/evil/x sh -c ls", "env -C /etc sh -c ls", "env LD_PRELOAD=x sh -c ls", "/usr/bin/time -o /home/u/.bashrc -f PAYLOAD sh -c ls"},
			open: []string{"env LANG=C sh -c ls"}},
		{name: "W8: wrappers with effects of their own are opaque", list: ls, reason: "exec.opaque_program",
			shut: []string{"/usr/bin/time -o f -f T ls", "script f ls", "sandbox-exec -f profile ls"}},
		{name: "W2: a shell by another path is another program, whoever runs the text", list: ls, other: evil, reason: "exec.wrapper_untrusted",
			shut: []string{"/tmp/evil/sh -c ls", "/tmp/evil/bash -lc ls", "nice /tmp/evil/sh -c ls"}, open: []string{"sh -c ls"}},
		{name: "W38: carriers of interpreters", list: []string{"/usr/bin/awk"}, shut: []string{`sh -c '$0 "$@"' awk 'BEGIN{system("id")}'`, `sh -c '"$@"' _ awk 'BEGIN{system("id")}'`}},
		{name: "W28: a bare star is any program, and no builtin, no wrapper and no script", list: []string{"*"}, other: evil,
			shut: []string{"eval ls", "source evil.sh", ". evil.sh", "sudo ls", "bash evil.sh", "$X", "trap 'sudo ls' EXIT"}, open: []string{"ls", "nice ls"}},
		{name: "W32: an empty entry of the search path is the working directory", list: []string{"*"}, shut: []string{"env PATH=:/usr/bin ls"}, reason: "exec.environment"},
		{name: "W36: inside shells and carriers as well", list: []string{"/usr/bin/python3", "/usr/bin/ls"}, reason: "exec.hazard",
			shut: []string{"sh -c 'python3 -c x; ls'", `sh -c '$0 "$@"' python3 -c x`, "nice python3 -c x", "find-less; python3 -c x"}},
		{name: "W39: a carrier of xargs carries what xargs would run", list: []string{"/usr/bin/xargs"}, shut: []string{"xargs sh -lc id", "sh -c '$0 \"$@\"' xargs sh -lc id"}},
		{name: "W67: what env takes away is a name too", list: ls, reason: "exec.environment", shut: []string{"env -u PATH ls", "env --unset=LD_PRELOAD ls"}, open: []string{"env -u FOO ls"}},
	}
}

// entryWeaknesses are about what an allowlist entry matches.
func entryWeaknesses() []programWeakness {
	return []programWeakness{
		{name: "W23: dots lead where the kernel goes", list: []string{"/opt/tools/**", "~/Projects/**/bin/rg"}, reason: "exec.allowlist_miss",
			other: map[string]string{"/tmp/evil/x": "/tmp/evil/x", "/opt/tools/a": "/opt/tools/a", "/tmp/x/bin/rg": "/tmp/x/bin/rg"},
			shut:  []string{"/opt/tools/../../tmp/evil/x", "/home/u/Projects/../../../tmp/x/bin/rg"}, open: []string{"/opt/tools/x/../a"}},
		{name: "W24: what a link leads to is what is matched, and what runs", list: []string{"/opt/bin/*"}, reason: "exec.allowlist_miss",
			other: map[string]string{"tool": "/opt/bin/tool", "/opt/bin/tool": "/tmp/evil/x", "mine": "/opt/bin/mine"}, shut: []string{"tool"}, open: []string{"mine"}},
		{name: "W24: a program that goes by the names of its links needs somebody who vouches for the link", list: []string{"**", "*"}, reason: "exec.link",
			other: map[string]string{"cut": "/opt/bin/cut", "/opt/bin/cut": "/opt/bin/busybox"}, shut: []string{"cut -f1"}},
		{name: "W25: what is not there matches nothing", list: []string{"/home/u/bin/*", "*"}, reason: "exec.not_found", shut: []string{"/home/u/bin/tool", "nosuch"}},
		{name: "W26: arguments that run something are not part of an entry", list: []string{"/usr/bin/git"}, reason: "exec.hazard",
			shut: []string{"git -c core.pager='!sh' log", "git config alias.x '!sh'"}, open: []string{"git status"}},
		{name: "W31: the first entry that fits decides, and a deny list has no order", list: []string{"/usr/bin/git", "*"}, shut: []string{"git -c core.pager=id log"}, open: []string{"git status"}},
	}
}

func TestWeaknessesOfTheReferenceAreClosed(t *testing.T) {
	t.Parallel()
	programs := map[string]string{}
	for _, name := range strings.Fields(programsOfWeaknesses) {
		programs[name] = "/usr/bin/" + name
	}
	agents, list := map[string]any{}, weaknesses()
	for i, w := range list {
		agents[fmt.Sprintf("w%d", i)] = map[string]any{"exec": map[string]any{"allowlist": w.list}}
	}
	pdp := referencePDP(t, map[string]any{"tools": map[string]any{"exec": map[string]any{"host": "gateway"}}, "agents": agents})
	require.NotNil(t, pdp)
	for i, w := range list {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			environment := gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Executables: map[string]string{}}
			for _, from := range []map[string]string{programs, w.other} {
				for name, path := range from {
					environment.Executables[name] = path
				}
			}
			decide := func(command string) gavel.Decision {
				return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: fmt.Sprintf("w%d", i)}, Environment: &environment,
					Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, gavel.Options{})
			}
			for _, command := range w.shut {
				d := decide(command)
				assert.NotEqual(t, gavel.Allow, d.Effect, "%q", command)
				if w.reason != "" {
					assert.True(t, outcome{decision: d}.has(w.reason), "%q: want %s, got %+v", command, w.reason, d.Reasons)
				}
			}
			for _, command := range w.open {
				d := decide(command)
				assert.Equal(t, gavel.Allow, d.Effect, "%q: %+v", command, d.Reasons)
			}
		})
	}
}

// W66: names that the reference forgets say where programs, libraries or their settings
// come from as well.
func TestVariablesThatTheReferenceForgetsAreBlocked(t *testing.T) {
	t.Parallel()
	pdp := referencePDP(t, map[string]any{"tools": map[string]any{"exec": map[string]any{"host": "gateway", "allowlist": []string{"/usr/bin/ls"}}}, "agents": map[string]any{"main": map[string]any{}}})
	require.NotNil(t, pdp)
	decide := func(command string, env map[string]any) gavel.Decision {
		params := map[string]any{"command": command}
		if env != nil {
			params["env"] = env
		}
		return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: params},
			Environment: &gavel.Environment{Cwd: "/srv/app", Executables: map[string]string{"ls": "/usr/bin/ls", "env": "/usr/bin/env", "sudo": "/usr/bin/sudo"}}}, gavel.Options{})
	}
	forgotten := strings.Fields(`RIPGREP_CONFIG_PATH GREP_OPTIONS TAR_OPTIONS RSYNC_RSH GIT_TRACE GIT_TRACE2 GH_EDITOR GH_PAGER SYSTEMD_EDITOR SYSTEMD_PAGER
		BAT_PAGER DELTA_PAGER LESS LESSKEY PYTHONINSPECT PYTHONWARNINGS PYTHONEXECUTABLE PYTHONPYCACHEPREFIX NODE_REPL_EXTERNAL_MODULE RUSTC
		RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER GOTOOLCHAIN GOROOT COMPILER_PATH GCC_EXEC_PREFIX AR LD TMPDIR LOCPATH NLSPATH
		TERMINFO FPATH CDPATH BASHOPTS AWKPATH DOCKER_CONFIG PNPM_HOME PATH LD_PRELOAD DYLD_INSERT_LIBRARIES BASH_ENV ENV IFS`)
	for _, name := range forgotten {
		assert.True(t, outcome{decision: decide("ls", map[string]any{name: "x"})}.has("exec.environment"), name)
		assert.True(t, outcome{decision: decide("env "+name+"=x ls", nil)}.has("exec.environment"), "env %s", name)
		assert.True(t, outcome{decision: decide("env -u "+name+" ls", nil)}.has("exec.environment"), "env -u %s", name)
	}
	assert.Equal(t, gavel.Allow, decide("ls", map[string]any{"NO_COLOR": "1"}).Effect)
	assert.Equal(t, gavel.Allow, decide("env NO_COLOR=1 ls", nil).Effect)
}

// W30: what an allow-always would add never stands for anything else.
func TestAPathWithAWildcardIsNotOffered(t *testing.T) {
	t.Parallel()
	pdp := referencePDP(t, map[string]any{"tools": map[string]any{"exec": map[string]any{"host": "gateway"}}, "agents": map[string]any{"main": map[string]any{}}})
	require.NotNil(t, pdp)
	d := pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "'/opt/a*b/tool'; git status"}},
		Environment: &gavel.Environment{Executables: map[string]string{"tool": "/opt/a*b/tool", "git": "/usr/bin/git"}}}, gavel.Options{})
	require.Equal(t, gavel.Ask, d.Effect)
	require.NotNil(t, d.Exec.Offer)
	assert.Empty(t, d.Exec.Offer.Patterns)
	assert.Empty(t, d.Exec.Offer.Templates)
	assert.True(t, outcome{decision: d}.offered("exec.offer_wildcard"))
	assert.Equal(t, `"/opt/a*b/tool" would match other paths too`, d.Exec.Offer.Refused[0].Message)
}

// TestWeaknessesOfPathsOnThisMachine holds those that need a real file system.
func TestWeaknessesOfPathsOnThisMachine(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"bin", "evil", "work"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, dir), 0o755))
	}
	write := func(name, content string, mode os.FileMode) {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(content), mode))
	}
	write("bin/tool", "#!/bin/sh\n", 0o755)
	write("evil/tool", "#!/bin/sh\n", 0o755)
	write("work/x.sh", "echo 1\n", 0o644)
	config, err := json.Marshal(map[string]any{"tools": map[string]any{"exec": map[string]any{"host": "gateway",
		"allowlist": []string{root + "/bin/*", root + "/work/*.sh"}}}, "agents": map[string]any{"main": map[string]any{}}})
	require.NoError(t, err)
	write("config.json", string(config), 0o600)
	a, _, _ := testApp("")
	pdp, err := a.load(t.Context(), root+"/config.json")
	require.NoError(t, err)
	decide := func(command string, path ...string) gavel.Decision {
		return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Environment: &gavel.Environment{Cwd: root + "/work", Path: path},
			Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, gavel.Options{Explain: true})
	}
	allowed := func(want bool, d gavel.Decision, why string) {
		t.Helper()
		assert.Equal(t, want, d.Effect == gavel.Allow, "%s: %+v", why, d.Reasons)
	}

	allowed(true, decide("tool", root+"/bin"), "the program itself")
	allowed(false, decide("tool", root+"/evil", root+"/bin"), "W18: an earlier directory of the path wins, and is not on the list")
	allowed(false, decide("tool", "", root+"/bin"), "W32: an empty entry is the working directory, where a shell would look first")
	allowed(false, decide("tool", "bin", root+"/bin"), "W32: so is a relative one")

	require.NoError(t, os.Symlink(root+"/evil/tool", root+"/bin/link"))
	allowed(false, decide("link", root+"/bin"), "W24: a link in an allowed directory executes what it points to")
	allowed(false, decide(root+"/bin/../evil/tool"), "W23: dots lead out of an allowed directory")
	allowed(false, decide("later", root+"/bin"), "W25: what is not there is not allowed in advance")

	first := decide("sh x.sh", "/usr/bin", "/bin")
	require.NotEmpty(t, first.Facts.Exec.Segments)
	before := first.Facts.Exec.Segments[0].Scripts[0]
	assert.Len(t, before.SHA256, 64, "W27: what an approval of a script covers is its content")
	write("work/x.sh", "echo 2\n", 0o644)
	after := decide("sh x.sh", "/usr/bin", "/bin").Facts.Exec.Segments[0].Scripts[0]
	assert.NotEqual(t, before.SHA256, after.SHA256, "W27: the agent wrote another one")
	assert.Equal(t, before.Inode, after.Inode)

	require.NoError(t, os.Chmod(root+"/bin", 0o777))
	assert.Contains(t, decide("tool", root+"/bin").Facts.Exec.Segments[0].Executable.Writable, "directory", "W29: who can put another program there is a fact")
}
