package hostconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tailscale/hujson"

	"gavel/internal/hostconfig"
)

// machine is one with nothing on it.
func machine(t *testing.T) hostconfig.Machine {
	t.Helper()
	root := t.TempDir()
	return hostconfig.Machine{Home: filepath.Join(root, "home"), Project: filepath.Join(root, "project"), Root: filepath.Join(root, "root"), OS: "linux",
		Getenv: func(string) string { return "" }, Gavel: "/opt/ga vel/gavel",
		Plugin: map[string][]byte{"gavel.ts": []byte("one"), "gavel/ask.ts": []byte("two")}}
}

func host(t *testing.T, name string) hostconfig.Host {
	t.Helper()
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	found := hostconfig.Named(list, name)
	require.NotNil(t, found, name)
	return *found
}

// write puts a file on the machine, and returns its name.
func write(t *testing.T, m hostconfig.Machine, h hostconfig.Host, level, text string) string {
	t.Helper()
	name, err := m.File(h, level)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o640))
	require.NoError(t, os.Chmod(name, 0o640)) // whatever the umask
	return name
}

func apply(t *testing.T, changes []hostconfig.Change, err error) (text string) {
	t.Helper()
	require.NoError(t, err)
	for _, change := range changes {
		if change.Changed() {
			_, err := change.Apply()
			require.NoError(t, err)
		}
		text = string(change.After)
	}
	return text
}

func TestEveryHostIsInstalledOnceAtEachLevelAndRemovedAgain(t *testing.T) {
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	require.Greater(t, len(list), 10)
	for _, h := range list {
		for level := range h.Levels {
			t.Run(h.Name+" "+level, func(t *testing.T) {
				m := machine(t)
				if h.Manual != "" {
					return
				}
				changes, err := m.Install(h, level)
				text := apply(t, changes, err)
				require.NotEmpty(t, text)
				if h.Plugin {
					assert.Len(t, changes, 2)
					assert.FileExists(t, changes[0].Path)
				} else {
					assert.Contains(t, text, "/opt/ga vel/gavel")
				}
				again, err := m.Install(h, level)
				require.NoError(t, err)
				for _, change := range again {
					assert.False(t, change.Changed(), "installing twice changes it:\n%s", change.Diff())
					assert.Empty(t, change.Diff())
				}
				removed, err := m.Uninstall(h, level)
				text = apply(t, removed, err)
				assert.NotContains(t, text, "gavel/gavel")
			})
		}
	}
}

const commented = `// mine
{
    "model": "opus", // the big one
    "hooks": {
        /* of the team */
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh"}]}, // first
        ],
        "Stop": []
    } // end of hooks
}
`

func TestCommentsAndOtherHooksStay(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	name := write(t, m, h, hostconfig.User, commented)
	changes, err := m.Install(h, hostconfig.User)
	text := apply(t, changes, err)
	for _, kept := range strings.Split(strings.TrimSpace(commented), "\n") {
		kept = strings.TrimSuffix(strings.TrimSpace(kept), ",")
		if strings.HasPrefix(kept, `"Stop"`) {
			kept = `"Stop": []`
		}
		assert.Contains(t, text, kept)
	}
	_, err = hujson.Parse([]byte(text))
	require.NoError(t, err)
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm(), "the mode stays")
	backup, err := os.ReadFile(name + ".before-gavel")
	require.NoError(t, err)
	assert.Equal(t, commented, string(backup))

	removed, err := m.Uninstall(h, hostconfig.User)
	text = apply(t, removed, err)
	assert.NotContains(t, text, "gavel")
	assert.Contains(t, text, `"check.sh"`)
	assert.Contains(t, text, "// the big one")
	assert.NotContains(t, text, "PermissionRequest")
}

func TestAnOutdatedHookIsReplaced(t *testing.T) {
	for about, element := range map[string]string{
		"an older path":       `{"matcher":"*","hooks":[{"type":"command","command":"/old/gavel","args":["hook","claude-code"],"timeout":10,"onFailure":"block"}]}`,
		"without onFailure":   `{"matcher":"*","hooks":[{"type":"command","command":"/opt/ga vel/gavel","args":["hook","claude-code"],"timeout":10}]}`,
		"as a shell command":  `{"matcher":"Bash","hooks":[{"type":"command","command":"'/opt/ga vel/gavel' hook claude-code"}]}`,
		"by the small binary": `{"matcher":"Bash","hooks":[{"type":"command","command":"/usr/bin/gavel-hook claude-code"}]}`,
	} {
		t.Run(about, func(t *testing.T) {
			m, h := machine(t), host(t, "claude-code")
			write(t, m, h, hostconfig.User, `{"hooks":{"PreToolUse":[`+element+`]}}`)
			changes, err := m.Install(h, hostconfig.User)
			text := apply(t, changes, err)
			assert.Equal(t, 1, strings.Count(text, "PreToolUse"))
			assert.Equal(t, 2, strings.Count(text, `"hook"`+"\n"), text)
			assert.NotContains(t, text, "claude-code", "other hosts read the file, too")
			assert.Contains(t, text, `"onFailure": "block"`)
		})
	}
}

func TestInstallingAndUninstallingLeavesTheFileUnchanged(t *testing.T) {
	for about, text := range map[string]string{
		"nothing else":         "{\n}\n",
		"a comment behind":     "{\n  \"a\": 1 // one\n}\n",
		"a comment of its own": "{\n  \"a\": 1,\n  // two\n  \"b\": 2\n  // end\n}\n",
		"tabs":                 "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t1\n\t\t]\n\t}\n}\n",
	} {
		t.Run(about, func(t *testing.T) {
			m, h := machine(t), host(t, "claude-code")
			write(t, m, h, hostconfig.User, text)
			changes, err := m.Install(h, hostconfig.User)
			assert.Contains(t, apply(t, changes, err), "gavel")
			changes, err = m.Uninstall(h, hostconfig.User)
			assert.Equal(t, text, apply(t, changes, err))
		})
	}
}

func TestTheSmallProgramNeedsNoSubCommand(t *testing.T) {
	for name, want := range map[string]string{"claude-code": `"args": []`, "gemini-cli": `'/opt/ga vel/gavel-hook' gemini-cli`} {
		m, h := machine(t), host(t, name)
		m.Gavel += "-hook"
		changes, err := m.Install(h, hostconfig.User)
		text := strings.Join(strings.Fields(apply(t, changes, err)), " ")
		assert.Contains(t, strings.ReplaceAll(strings.ReplaceAll(text, "[ ", "["), " ]", "]"), want)
		again, err := m.Install(h, hostconfig.User)
		require.NoError(t, err)
		assert.False(t, again[0].Changed())
	}
}

func TestAHookOfSomebodyElseStays(t *testing.T) {
	m, h := machine(t), host(t, "cursor")
	write(t, m, h, hostconfig.User, `{"hooks":{"preToolUse":[{"command":"/opt/gavel-audit hook cursor"},{"command":"sh -c 'gavel hook cursor; true'"}]}}`)
	removed, err := m.Uninstall(h, hostconfig.User)
	text := apply(t, removed, err)
	assert.Contains(t, text, "gavel-audit")
	assert.Contains(t, text, "; true")
}

func TestAFileThatCannotBeChangedIsAnErrorAndStaysUnchanged(t *testing.T) {
	for about, text := range map[string]string{
		"broken JSON":                 `{"hooks": `,
		"a list":                      `[]`,
		"hooks that are a list":       `{"hooks":[]}`,
		"an event that is not a list": `{"hooks":{"PreToolUse":{}}}`,
		"a byte order mark":           "\ufeff{}",
		"UTF-16":                      "\xff\xfe{\x00}\x00",
		"two objects":                 "{} {}",
	} {
		t.Run(about, func(t *testing.T) {
			m, h := machine(t), host(t, "claude-code")
			name := write(t, m, h, hostconfig.User, text)
			_, err := m.Install(h, hostconfig.User)
			require.ErrorContains(t, err, name)
			assert.NotContains(t, err.Error(), "hujson")
			after, err := os.ReadFile(name)
			require.NoError(t, err)
			assert.Equal(t, text, string(after))
		})
	}
}

func TestAScriptOfSomebodyElseIsNotReplaced(t *testing.T) {
	m, h := machine(t), host(t, "cline")
	name := write(t, m, h, hostconfig.User, "#!/bin/sh\necho '{}'\n")
	_, err := m.Install(h, hostconfig.User)
	require.ErrorContains(t, err, "another hook")
	removed, err := m.Uninstall(h, hostconfig.User)
	apply(t, removed, err)
	assert.FileExists(t, name)
}

func TestAFileThatChangedMeanwhileIsNotOverwritten(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	changes, err := m.Install(h, hostconfig.User)
	require.NoError(t, err)
	write(t, m, h, hostconfig.User, `{"new": true}`)
	_, err = changes[0].Apply()
	require.ErrorContains(t, err, "changed by another program")
}

func TestASymbolicLinkStaysOne(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	name, err := m.File(h, hostconfig.User)
	require.NoError(t, err)
	real := filepath.Join(t.TempDir(), "dotfiles.json")
	require.NoError(t, os.WriteFile(real, []byte("{}"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.Symlink(real, name))
	changes, err := m.Install(h, hostconfig.User)
	apply(t, changes, err)
	target, err := os.Readlink(name)
	require.NoError(t, err)
	assert.Equal(t, real, target)
	text, err := os.ReadFile(real)
	require.NoError(t, err)
	assert.Contains(t, string(text), "PreToolUse")
}

func TestADiffShowsWhatGoesAndComes(t *testing.T) {
	m, h := machine(t), host(t, "gemini-cli")
	write(t, m, h, hostconfig.User, "{\n  \"theme\": \"dark\"\n}\n")
	changes, err := m.Install(h, hostconfig.User)
	require.NoError(t, err)
	diff := changes[0].Diff()
	assert.Contains(t, diff, "-  \"theme\": \"dark\"\n+  \"theme\": \"dark\",\n+  \"hooks\": {\n")
	assert.Contains(t, diff, "+            \"command\": \"'/opt/ga vel/gavel' hook gemini-cli\",\n")
}

func TestALevelThatAHostDoesNotHaveIsNamed(t *testing.T) {
	_, err := machine(t).Install(host(t, "cline"), hostconfig.Managed)
	require.ErrorContains(t, err, "it has project, user")
	_, err = machine(t).Install(host(t, "openclaw"), hostconfig.User)
	require.ErrorContains(t, err, "openclaw plugins install")
}
