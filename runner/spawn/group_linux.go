package spawn

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// group is a control group (version 2) of one command. Nil is none.
type group struct {
	path string
	dir  *os.File
}

// newGroup makes a control group below the one of this process, where the system permits it. A
// command without limits gets one too if that is possible: it ends every process at once.
func newGroup(limits *Limits) (*group, error) {
	needed := limits.Processes > 0 || limits.Memory > 0
	here, err := ownGroup()
	if err != nil {
		return nil, unless(needed, err)
	}
	path := filepath.Join(here, "gavel-"+rand.Text()[:12])
	if err := os.Mkdir(path, 0o700); err != nil {
		return nil, unless(needed, fmt.Errorf("control groups are not available here, which hold limits together: %w", errors.Unwrap(err)))
	}
	dir, err := os.Open(path)
	if err != nil {
		_ = os.Remove(path)
		return nil, unless(needed, err)
	}
	g := &group{path, dir}
	return g, g.limit(limits)
}

func unless(needed bool, err error) error {
	if needed {
		return err
	}
	return nil
}

// limit sets what a control group can limit.
func (g *group) limit(limits *Limits) error {
	for name, most := range map[string]uint64{"pids.max": limits.Processes, "memory.max": limits.Memory} {
		if most == 0 {
			continue
		}
		if err := g.write(name, strconv.FormatUint(most, 10)); err != nil {
			return fmt.Errorf("the control group of the command cannot limit %s: %w", name, errors.Unwrap(err))
		}
	}
	return nil
}

func (g *group) write(name, text string) error {
	return os.WriteFile(filepath.Join(g.path, name), []byte(text), 0o600)
}

// ownGroup is the directory of the control group that this process is in.
func ownGroup() (string, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", fmt.Errorf("find the control group: %w", err)
	}
	at := ""
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			at = rest
		}
	}
	for _, base := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(base, at, "cgroup.kill")); at != "" && err == nil && at != "/" {
			return filepath.Join(base, at), nil
		}
	}
	return "", errors.New("this process is in no control group of version 2 of its own, which would hold limits together")
}

// kill ends every process of the group at once.
func (g *group) kill() {
	if g != nil {
		_ = g.write("cgroup.kill", "1") // the processes are ended one by one, too
	}
}

// close removes the group, whose processes are gone.
func (g *group) close() {
	if g == nil {
		return
	}
	_ = g.dir.Close()
	for range 100 {
		if err := os.Remove(g.path); err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(time.Millisecond) // the last process is being taken out
	}
}
