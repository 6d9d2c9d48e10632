package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"gavel/credentials/wire"
	"gavel/internal/inherit"
)

// grace is how long a process has after SIGTERM.
const grace = 5 * time.Second

// process is a running command: the leader of its own process group, or of its own session in a
// terminal. The group is ended with it.
type process struct {
	cmd      *exec.Cmd
	outputs  []io.Reader // standard output and standard error; one in a terminal
	ours     []*os.File  // this process's ends
	terminal *os.File
	progress atomic.Int64 // pieces of output
	reading  atomic.Int64 // streams that are waited for now

	mu     sync.Mutex
	reaped bool
	over   atomic.Bool
	told   atomic.Bool   // it has received a signal
	feed   chan []byte   // standard input
	inEnd  chan struct{} // nothing more comes
	inOnce sync.Once
	fed    sync.WaitGroup
	in     *os.File // used by write alone
	killed chan struct{}
	kills  sync.Once
}

// openDir opens a directory without reading it.
func openDir(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the directory: %w", err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// realPath is the path of an open directory, if it still is there.
func realPath(dir *os.File, _ string) (string, error) {
	real, err := os.Readlink(descriptor(dir))
	if err != nil {
		return "", err
	}
	there, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	open, err := dir.Stat()
	if err != nil || !os.SameFile(there, open) {
		return "", errors.New("the directory has been moved or removed")
	}
	return real, nil
}

func descriptor(file *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(file.Fd())) }

// start starts a command. Its directory is the open one, whatever its path leads to by now.
func start(c command) (*process, error) {
	cmd := exec.Command(c.binary, c.args...) //nolint:noctx // it is ended as a group, with a time for it
	cmd.Env, cmd.Dir = c.env, descriptor(c.dir.file)
	p := &process{cmd: cmd, killed: make(chan struct{}), feed: make(chan []byte, 4), inEnd: make(chan struct{})}
	theirs, err := p.connect(c)
	if err == nil {
		err = p.launch()
	}
	for _, file := range theirs {
		_ = file.Close()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", c.binary, err), p.free())
	}
	p.fed.Go(p.write)
	return p, nil
}

// launch starts the command without the capabilities that the daemon was given to examine clients, and
// without the signals that it was started to block. Both are of this thread, as which the command begins.
func (p *process) launch() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := inherit.NoCapabilities(); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	if err := inherit.NoBlockedSignals(); err != nil {
		return err
	}
	return p.cmd.Start()
}

// connect makes the ends of pipes or of a terminal.
func (p *process) connect(c command) (theirs []*os.File, err error) {
	if c.pty {
		return p.inTerminal(c.size)
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, null)
	p.cmd.Stdin = null
	if c.stdin {
		read, write, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		theirs, p.ours, p.in, p.cmd.Stdin = append(theirs, read), append(p.ours, write), write, read
	}
	for _, stream := range []*io.Writer{&p.cmd.Stdout, &p.cmd.Stderr} {
		read, write, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		theirs, p.ours = append(theirs, write), append(p.ours, read)
		p.outputs = append(p.outputs, &counted{file: read, of: p})
		*stream = write
	}
	return theirs, nil
}

func (p *process) inTerminal(size *wire.WindowSize) (theirs []*os.File, err error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	p.terminal, p.in, p.ours = master, master, []*os.File{master}
	p.outputs = []io.Reader{&counted{file: master, of: p}}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if size != nil {
		p.resize(size.Rows, size.Cols)
	}
	return []*os.File{slave}, nil
}

// wait waits for the process, ends its group, and lets its output be read. It reports whether the
// time was over. When the context ends, the process is ended.
func (p *process) wait(ctx context.Context, limit time.Duration, drain func()) (timeout bool) {
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		for {
			// The process stays a zombie, so that nothing else can have its number.
			err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
			if !errors.Is(err, unix.EINTR) {
				return
			}
		}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-exited:
	case <-p.killed:
		p.send(unix.SIGKILL)
	case <-timer.C:
		timeout = true
		p.terminate(exited)
	case <-ctx.Done():
		p.terminate(exited)
	}
	<-exited
	p.over.Store(true)
	p.send(unix.SIGKILL) // the rest of the group; the kernel leaves out none, however fast it forks
	p.mu.Lock()
	p.reaped = true
	_ = p.cmd.Wait() // its state says how it ended
	p.mu.Unlock()
	p.closeInput()
	drain()
	return timeout
}

// terminate asks the group to end, and ends it.
func (p *process) terminate(exited <-chan struct{}) {
	p.send(unix.SIGTERM)
	select {
	case <-exited:
	case <-p.killed:
	case <-time.After(grace):
	}
	p.send(unix.SIGKILL)
}

// send sends a signal to the group, while its number is its own.
func (p *process) send(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		if !p.ended() {
			p.told.Store(true)
		}
		_ = syscall.Kill(-p.cmd.Process.Pid, signal)
	}
}

// kill ends the process at once.
func (p *process) kill() { p.kills.Do(func() { close(p.killed) }) }

// signal sends a signal of a client.
func (p *process) signal(name string) {
	p.send(map[string]syscall.Signal{"SIGINT": unix.SIGINT, "SIGTERM": unix.SIGTERM, "SIGHUP": unix.SIGHUP}[name])
}

func (p *process) resize(rows, cols uint16) {
	if p.terminal != nil {
		_ = pty.Setsize(p.terminal, &pty.Winsize{Rows: rows, Cols: cols})
	}
}

func (p *process) ended() bool { return p.over.Load() }

// disturbed reports whether the process was sent a signal before it ended.
func (p *process) disturbed() bool { return p.told.Load() }

// closeOutputs ends reading.
func (p *process) closeOutputs() {
	for _, file := range p.ours {
		if err := file.SetReadDeadline(time.Now()); err != nil {
			_ = file.Close()
		}
	}
}

// exitCode is the status of the process; -1 if a signal ended it.
func (p *process) exitCode() int { return p.cmd.ProcessState.ExitCode() }

// free closes what is left.
func (p *process) free() error {
	p.closeInput()
	p.kill()
	for _, file := range p.ours {
		_ = file.SetWriteDeadline(time.Now())
	}
	p.fed.Wait()
	for _, file := range p.ours {
		if err := file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			return err
		}
	}
	return nil
}
