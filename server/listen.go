package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"

	"gavel/internal/private"
)

// ListenTCP listens on addr, such as "127.0.0.1:8181". An address beyond
// loopback is refused unless Config.TLS or Config.AllowRemote is set.
func (s *Server) ListenTCP(addr string) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	if err := s.checkLoopback(resolved); err != nil {
		return nil, err
	}
	ln, err := net.ListenTCP("tcp", resolved)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	return ln, nil
}

// ErrNotLoopback is the error for an address that other machines can reach, without TLS.
var ErrNotLoopback = errors.New("the address is not loopback, and tokens would cross the network unencrypted")

func (s *Server) checkLoopback(addr *net.TCPAddr) error {
	if s.cfg.AllowRemote || s.cfg.TLS != nil || addr.IP.IsLoopback() {
		return nil
	}
	return fmt.Errorf("listen on %s: %w", addr, ErrNotLoopback)
}

// ListenUnix listens on a socket file that only this process's user may use. Other users must not be
// able to put their own socket there and answer for Gavel, so the directory must belong to this user
// or root, and either be sticky or not be writable for others. A stale socket is replaced; any other
// file at path is left unchanged, and is an error. Closing the listener removes the file, if it is
// still the same one.
func (s *Server) ListenUnix(path string) (net.Listener, error) {
	ln, err := listenUnix(path)
	if err != nil {
		return nil, fmt.Errorf("listen on unix socket %q: %w", path, err)
	}
	return ln, nil
}

// AllowsPeer reports whether the process at the other end of a unix socket may connect: it belongs
// to the user that the server serves.
func (s *Server) AllowsPeer(conn net.Conn) bool {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	uid, err := peerUID(unixConn)
	return err == nil && uid == s.cfg.UID
}

func listenUnix(path string) (net.Listener, error) {
	if err := private.PlaceForSocket(path); err != nil {
		return nil, err
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false)
	// Nothing is accepted before the mode is right, and whoever connected
	// in the meantime still has to be the right user.
	info, err := restrict(path)
	if err != nil {
		return nil, errors.Join(err, ln.Close(), os.Remove(path))
	}
	return &unixListener{UnixListener: ln, path: path, info: info}, nil
}

func restrict(path string) (fs.FileInfo, error) {
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, err
	}
	return os.Lstat(path)
}

// unixListener removes its file when it is closed.
type unixListener struct {
	*net.UnixListener
	path   string
	info   fs.FileInfo
	closed sync.Once
}

// Close stops listening and removes the socket file.
func (l *unixListener) Close() error {
	err := l.UnixListener.Close()
	l.closed.Do(func() {
		if info, statErr := os.Lstat(l.path); statErr == nil && os.SameFile(info, l.info) {
			err = errors.Join(err, os.Remove(l.path))
		}
	})
	return err
}
