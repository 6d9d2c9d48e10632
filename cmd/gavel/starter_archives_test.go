package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// tarOf is a tar with these members: files, and links to what is behind -> and =>, the second hard.
func tarOf(t *testing.T, members ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, one := range members {
		head := &tar.Header{Name: one[0], Mode: 0o644, Typeflag: tar.TypeReg}
		switch {
		case len(one[1]) > 2 && one[1][:2] == "->":
			head.Typeflag, head.Linkname = tar.TypeSymlink, one[1][2:]
		case len(one[1]) > 2 && one[1][:2] == "=>":
			head.Typeflag, head.Linkname = tar.TypeLink, one[1][2:]
		}
		require.NoError(t, w.WriteHeader(head))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// withArchives is a workspace with archives, and with a link out of it.
func withArchives(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "ws/sub"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(root, "elsewhere"), 0o755))
	require.NoError(t, os.Symlink("../elsewhere", filepath.Join(root, "ws/out")))
	var gzipped bytes.Buffer
	g := gzip.NewWriter(&gzipped)
	_, err = g.Write(tarOf(t, [2]string{"a/b"}, [2]string{"a/.gitignore"}))
	require.NoError(t, err)
	require.NoError(t, g.Close())
	for name, content := range map[string][]byte{
		"fine.tgz":  gzipped.Bytes(),
		"hooks.tar": tarOf(t, [2]string{"a"}, [2]string{".git/hooks/pre-commit"}),
		"below.tar": tarOf(t, [2]string{"x/.claude/settings.json"}),
		"out.tar":   tarOf(t, [2]string{"out/x"}),
		"dots.tar":  tarOf(t, [2]string{"../x"}),
		"links.tar": tarOf(t, [2]string{"l", "->sub"}, [2]string{"l/x"}),
		"hard.tar":  tarOf(t, [2]string{"l", "=>.git/config"}),
		"odd.tar":   []byte("no archive"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "ws", name), content, 0o600))
	}
	return filepath.Join(root, "ws")
}

// The starter lets agents unpack archives, and no archive makes what no agent may write.
func TestStarterUnpacksOnlyWhatAgentsMayWrite(t *testing.T) {
	t.Parallel()
	root := withArchives(t)
	list := []wanted{
		{Command: "tar xzf fine.tgz", Want: "allow"},
		{Command: "tar -x -f fine.tgz --strip-components=1", Want: "allow"},
		{Command: "cd sub && tar xf ../fine.tgz", Want: "allow"},
		{Command: "tar tf hooks.tar", Want: "allow"},
		{Command: "tar xf hooks.tar", Want: "deny"},
		{Command: "tar -xf hooks.tar -k", Want: "deny"},
		{Command: "sh -c 'tar xf hooks.tar'", Want: "deny"},
		{Command: "tar xf below.tar", Want: "deny"},
		{Command: "tar xf below.tar --strip-components 1", Want: "deny"},
		{Command: "tar xf hard.tar", Want: "deny"},
		{Command: "tar xf out.tar", Want: "ask"},
		{Command: "tar xf dots.tar", Want: "ask"},
		{Command: "tar xf links.tar", Want: "ask"},
		{Command: "tar xf odd.tar", Want: "ask"},
		{Command: "tar xf missing.tar", Want: "ask"},
		{Command: "tar x", Want: "ask"},
		{Command: "cat fine.tgz | tar xz", Want: "ask"},
		{Command: "cp hooks.tar fine.tgz; tar xf fine.tgz", Want: "ask"},
		{Command: "cat hooks.tar > fine.tgz; tar xf fine.tgz", Want: "ask"},
		{Command: "tar xzf fine.tgz > log", Want: "allow"},
	}
	decidedIn(t, root, list)
}
