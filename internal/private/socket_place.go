package private

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// staleFor is how long a socket that may be stale has to accept a connection.
const staleFor = time.Second

// PlaceForSocket prepares a path for a socket: it must be the path of a file, in a place where nobody
// else can put one. A socket to which nobody listens is removed; anything else there is an error.
func PlaceForSocket(path string) error {
	if path == "" || strings.HasPrefix(path, "@") || strings.ContainsRune(path, 0) {
		return errors.New("it is not the path of a file; a socket without a file has no permissions")
	}
	if err := CheckPlace(filepath.Dir(path)); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("the path exists and is not a socket; remove it, or choose another path")
	}
	conn, err := net.DialTimeout("unix", path, staleFor)
	if err == nil {
		_ = conn.Close()
		return errors.New("another process serves it; stop that process, or choose another path")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("cannot tell whether the socket there is stale: %w", err)
	}
	return os.Remove(path)
}
