package server_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestListenUnix(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))

	t.Run("a stale socket is replaced", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(short(t), "s")
		old, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		require.NoError(t, err)
		old.SetUnlinkOnClose(false)
		require.NoError(t, old.Close())
		ln, err := s.ListenUnix(path)
		require.NoError(t, err)
		require.NoError(t, ln.Close())
	})
	t.Run("a socket in use is left alone", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(short(t), "s")
		old, err := s.ListenUnix(path)
		require.NoError(t, err)
		_, err = s.ListenUnix(path)
		require.ErrorContains(t, err, "another process serves it")
		require.NoError(t, old.Close())
	})
	t.Run("what is not a socket is left alone", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		file := filepath.Join(dir, "file")
		require.NoError(t, os.WriteFile(file, []byte("precious"), 0o600))
		link := filepath.Join(dir, "link")
		require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), link))
		for _, path := range []string{file, link, dir} {
			_, err := s.ListenUnix(path)
			require.ErrorContains(t, err, "is not a socket", path)
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, "precious", string(data))
	})
	t.Run("a file that took its place is left alone at close", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(short(t), "s")
		ln, err := s.ListenUnix(path)
		require.NoError(t, err)
		require.NoError(t, os.Rename(path, path+".old"))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, ln.Close())
		assert.FileExists(t, path)
	})
	t.Run("names without a file are refused", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"", "@abstract", "a\x00b", filepath.Join(t.TempDir(), "missing", "s"), "/" + strings.Repeat("x", 200)} {
			_, err := s.ListenUnix(path)
			require.Error(t, err, path)
		}
	})
}

func TestTheDirectoryOfAUnixSocket(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))

	t.Run("a directory in which others may replace the socket is refused", func(t *testing.T) {
		t.Parallel()
		for _, mode := range []os.FileMode{0o777, 0o770, 0o707} {
			dir := t.TempDir()
			require.NoError(t, os.Chmod(dir, mode))
			_, err := s.ListenUnix(filepath.Join(dir, "s"))
			require.ErrorContains(t, err, "run chmod go-w "+dir, mode)
			assert.NoFileExists(t, filepath.Join(dir, "s"))
		}
	})
	t.Run("a sticky directory will do, where nobody touches the files of others", func(t *testing.T) {
		t.Parallel()
		dir := short(t)
		require.NoError(t, os.Chmod(dir, 0o777|os.ModeSticky))
		ln, err := s.ListenUnix(filepath.Join(dir, "s"))
		require.NoError(t, err)
		require.NoError(t, ln.Close())
	})
}

func TestListenTCP(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "127.0.0.1", "127.0.0.1:http2"} {
		t.Run(addr+" is refused", func(t *testing.T) {
			t.Parallel()
			_, err := s.ListenTCP(addr)
			require.Error(t, err)
		})
	}
	t.Run("a remote listener of someone else's is refused by Serve", func(t *testing.T) {
		t.Parallel()
		ln, err := net.Listen("tcp4", "0.0.0.0:0")
		require.NoError(t, err)
		require.ErrorContains(t, s.Serve(t.Context(), ln), "not loopback")
		require.Error(t, ln.Close(), "Serve has closed it")
	})
	t.Run("nothing to listen on is an error", func(t *testing.T) {
		t.Parallel()
		require.Error(t, s.Serve(t.Context()))
	})
	t.Run("remote addresses work when they are allowed", func(t *testing.T) {
		t.Parallel()
		cfg := config(t)
		cfg.AllowRemote = true
		ln, err := newServer(t, cfg).ListenTCP("0.0.0.0:0")
		require.NoError(t, err)
		require.NoError(t, ln.Close())
	})
}

func TestOnlyAUnixSocketHasAPeerThatIsAllowed(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer here.Close()  //nolint:errcheck // nothing is written
	defer there.Close() //nolint:errcheck // nothing is written
	assert.False(t, newServer(t, config(t)).AllowsPeer(here))
}
