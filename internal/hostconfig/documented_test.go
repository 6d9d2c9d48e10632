package hostconfig_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/hostconfig"
)

// page is a host's page, and the blocks of a language in it.
func page(t *testing.T, name, language string) (text string, blocks []string) {
	t.Helper()
	read, err := os.ReadFile(filepath.Join("..", "..", "docs", "hosts", name+".md"))
	require.NoError(t, err)
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(read), -1) {
		blocks = append(blocks, match[1])
	}
	require.NotEmpty(t, blocks, "%s has no block %s", name, language)
	return string(read), blocks
}

// Each page begins with the two lines that install and prove, and shows what they write where.
func TestThePagesShowWhatIsWritten(t *testing.T) {
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	for _, h := range list {
		text, shell := page(t, h.Name, "sh")
		if h.Manual != "" {
			command, _, _ := strings.Cut(strings.TrimPrefix(h.Manual, "run "), ";")
			assert.Contains(t, shell[0], command, h.Name)
			continue
		}
		assert.Equal(t, "gavel install "+h.Name+"\ngavel doctor "+h.Name+"\n", shell[0])
		m := machine(t)
		m.Gavel = "/usr/local/bin/gavel-hook"
		changes, err := m.Install(h, hostconfig.User)
		require.NoError(t, err)
		if h.Plugin {
			assert.Contains(t, text, filepath.Dir(h.Levels[hostconfig.User].File))
			continue
		}
		for level, l := range h.Levels {
			assert.True(t, strings.Contains(text, "`"+l.File+"`") || strings.Contains(text, "--"+level) || level == hostconfig.Project, "%s: nothing is said of %s", h.Name, l.File)
		}
		if h.Script != "" {
			assert.Equal(t, string(changes[0].After), shell[1], h.Name)
			continue
		}
		_, shown := page(t, h.Name, "json")
		assert.JSONEq(t, string(changes[0].After), shown[0], h.Name)
	}
}

// What a host never asks its hooks about is in its table, which doctor shows, and on its page.
func TestEveryHostSaysWhatItNeverAsksAbout(t *testing.T) {
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	for _, h := range list {
		assert.NotEmpty(t, h.Unhooked, h.Name)
		text, _ := page(t, h.Name, "sh")
		for _, what := range h.Unhooked {
			assert.Contains(t, strings.Join(strings.Fields(text), " "), what, h.Name)
		}
	}
}

func TestADirectoryOfAnotherHostDoesNotIndicateVSCode(t *testing.T) {
	m := machine(t)
	changes, err := m.Install(host(t, "copilot-cli"), hostconfig.User)
	apply(t, changes, err)
	d := doctor(m, "1.0.0", hostconfig.Ran{Stdout: denied})
	d.Look = func(string) (string, error) { return "", os.ErrNotExist }
	assert.False(t, d.Examine(t.Context(), host(t, "vscode")).Present)
	assert.True(t, d.Examine(t.Context(), host(t, "copilot-cli")).Present)
}
