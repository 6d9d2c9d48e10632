package analyzer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// In /proc, the process that opens a file finds another root and another working directory than Gavel
// does. Gavel's own files stay closed there, and where such a path leads is unknown otherwise.
func TestALinkOfAProcessDoesNotHideGavelsFiles(t *testing.T) {
	t.Parallel()
	root, workspace := grounds(t)
	require.NoError(t, os.Symlink("/proc/self/cwd", filepath.Join(workspace, "here")))
	token := root + "/state/tokens/approve.token"
	read := func(path string) gavel.Tool {
		return gavel.Tool{Name: "read", Params: map[string]any{"path": path}}
	}
	for _, tc := range []struct {
		tool gavel.Tool
		want string // kind and access
	}{
		{read("/proc/self/root" + token), "state read"},
		{read("/proc/1/root" + token), "state read"},
		{read("/proc/thread-self/root" + token), "state read"},
		{read("/proc/self/task/1/root" + token), "state read"},
		{read("/proc/self/root/proc/self/root" + token), "state read"},
		{read("/proc/self/root/../" + token), "state read"},
		{read("/proc/./self//root" + token), "state read"},
		{read("/proc/self/cwd" + token), "state read"}, // the working directory may be the root
		{read("/proc/self/cwd/state/tokens/approve.token"), "state read"},
		{read("/proc/self/cwd/../state/tokens/approve.token"), "state read"},
		{read("/proc/self/fd/9/tokens/approve.token"), "state read"},
		{read("/dev/fd/../root" + token), "state read"},
		{read("/dev/fd/../cwd/state/tokens/approve.token"), "state read"},
		{read("/dev/fd/9/tokens/approve.token"), "state read"},
		{read("here/state/tokens/approve.token"), "state read"},
		{read("here/../state/tokens/approve.token"), "state read"},
		{gavel.Tool{Name: "write", Params: map[string]any{"path": "/proc/self/cwd/.git/config"}}, "host write"},
		{gavel.Tool{Name: "other", Params: map[string]any{"a": "/proc/self/root" + token}}, "state write"},
		{execTool("cat /proc/self/root" + token), "state read"},
		{execTool("ls > /proc/self/root" + token), "state write"},
		{execTool("ls > here/state/x"), "state write"},
		{read("/proc/self/root/etc/hosts"), ""},
		{read("/proc/self/cwd/f"), ""},
		{read("/proc/cpuinfo"), ""},
		{execTool("cat /dev/stdin"), ""},
		{execTool("cat /dev/fd/0"), ""},
	} {
		facts := onGrounds(t, root, workspace, tc.tool, gavel.CallSettings{})
		got := ""
		for _, touch := range facts.Touches {
			got = strings.TrimSpace(got + " " + touch.Kind + " " + touch.Access)
		}
		assert.Equal(t, tc.want, got, "%v", tc.tool.Params)
		for _, r := range facts.Resources {
			assert.Empty(t, r.Real, "%v", tc.tool.Params)
		}
	}
}
