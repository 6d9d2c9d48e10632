package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"gavel/internal/inherit"
)

// peerUID is the user of the process that connected.
func peerUID(conn *net.UnixConn) (uint32, error) {
	cred, err := peerCred(conn)
	if err != nil {
		return 0, err
	}
	return cred.Uid, nil
}

func peerCred(conn *net.UnixConn) (cred *unix.Ucred, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	controlled := raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	return cred, errors.Join(err, controlled)
}

// examine finds out what the process at the other end executes. Nothing is looked up by its PID
// alone, which another process may have by now: a descriptor of the process says that it still
// lives after its directory in /proc was opened, so that the directory is its own.
func examine(conn *net.UnixConn) (*caller, error) {
	cred, err := peerCred(conn)
	if err != nil {
		return nil, err
	}
	who := &caller{uid: cred.Uid, pid: int(cred.Pid)}
	if who.pid <= 0 {
		return who, errors.New("it is in another PID namespace")
	}
	process, err := pidfd(conn, who.pid)
	if err != nil {
		return who, fmt.Errorf("its process cannot be held: %w", err)
	}
	defer unix.Close(process) //nolint:errcheck // nothing was written
	dir, err := unix.Open("/proc/"+strconv.Itoa(who.pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return who, fmt.Errorf("open its directory in /proc: %w", err)
	}
	defer unix.Close(dir) //nolint:errcheck // nothing was written
	if !alive(process) {
		return who, errors.New("it has ended")
	}
	exe, err := unix.Openat(dir, "exe", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return who, fmt.Errorf("open its executable: %w", err)
	}
	defer unix.Close(exe) //nolint:errcheck // nothing was written
	if who.file, err = fileOf(exe); err != nil {
		return who, fmt.Errorf("examine its executable: %w", err)
	}
	name := make([]byte, unix.PathMax)
	if n, err := unix.Readlinkat(dir, "exe", name); err == nil {
		who.exe = string(name[:n])
	}
	who.name = called(dir)
	if !alive(process) {
		return who, errors.New("it has ended")
	}
	return who, nil
}

// pidfd is a descriptor of the process that connected. Kernels before 6.5 find it by its PID.
func pidfd(conn *net.UnixConn, pid int) (fd int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	controlled := raw.Control(func(socket uintptr) { fd, err = unix.GetsockoptInt(int(socket), unix.SOL_SOCKET, unix.SO_PEERPIDFD) })
	if controlled != nil {
		return 0, controlled
	}
	if errors.Is(err, unix.ENOPROTOOPT) {
		return unix.PidfdOpen(pid, 0)
	}
	return fd, err
}

// alive reports whether a process has not ended. One of another user may not be sent a signal, and
// is there.
func alive(process int) bool {
	err := unix.PidfdSendSignal(process, 0, nil, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// called is the base name of argv[0].
func called(dir int) string {
	fd, err := unix.Openat(dir, "cmdline", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd) //nolint:errcheck // it was only read
	text := make([]byte, unix.PathMax)
	n, err := unix.Read(fd, text)
	if err != nil || n <= 0 {
		return ""
	}
	first, _, _ := bytes.Cut(text[:n], []byte{0})
	return filepath.Base(string(first))
}

func fileOf(fd int) (fileID, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fileID{}, err
	}
	return fileID{stat.Dev, stat.Ino}, nil
}

func fileAt(path string) (fileID, error) {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return fileID{}, err
	}
	return fileID{stat.Dev, stat.Ino}, nil
}

func ownFile() (fileID, error) { return fileAt("/proc/self/exe") }

// gone reports whether the other end of a connection is closed altogether. A client that has only
// nothing more to say is not gone.
func gone(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	closed := false
	err = raw.Control(func(fd uintptr) {
		poll := []unix.PollFd{{Fd: int32(fd), Events: 0}}
		_, _ = unix.Poll(poll, 0)
		closed = poll[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	})
	return closed || err != nil
}

// Harden keeps other processes of this user from reading the memory and the environment of this
// one, core files from being written, by this process and by the tools that it runs, and the
// descriptors and ignored signals that this process was given from the tools.
func Harden() error {
	inherit.NoIgnoredSignals()
	return errors.Join(noCores(), unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0), inherit.Nothing())
}

// noCores keeps core files from being written. Where the system hands them to a program, the limit 0
// counts for nothing, and the limit 1 means that the program is not started; a file of one byte is
// none. A process whose limit is 0 already may not raise it.
func noCores() error {
	err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1})
	if errors.Is(err, unix.EPERM) {
		err = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	}
	return err
}
