package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"

	"gavel/hosts"
)

// ProbeVariable is the variable that makes every call of a hook a probe, which is denied.
// Setting it for the hook of someone else can only have calls denied.
const ProbeVariable = "GAVEL_PROBE"

// ThisProcess returns what this process knows about the user that runs the host, and where.
func ThisProcess(getenv func(string) string) hosts.ProcessInfo {
	a := hosts.ProcessInfo{User: strconv.Itoa(os.Getuid()), Path: filepath.SplitList(getenv("PATH")), Shell: filepath.Base(getenv("SHELL")), Platform: runtime.GOOS}
	if me, err := user.LookupId(a.User); err == nil {
		a.User = me.Username // never from a variable, which anyone could set
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		a.Home = home
	}
	a.Probe = getenv(ProbeVariable) != ""
	if a.Path == nil {
		a.Path = []string{}
	}
	return a
}

// ReadAll reads a payload to its end, or until ctx ends.
func ReadAll(ctx context.Context, in io.Reader) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(in, hosts.MaxPayload+1))
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("read the payload: %w", r.err)
		}
		return r.text, nil
	case <-ctx.Done():
		return nil, errors.New("the host did not send the whole payload in time")
	}
}

// Print writes a reply, and returns the exit code. If the answer cannot be written, the exit code
// denies on every host that reads it.
func Print(reply hosts.Reply, stdout, stderr io.Writer) int {
	if len(reply.Stdout) > 0 {
		if _, err := stdout.Write(reply.Stdout); err != nil {
			_, _ = fmt.Fprintf(stderr, "gavel: the answer could not be written, so denied: %v\n", err)
			return exitBlocked
		}
	}
	if len(reply.Stderr) > 0 {
		_, _ = stderr.Write(reply.Stderr) // there is nowhere else to report it
	}
	return reply.Exit
}

// exitBlocked is the exit code with which most hosts refuse the call.
const exitBlocked = 2
