package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The starter lets agents look at what find finds, and at nothing that is denied.
func TestStarterReadsOnlyFilesThatFindMayList(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"ws/src/deep", "ws/conf", "ws/links", "out"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, name := range []string{"ws/src/a.go", "ws/src/deep/b c.go", "ws/src/-w.go", "ws/conf/.env", "ws/conf/x.go", "out/secret"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	require.NoError(t, os.Symlink("../../out/secret", filepath.Join(root, "ws/links/y.go")))
	list := []wanted{
		{Command: "find src -name '*.go' -exec grep -n x {} +", Want: "allow"},
		{Command: "find src -type f -exec wc -l {} \\;", Want: "allow"},
		{Command: "find . -name '*.go' -type f -exec cat {} +", Want: "allow"},
		{Command: "cd src && find . -name '*.go' -exec head -n 3 {} +", Want: "allow"},
		{Command: "find src -name '*.go' -exec grep -l x {} + | sort", Want: "allow"},
		{Command: "find . -name '*.go' -exec cat {} +", Want: "ask"}, // a link leads out
		{Command: "find . -name '*.go' -exec grep -n x {} \\;", Want: "ask"},
		{Command: "find links -exec cat {} +", Want: "ask"},
		{Command: "find -L . -name '*.go' -type f -exec cat {} +", Want: "ask"},
		{Command: "find . -type f -exec cat {} +", Want: "deny"},
		{Command: "find conf -exec cat {} +", Want: "deny"},
		{Command: "find . -name .env -exec cat {} +", Want: "deny"},
		{Command: "find . -name '.e*' -exec grep KEY {} \\;", Want: "deny"},
		{Command: "find ../out -type f -exec cat {} +", Want: "ask"},
		{Command: "find / -name shadow -exec cat {} +", Want: "ask"},
		{Command: "ln -s ../../out/secret src/c.go; find src -name '*.go' -exec cat {} +", Want: "ask"},
		{Command: "find src -type f -print0 | xargs -0 grep -n x", Want: "allow"},
		{Command: "find conf -name '*.go' | xargs wc -l", Want: "allow"},
		{Command: "find src -name '*.go' | xargs wc -l", Want: "ask"}, // a name with a blank
		{Command: "find . -name '*.go' -print0 | xargs -0 cat", Want: "ask"},
		{Command: "find conf | xargs cat", Want: "deny"},
		{Command: "find . -type f -print0 | xargs -0 cat", Want: "deny"},
		{Command: "find conf -name '*.go' | xargs rm", Want: "ask"},
		{Command: "find src -name '*.none' | xargs grep -rn KEY", Want: "deny"}, // in the working directory
		{Command: "find ~ -type f -exec cat {} +", Want: "ask"},
		{Command: "find $D -type f -exec cat {} +", Want: "ask"},
		{Command: "find src -name '*.go' -exec sed -i s/a/b/ {} +", Want: "ask"},
		{Command: "find src -name '*.go' -exec rm {} +", Want: "ask"},
		{Command: "find src -name '*.go' -exec sh {} \\;", Want: "ask"},
	}
	compareDecisions(t, root+"/ws", list)
}
