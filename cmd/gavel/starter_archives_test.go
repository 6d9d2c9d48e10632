package main

import (
	"archive/tar"
	"archive/zip"
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
	for _, member := range members {
		head := &tar.Header{Name: member[0], Mode: 0o644, Typeflag: tar.TypeReg}
		switch {
		case len(member[1]) > 2 && member[1][:2] == "->":
			head.Typeflag, head.Linkname = tar.TypeSymlink, member[1][2:]
		case len(member[1]) > 2 && member[1][:2] == "=>":
			head.Typeflag, head.Linkname = tar.TypeLink, member[1][2:]
		}
		require.NoError(t, w.WriteHeader(head))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// zipOf is a zip with files of these names.
func zipOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		_, err := w.Create(name)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// archiveWorkspace returns a workspace with archives, and with a link out of it.
func archiveWorkspace(t *testing.T) string {
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
		"fine.tgz":   gzipped.Bytes(),
		"hooks.tar":  tarOf(t, [2]string{"a"}, [2]string{".git/hooks/pre-commit"}),
		"below.tar":  tarOf(t, [2]string{"x/.claude/settings.json"}),
		"out.tar":    tarOf(t, [2]string{"out/x"}),
		"dots.tar":   tarOf(t, [2]string{"../x"}),
		"links.tar":  tarOf(t, [2]string{"l", "->sub"}, [2]string{"l/x"}),
		"hard.tar":   tarOf(t, [2]string{"l", "=>.git/config"}),
		"own.tar":    tarOf(t, [2]string{"a"}, [2]string{"l", "=>a"}),
		"key.tar":    tarOf(t, [2]string{"l", "=>key.pem"}),
		"made.tar":   tarOf(t, [2]string{"key.pem"}, [2]string{"l", "=>key.pem"}),
		"there.tar":  tarOf(t, [2]string{"l", "=>sub"}),
		"both.tar":   tarOf(t, [2]string{"s", "->.git"}, [2]string{"h", "=>s"}, [2]string{"h/hooks/pre-commit"}),
		"deep.tar":   tarOf(t, [2]string{"./x/out/y"}),
		"pk.tar":     tarOf(t, [2]string{"PK"}, [2]string{".git/hooks/pre-commit"}),
		"plain.zip":  zipOf(t, "a/b"),
		"hook.zip":   zipOf(t, ".git/hooks/pre-commit"),
		"ctrl.zip":   zipOf(t, ".g\x01it/hooks/pre-commit"),
		"[h]ook.zip": zipOf(t, "a"),
		".env":       []byte("secret"), // that it is there is no reason to ask
		"env.tar":    tarOf(t, [2]string{"a"}, [2]string{"x/.env"}),
		"key.pem":    []byte("secret"),
		"odd.tar":    []byte("no archive"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "ws", name), content, 0o600))
	}
	return filepath.Join(root, "ws")
}

// The starter lets agents unpack archives, and no archive makes what no agent may write.
func TestStarterUnpacksOnlyWhatAgentsMayWrite(t *testing.T) {
	t.Parallel()
	root := archiveWorkspace(t)
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
		{Command: "tar xf own.tar", Want: "allow"},
		{Command: "tar xf env.tar", Want: "deny"},
		{Command: "tar xf own.tar -C sub", Want: "allow"},
		{Command: "tar -C sub -xf own.tar", Want: "allow"},
		{Command: "tar xzf fine.tgz -C sub", Want: "allow"},
		{Command: "tar xf hooks.tar -C sub", Want: "deny"},
		{Command: "tar xf below.tar -C sub", Want: "deny"},
		{Command: "tar xf dots.tar -C sub", Want: "ask"},
		{Command: "tar xf own.tar -C out", Want: "ask"},
		{Command: "tar xf own.tar -C ..", Want: "ask"},
		{Command: "tar xf own.tar -C /tmp", Want: "ask"},
		{Command: "tar xf own.tar -C .git", Want: "deny"},
		{Command: "tar xf own.tar -C .git/hooks", Want: "deny"},
		{Command: "tar xf own.tar -C sub -C ..", Want: "ask"},
		{Command: "tar xf own.tar -C sub -C ../..", Want: "ask"},
		{Command: "tar xf own.tar -C \"$X\"", Want: "ask"},
		{Command: "tar xf own.tar -C *", Want: "deny"},
		{Command: "ln -s ../.git sub/l; tar xf own.tar -C sub/l", Want: "deny"},
		{Command: "mkdir -p sub/new && tar -C sub/new -xf own.tar", Want: "allow"},
		{Command: "unzip plain.zip -d sub", Want: "allow"},
		{Command: "unzip -q -d sub plain.zip", Want: "allow"},
		{Command: "unzip -o plain.zip -d sub/new", Want: "allow"},
		{Command: "unzip hook.zip -d sub", Want: "deny"},
		{Command: "unzip -d sub hook.zip", Want: "deny"},
		{Command: "unzip plain.zip -d out", Want: "ask"},
		{Command: "unzip -d out plain.zip", Want: "ask"},
		{Command: "unzip plain.zip -d ..", Want: "ask"},
		{Command: "unzip plain.zip -d/tmp", Want: "ask"},
		{Command: "unzip plain.zip -d.git", Want: "deny"},
		{Command: "unzip plain.zip -d .git/hooks", Want: "deny"},
		{Command: "unzip -d .git/hooks plain.zip", Want: "deny"},
		{Command: "unzip -d sub plain.zip -d /tmp", Want: "ask"},
		{Command: "unzip plain.zip -x -d sub", Want: "ask"},
		{Command: "unzip plain.zip a -d sub", Want: "allow"},
		{Command: "tar xf own.tar --transform=s,a,b,", Want: "ask"},
		{Command: "tar xf key.tar", Want: "deny"},
		{Command: "tar xkf made.tar", Want: "deny"},
		{Command: "tar xf there.tar", Want: "ask"},
		{Command: "tar xf both.tar", Want: "ask"},
		{Command: "tar xf deep.tar --strip-components=2", Want: "ask"},
		{Command: "tar xf pk.tar", Want: "deny"},
		{Command: "tar xzf pk.tar", Want: "ask"},
		{Command: "tar xjf fine.tgz", Want: "ask"},
		{Command: "tar xJf fine.tgz", Want: "ask"},
		{Command: "tar xf plain.zip", Want: "ask"},
		{Command: "tar xzf plain.zip", Want: "ask"},
		{Command: "unzip plain.zip", Want: "allow"},
		{Command: "unzip hook.zip", Want: "deny"},
		{Command: "unzip ctrl.zip", Want: "ask"},
		{Command: "unzip '[h]ook.zip'", Want: "ask"},
		{Command: "unzip fine.tgz", Want: "ask"},
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
	compareDecisions(t, root, list)
}
