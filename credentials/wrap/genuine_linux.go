package wrap

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// genuine checks that the process that listens is of root or of the user whom the socket's
// directory belongs to, so that no other process can pose as the daemon.
func genuine(conn *net.UnixConn, place Place) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var cred *unix.Ucred
	controlled := raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err := errors.Join(err, controlled); err != nil {
		return err
	}
	dir := filepath.Dir(place.Socket)
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return errors.New("the owner of its directory is unknown")
	case cred.Uid != 0 && cred.Uid != owner.Uid:
		return fmt.Errorf("it runs as user %d, and %s belongs to user %d", cred.Uid, dir, owner.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others can write to %s: run chmod go-w %s", dir, dir)
	}
	return nil
}
