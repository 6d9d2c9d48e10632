//go:build linux

package daemon_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/daemon"
)

func TestAProgramThatOthersMayChangeIsGivenNoCredentials(t *testing.T) {
	config := configured(t, "", map[string]string{"true": `echo "$TOKEN"`}, "")
	s := start(t, config, nil)
	require.NoError(t, s.client(t, nil, "true").err)
	program := config.Tools["true"].Binary
	require.NoError(t, os.Chmod(program, 0o722))
	refused := s.client(t, nil, "true")
	require.Error(t, refused.err)
	assert.Empty(t, refused.stdout)
	assert.Contains(t, s.log.String(), "can be changed by others: run chmod go-w "+program)
	require.NoError(t, os.Chmod(program, 0o700))
	require.NoError(t, s.client(t, nil, "true").err)
	above := filepath.Dir(filepath.Dir(program))
	require.NoError(t, os.Chmod(above, 0o777))
	require.Error(t, s.client(t, nil, "true").err, "others may put another directory in the place of the program's")
	assert.Contains(t, s.log.String(), "in the place of "+program+": "+above+": others can replace its contents (drwxrwxrwx); run chmod go-w "+above)
	require.NoError(t, os.Chmod(above, 0o777|fs.ModeSticky))
	require.NoError(t, s.client(t, nil, "true").err, "as in /tmp")
}

// What a tool is given of the daemon's own environment has nothing of its secrets.
func TestAToolHasTheVariablesOfAToolAndNoOthers(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"env": `env | cut -d= -f1 | sort | tr '\n' ' '`}, ""), func(c *daemon.Config) {
		c.Getenv = func(name string) string {
			return map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/h", "USER": "u", "TERM": "vt100", "VAULT_TOKEN": "x", "LD_PRELOAD": "x", "OTHER": "x", "SSH_AUTH_SOCK": "x"}[name]
		}
	})
	r := s.client(t, nil, "env")
	require.NoError(t, r.err)
	assert.Equal(t, "HOME PATH PWD TERM TOKEN USER ", strings.ReplaceAll(strings.ReplaceAll(r.stdout, "OLDPWD ", ""), "_ ", ""))
}
