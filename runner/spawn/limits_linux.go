package spawn

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func (l *Limits) table() map[int]uint64 {
	return map[int]uint64{unix.RLIMIT_CPU: l.Seconds, unix.RLIMIT_AS: l.Memory, unix.RLIMIT_FSIZE: l.FileSize,
		unix.RLIMIT_NOFILE: l.Files, unix.RLIMIT_NPROC: l.Processes}
}

func (l *Limits) any() bool {
	for _, most := range l.table() {
		if most > 0 {
			return true
		}
	}
	return false
}

// set limits a process.
func (l *Limits) set(pid int) error {
	for resource, most := range l.table() {
		if most == 0 {
			continue
		}
		var now unix.Rlimit
		if err := unix.Prlimit(pid, resource, nil, &now); err != nil {
			return fmt.Errorf("read a limit of the command: %w", err)
		}
		most = min(most, now.Max)
		if err := unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil); err != nil {
			return fmt.Errorf("limit the command: %w", err)
		}
	}
	return nil
}

// confine puts the command's thread under the limits that do not apply to the whole process.
func (p *Process) confine(spec *Spec) error {
	var missing error
	p.group, missing = newGroup(&spec.Limits)
	if missing != nil {
		p.note(missing.Error())
		if spec.Limits.Required && spec.Limits.Processes > 0 && os.Geteuid() == 0 {
			return missing // the other limit on processes does not hold root
		}
	}
	if spec.Limits.Write == nil && spec.Limits.Exact == nil {
		return nil
	}
	absent, err := landlock(spec.Limits.Write, spec.Limits.Exact)
	for _, path := range absent {
		p.note("the command may not write to " + path + ": it is not there, or a link is on the way to it")
	}
	if err == nil || spec.Limits.Required {
		return err
	}
	p.note(err.Error())
	return nil
}

// Rights of Landlock to change files, by the version of its interface that has them.
const (
	landlockFirst  = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	landlockSecond = unix.LANDLOCK_ACCESS_FS_REFER
	landlockThird  = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// landlockFile are the ones that a file can have.
	landlockFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// landlock permits this thread, and what it starts, to change files in these directories only, and
// in those of exact that are there without a link. A library for Landlock would confine every
// thread of the process.
func landlock(directories, exact []string) (absent []string, err error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return nil, fmt.Errorf("the kernel cannot limit where the command writes: Landlock: %w", errno)
	}
	rights := uint64(landlockFirst)
	if version >= 2 {
		rights |= landlockSecond
	}
	if version >= 3 {
		rights |= landlockThird
	}
	ruleset := unix.LandlockRulesetAttr{Handled_access_fs: rights}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&ruleset)), unsafe.Sizeof(ruleset.Handled_access_fs), 0)
	if errno != 0 {
		return nil, fmt.Errorf("limit where the command writes: %w", errno)
	}
	defer unix.Close(int(fd)) //nolint:errcheck // nothing was written
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/pts", "/dev/ptmx"} {
		if err := permit(int(fd), device, rights, 0); err != nil && !errors.Is(err, unix.ENOENT) {
			return nil, err
		}
	}
	for _, dir := range directories {
		if err := permit(int(fd), dir, rights, 0); err != nil {
			return nil, err
		}
	}
	for _, path := range exact {
		err := permit(int(fd), path, rights, unix.RESOLVE_NO_SYMLINKS)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
			absent = append(absent, path)
		} else if err != nil {
			return nil, err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return nil, fmt.Errorf("limit where the command writes: %w", errno)
	}
	return absent, nil
}

func permit(ruleset int, path string, rights, resolve uint64) error {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
	if err != nil {
		return fmt.Errorf("limit where the command writes: %s: %w", path, err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("limit where the command writes: %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= landlockFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("limit where the command writes: %s: %w", path, errno)
	}
	return nil
}
