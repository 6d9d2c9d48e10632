package analyzer_test

import (
	"archive/zip"
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

func TestFilesThatUnzipCreatesAreTouched(t *testing.T) {
	t.Parallel()
	root := project(t)
	require.NoError(t, os.WriteFile(root+"/bin/unzip", nil, 0o755))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"a/b", "a/.mcp.json"} {
		_, err := w.Create(name)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(root+"/ws/evil.zip", b.Bytes(), 0o600))
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: root + "/home", Cwd: root + "/ws", Path: []string{root + "/bin"}, Platform: "linux"})
	require.NoError(t, err)
	for command, want := range map[string]string{"unzip evil.zip": "/ws/a/.mcp.json", "unzip evil": "/ws/a/.mcp.json", "unzip -j evil.zip": "/ws/.mcp.json", "unzip -l evil.zip": ""} {
		facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, nil)
		if want == "" {
			assert.Empty(t, facts.Touches, command)
			continue
		}
		require.Len(t, facts.Touches, 1, command)
		assert.Equal(t, root+want, facts.Touches[0].Real, command)
	}
}
