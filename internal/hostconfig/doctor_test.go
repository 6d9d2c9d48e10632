package hostconfig_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/hostconfig"
)

const denied = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"exec.denied: no"}}` + "\n"

// doctor examines a machine with one host, whose hook prints answers as given.
func doctor(m hostconfig.Machine, version string, hook hostconfig.Ran) hostconfig.Doctor {
	return hostconfig.Doctor{Machine: m,
		Look: func(name string) (string, error) { return "/bin/" + filepath.Base(name), nil },
		Run: func(_ context.Context, input, _ string, args ...string) hostconfig.Ran {
			switch {
			case len(args) == 1 && args[0] == "--version":
				return hostconfig.Ran{Stdout: version + " (host)\n"}
			case strings.Contains(input, "no"+`":"payload`):
				return hostconfig.Ran{Stdout: denied}
			}
			return hook
		}}
}

func problems(r hostconfig.Report) (text string) {
	for _, p := range r.Problems {
		text += p.What + " → " + p.Fix + "\n"
	}
	return text
}

func TestWorkingHooksHaveNoProblem(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	changes, err := m.Install(h, hostconfig.User)
	apply(t, changes, err)
	r := doctor(m, "2.1.330", hostconfig.Ran{Stdout: denied}).Examine(t.Context(), h)
	assert.Empty(t, problems(r))
	assert.True(t, r.Present)
	assert.Equal(t, "2.1.330", r.Version)
	assert.Equal(t, []string{filepath.Join(m.Home, ".claude/settings.json")}, r.Installed)
	assert.Equal(t, []string{"/opt/ga vel/gavel hook answers a probe: deny: exec.denied: no"}, r.Proofs)
	assert.NotEmpty(t, r.Notes)
}

func TestAFileOfTwoLevelsIsReportedOnce(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	m.Project = m.Home
	changes, err := m.Install(h, hostconfig.User)
	apply(t, changes, err)
	r := doctor(m, "2.1.330", hostconfig.Ran{Stdout: denied}).Examine(t.Context(), h)
	assert.Len(t, r.Installed, 1)
	assert.Len(t, r.Proofs, 1)
}

// problemCase is a state of a machine that lets calls pass without a decision.
type problemCase struct {
	change  func(t *testing.T, m *hostconfig.Machine, h hostconfig.Host)
	version string
	hook    hostconfig.Ran
	want    string // the problem that doctor reports
}

// settingsProblems are problems of the host and its settings.
func settingsProblems() map[string]problemCase {
	return map[string]problemCase{
		"an old version": {version: "2.1.197", want: "2.1.197 is older than 2.1.295"},
		"a project that switches hooks off": {change: func(t *testing.T, m *hostconfig.Machine, h hostconfig.Host) {
			write(t, *m, h, hostconfig.Project, `{"disableAllHooks": true /* quick */}`)
		}, want: "disableAllHooks"},
		"local settings that switch hooks off": {change: func(t *testing.T, m *hostconfig.Machine, h hostconfig.Host) {
			name := filepath.Join(m.Project, ".claude/settings.local.json")
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			require.NoError(t, os.WriteFile(name, []byte(`{"disableAllHooks":true}`), 0o600))
		}, want: "settings.local.json switches the hooks off"},
		"a variable": {change: func(_ *testing.T, m *hostconfig.Machine, _ hostconfig.Host) {
			m.Getenv = func(name string) string { return map[string]string{"CLAUDE_CODE_SIMPLE": "1"}[name] }
		}, want: "CLAUDE_CODE_SIMPLE is set"},
		"an alias": {change: func(t *testing.T, m *hostconfig.Machine, _ hostconfig.Host) {
			require.NoError(t, os.WriteFile(filepath.Join(m.Home, ".bashrc"), []byte("# claude --bare\nalias c='claude --bare'\n"), 0o600))
		}, want: "~/.bashrc:2 runs claude with --bare"},
		"a hook that fails open": {change: func(t *testing.T, m *hostconfig.Machine, h hostconfig.Host) {
			name, err := m.File(h, hostconfig.User)
			require.NoError(t, err)
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(text), `"onFailure": "block"`, `"x": 1`)), 0o600))
		}, want: "fails open"},
		"an event without a hook": {change: func(t *testing.T, m *hostconfig.Machine, h hostconfig.Host) {
			name, err := m.File(h, hostconfig.User)
			require.NoError(t, err)
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(text), "PermissionRequest", "Stop")), 0o600))
		}, want: "no hook of Gavel in hooks.PermissionRequest"},
		"no hook": {change: func(t *testing.T, m *hostconfig.Machine, h hostconfig.Host) {
			write(t, *m, h, hostconfig.User, `{}`)
		}, want: "no call of Claude Code is judged → run gavel install claude-code"},
		"settings that are broken": {change: func(t *testing.T, m *hostconfig.Machine, h hostconfig.Host) {
			write(t, *m, h, hostconfig.User, `{"hooks":`)
		}, want: "cannot be read"},
	}
}

// hookProblems are problems of the answers of the hook.
func hookProblems() map[string]problemCase {
	return map[string]problemCase{
		"no server":                {hook: hostconfig.Ran{Stderr: "gavel: not decided, so denied: no server\n", Exit: 2}, want: "denies every call"},
		"an answer with noise":     {hook: hostconfig.Ran{Stdout: "hello\n" + denied}, want: "does not answer"},
		"an answer with nothing":   {hook: hostconfig.Ran{Exit: 0}, want: "prints nothing and exits with 0"},
		"a silent exit":            {hook: hostconfig.Ran{Exit: 2}, want: "prints nothing and exits with 2"},
		"an answer of no decision": {hook: hostconfig.Ran{Stdout: "{}\n"}, want: "prints no decision"},
		"a hook that permits a probe": {hook: hostconfig.Ran{Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}` + "\n"},
			want: "permits a probe, which this version of Gavel always denies"},
		"a hook that hangs": {hook: hostconfig.Ran{Err: errors.New("it did not finish within 20s")}, want: "did not finish"},
	}
}

func TestEverythingThatLetsCallsPassIsAProblem(t *testing.T) {
	cases := settingsProblems()
	maps.Copy(cases, hookProblems())
	for about, c := range cases {
		t.Run(about, func(t *testing.T) {
			m, h := machine(t), host(t, "claude-code")
			changes, err := m.Install(h, hostconfig.User)
			apply(t, changes, err)
			if c.change != nil {
				c.change(t, &m, h)
			}
			if c.hook == (hostconfig.Ran{}) && about != "an answer with nothing" {
				c.hook = hostconfig.Ran{Stdout: denied}
			}
			if c.version == "" {
				c.version = "2.1.330"
			}
			assert.Contains(t, problems(doctor(m, c.version, c.hook).Examine(t.Context(), h)), c.want)
		})
	}
}

func TestAHookMustRefuseWhatItCannotRead(t *testing.T) {
	m, h := machine(t), host(t, "gemini-cli")
	changes, err := m.Install(h, hostconfig.User)
	apply(t, changes, err)
	d := doctor(m, "0.61.0", hostconfig.Ran{})
	d.Run = func(context.Context, string, string, ...string) hostconfig.Ran {
		return hostconfig.Ran{Stdout: `{"decision":"allow","reason":"r"}`}
	}
	assert.Contains(t, problems(d.Examine(t.Context(), h)), "does not refuse an unreadable payload")
}

func TestAHookThatIsSwitchedOffByNameIsFound(t *testing.T) {
	m, h := machine(t), host(t, "gemini-cli")
	write(t, m, h, hostconfig.User, `{"hooksConfig":{"disabled":["other","gavel"]}}`)
	changes, err := m.Install(h, hostconfig.User)
	apply(t, changes, err)
	assert.Contains(t, problems(doctor(m, "0.61.0", hostconfig.Ran{Stdout: denied}).Examine(t.Context(), h)), "hooksConfig.disabled")
}

func TestAManagedHookIsNotSwitchedOffByTheProject(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	write(t, m, h, hostconfig.Project, `{"disableAllHooks":true}`)
	changes, err := m.Install(h, hostconfig.Managed)
	apply(t, changes, err)
	assert.Empty(t, problems(doctor(m, "2.1.330", hostconfig.Ran{Stdout: denied}).Examine(t.Context(), h)))
}

func TestAHostThatIsNotInstalledIsNotAProblem(t *testing.T) {
	d := doctor(machine(t), "", hostconfig.Ran{})
	d.Look = func(string) (string, error) { return "", errors.New("not found") }
	r := d.Examine(t.Context(), host(t, "claude-code"))
	assert.False(t, r.Present)
	assert.Empty(t, r.Problems)
}

func TestHooksOfAHostThatIsNotOnPathAreStillTested(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	changes, err := m.Install(h, hostconfig.Project)
	apply(t, changes, err)
	d := doctor(m, "", hostconfig.Ran{Stdout: denied})
	look := d.Look
	d.Look = func(name string) (string, error) {
		if name == h.Program {
			return "", errors.New("not found")
		}
		return look(name)
	}
	r := d.Examine(t.Context(), h)
	assert.True(t, r.Present)
	assert.Empty(t, problems(r))
	assert.NotEmpty(t, r.Proofs)
	assert.Contains(t, strings.Join(r.Notes, "\n"), "claude is not on PATH")
}

func TestAPluginThatWasChangedIsFound(t *testing.T) {
	m, h := machine(t), host(t, "opencode")
	changes, err := m.Install(h, hostconfig.User)
	apply(t, changes, err)
	d := doctor(m, "1.18.33", hostconfig.Ran{Stdout: `{"decision":"deny","reason":"exec.denied: no"}` + "\n"})
	r := d.Examine(t.Context(), h)
	assert.Empty(t, problems(r))
	assert.Equal(t, []string{changes[0].Path + " answers a probe: deny: exec.denied: no"}, r.Proofs)
	d.Run = func(_ context.Context, input, _ string, _ ...string) hostconfig.Ran {
		assert.Empty(t, input, "a plugin that is not ours is not run")
		return hostconfig.Ran{Stdout: "1.18.33"}
	}
	require.NoError(t, os.WriteFile(changes[0].Path, []byte("export {}"), 0o600))
	assert.Contains(t, problems(d.Examine(t.Context(), h)), "is not the file that this version of Gavel installs")
}

func TestAPluginThatDecidesNothingIsAProblem(t *testing.T) {
	m, h := machine(t), host(t, "opencode")
	changes, err := m.Install(h, hostconfig.User)
	apply(t, changes, err)
	for about, c := range map[string]struct {
		hook hostconfig.Ran
		want string
	}{
		"no server":                {hostconfig.Ran{Stdout: `{"decision":"deny","reason":"gavel: not decided, so denied: connect"}`}, "denies every call"},
		"it does not load":         {hostconfig.Ran{Stderr: "SyntaxError", Exit: 1}, "prints nothing and exits with 1"},
		"it answers late":          {hostconfig.Ran{Err: errors.New("it did not finish within 20s")}, "did not finish"},
		"it prints something else": {hostconfig.Ran{Stdout: "loaded\n"}, "does not print one JSON object"},
	} {
		assert.Contains(t, problems(doctor(m, "1.18.33", c.hook).Examine(t.Context(), h)), c.want, about)
	}
	d := doctor(m, "1.18.33", hostconfig.Ran{Stdout: `{"decision":"allow"}`})
	d.Look = func(string) (string, error) { return "", errors.New("not found") }
	assert.Contains(t, problems(d.Examine(t.Context(), h)), "opencode is not on PATH")
}

func TestEachHookOfCursorMustBeThereAndFailClosed(t *testing.T) {
	m, h := machine(t), host(t, "cursor")
	changes, err := m.Install(h, hostconfig.User)
	apply(t, changes, err)
	denies := hostconfig.Ran{Stdout: `{"permission":"deny","user_message":"guard.probe: decided"}` + "\n"}
	require.Len(t, h.Lists, 5)
	assert.Empty(t, problems(doctor(m, "3.9.16", denies).Examine(t.Context(), h)))
	whole := changes[0].After
	for _, list := range h.Lists {
		_, name, _ := strings.Cut(list.At, ".")
		without := strings.Replace(string(whole), `"`+name+`"`, `"afterFileEdit"`, 1)
		require.NotEqual(t, string(whole), without)
		require.NoError(t, os.WriteFile(changes[0].Path, []byte(without), 0o600))
		assert.Contains(t, problems(doctor(m, "3.9.16", denies).Examine(t.Context(), h)), "has no hook of Gavel in "+list.At)
		before, after, _ := strings.Cut(string(whole), `"`+name+`"`)
		open := before + `"` + name + `"` + strings.Replace(after, `"failClosed": true`, `"failClosed": false`, 1)
		require.NoError(t, os.WriteFile(changes[0].Path, []byte(open), 0o600))
		assert.Contains(t, problems(doctor(m, "3.9.16", denies).Examine(t.Context(), h)), "the hook in "+list.At)
	}
}

func TestEachHostSaysWhichCallsItsHooksDoNotSee(t *testing.T) {
	hosts, err := hostconfig.Hosts()
	require.NoError(t, err)
	for _, h := range hosts {
		assert.NotEmpty(t, h.Unhooked, h.Name)
	}
}

func TestCodexTrustsTheHashThatItNames(t *testing.T) {
	hook := hostconfig.CodexHook{Key: "/h/.codex/hooks.json:pre_tool_use:0:0", Hash: "sha256:aa", Trust: "untrusted", Enabled: true}
	entry := "[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:aa\"\n"
	for about, c := range map[string][2]string{
		"no file":              {"", entry},
		"other settings":       {"model = \"x\" # mine", "model = \"x\" # mine\n\n" + entry},
		"an older hash":        {"[a]\nb = 1\n\n" + strings.ReplaceAll(entry, "aa", "bb") + "[c]\nd = 2\n", "[a]\nb = 1\n\n" + entry + "[c]\nd = 2\n"},
		"an older hash at end": {strings.ReplaceAll(entry, "aa", "bb"), entry},
	} {
		t.Run(about, func(t *testing.T) {
			m := machine(t)
			if c[0] != "" {
				require.NoError(t, os.MkdirAll(filepath.Join(m.Home, ".codex"), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(m.Home, ".codex/config.toml"), []byte(c[0]), 0o600))
			}
			change, err := m.Trust([]hostconfig.CodexHook{hook})
			require.NoError(t, err)
			assert.Equal(t, c[1], string(change.After))
		})
	}
	hook.Key = "a\"]\n[evil]"
	_, err := machine(t).Trust([]hostconfig.CodexHook{hook})
	require.Error(t, err)
}
