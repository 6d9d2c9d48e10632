package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

const directoryFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC

// openFile opens a regular file for reading and running. locked is true if it may only be run.
func openFile(path string) (file *os.File, locked bool, err error) {
	// O_NONBLOCK: a pipe in its place must not keep the runner waiting.
	file, _, err = openNoLinks(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errors.Is(err, unix.EACCES) {
		file, _, err = openNoLinks(path, unix.O_PATH|unix.O_CLOEXEC)
		return file, true, err
	}
	return file, false, err
}

// openNoLinks opens a path in which no part is a symbolic link. note says what was not available.
func openNoLinks(path string, flags int) (file *os.File, note string, err error) {
	how := unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		note = "openat2 is not available here; paths are opened part by part"
		fd, err = openParts(path, flags)
	}
	if err != nil {
		return nil, note, explained(err)
	}
	return os.NewFile(uintptr(fd), path), note, nil
}

// openParts does the same without openat2.
func openParts(path string, flags int) (int, error) {
	at, err := unix.Open("/", directoryFlags, 0)
	if err != nil {
		return -1, err
	}
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for i, part := range parts {
		if part == "." || part == ".." {
			unix.Close(at) //nolint:errcheck // nothing was written
			return -1, unix.EINVAL
		}
		how := directoryFlags | unix.O_NOFOLLOW
		if i == len(parts)-1 {
			how = flags | unix.O_NOFOLLOW
		}
		next, err := unix.Openat(at, part, how, 0)
		unix.Close(at) //nolint:errcheck // nothing was written
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}

func explained(err error) error {
	switch {
	case errors.Is(err, unix.ELOOP):
		return errors.New("a part of its path is a symbolic link now")
	case errors.Is(err, unix.ENOENT):
		return errors.New("it is gone")
	case errors.Is(err, unix.ENOTDIR):
		return errors.New("it is not a directory now")
	}
	return err
}

// maxSealed is the size of the largest file that is copied into memory.
const maxSealed = 1 << 30

// Sealed returns an immutable copy of the content in memory, and compares it with
// the pin.
func (f *File) Sealed() (*os.File, error) {
	if f.sealed != nil {
		return f.sealed, nil
	}
	if f.locked {
		return nil, f.changed("its content cannot be read")
	}
	fd, err := unix.MemfdCreate("gavel", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate("gavel", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return nil, fmt.Errorf("hold %s in memory: %w", f.Pin.Path, err)
	}
	held := os.NewFile(uintptr(fd), f.Pin.Path)
	if err := f.fill(held); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	// An interpreter reads from the start; a descriptor of its own also cannot be used to write.
	read, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", held.Fd()))
	if err = errors.Join(err, held.Close()); err != nil {
		return nil, fmt.Errorf("hold %s in memory: %w", f.Pin.Path, err)
	}
	f.sealed = read
	return read, nil
}

func (f *File) fill(held *os.File) error {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return f.changed(err.Error())
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(held, sum), io.LimitReader(f.file, maxSealed+1))
	switch {
	case err != nil:
		return f.changed(err.Error())
	case n > maxSealed:
		return f.changed("it is too large to be held in memory")
	case f.Pin.SHA256 != "" && hex.EncodeToString(sum.Sum(nil)) != f.Pin.SHA256:
		return f.changed("its content is different")
	}
	if err := unix.Fchmod(int(held.Fd()), 0o500); err != nil {
		return fmt.Errorf("hold %s in memory: %w", f.Pin.Path, err)
	}
	seals := unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(held.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return fmt.Errorf("seal the copy of %s: %w", f.Pin.Path, err)
	}
	return nil
}

// WritesAreRefused reports whether this system refuses to write to a program that is running.
// Linux 6.11 and 6.12 do not.
func WritesAreRefused() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	release := unix.ByteSliceToString(name.Release[:])
	return !strings.HasPrefix(release, "6.11.") && !strings.HasPrefix(release, "6.12.")
}
