package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The starter lets agents loop over names that are known, and over nothing that is denied.
func TestStarterReadsOnlyFilesThatALoopMayName(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"ws/src", "ws/scripts", "ws/conf", "out"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for name, text := range map[string]string{"ws/src/a.go": "", "ws/scripts/run.sh": "", "ws/conf/.env": "", "ws/list": "src/a.go\nscripts\n", "ws/out.txt": "../out/secret\n", "ws/all.txt": "conf\n", "out/secret": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = filepath.Join(root, "ws")
		require.NoError(t, cmd.Run())
	}
	compareDecisions(t, root+"/ws", []wanted{
		{Command: `for f in $(git ls-files '*.sh'); do head -3 "$f"; done`, Want: "allow"},
		{Command: `for f in $(git ls-files 'scripts/*.sh'); do bash -n "$f" || echo "bad: $f"; done`, Want: "allow"},
		{Command: `git ls-files '*.go' | while IFS= read -r f; do echo "== $f"; wc -l "$f"; done`, Want: "allow"},
		{Command: `git ls-files '*.sh' | while read -r f; do bash -n "$f" || echo "bad: $f"; done`, Want: "allow"},
		{Command: `find src -name '*.go' | sort | while IFS= read -r f; do grep -c x "$f"; done`, Want: "allow"},
		{Command: `find src -type f -print0 | while IFS= read -r -d '' f; do wc -l "$f"; done`, Want: "allow"},
		{Command: `while read -r f; do ls -l "$f"; done < list`, Want: "allow"},
		{Command: `git ls-files '*.go' | xargs -I{} head -3 {}`, Want: "allow"},
		{Command: `for f in scripts/*.sh; do bash -n "$f"; done`, Want: "allow"},
		{Command: `while IFS=, read -r a b; do echo "$a $b"; done < list`, Want: "allow"},
		{Command: `git diff --name-only | grep '\.go$' | while read -r f; do head -3 "$f"; done`, Want: "deny"}, // it may be conf/.env
		{Command: `for f in $(git diff --name-only); do echo "== $f"; head -3 "$f"; done`, Want: "deny"},
		{Command: `for f in $(git diff --name-only --cached); do head -3 "$f"; done`, Want: "ask"},
		{Command: `cd src && for f in $(git diff --name-only); do head -3 "$f"; done`, Want: "ask"},
		{Command: `for f in $(git ls-files); do cat "$f"; done`, Want: "deny"},
		{Command: `git ls-files conf | while read -r f; do cat "$f"; done`, Want: "deny"},
		{Command: `git ls-files | xargs -I{} cat {}`, Want: "deny"},
		{Command: `while read -r f; do cat "$f"; done < all.txt`, Want: "deny"},
		{Command: `while read -r f; do cat "$f"; done < out.txt`, Want: "ask"},
		{Command: `for f in $(git ls-files src); do f=../out/secret; cat "$f"; done`, Want: "ask"},
		{Command: `git ls-files src | while read -r f; do head -c 4; cat "$f"; done`, Want: "ask"},
		{Command: `for f in $(git ls-files scripts); do bash "$f"; done`, Want: "ask"},
		{Command: `for f in $(git ls-files scripts); do bash -n -i "$f"; done`, Want: "ask"},
		{Command: `for f in $(git ls-files src); do ln -sf ../../out/secret "$f"; cat "$f"; done`, Want: "ask"},
		{Command: `for f in $(git ls-files src); do rm "$f"; done`, Want: "ask"},
		{Command: `IFS=/; for f in $(git ls-files src); do cat "$f"; done`, Want: "deny"},
	})
}
