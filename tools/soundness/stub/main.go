//go:build linux

// Command stub stands for every program in a temporary root of tools/soundness. It records the path
// and the words with which it was called. Some stubs also imitate what makes their program dangerous.
//
// With GAVEL_SOUNDNESS_SHELL in its environment, it is the first process of a run instead: it sets
// limits, starts the shell that its arguments name, and exits when the last descendant has exited.
package main

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// execution is a line of the log. Words are bytes, because JSON strings cannot contain invalid UTF-8.
type execution struct {
	Path []byte   `json:"path"`
	Argv [][]byte `json:"argv"`
}

func main() {
	if os.Getenv("GAVEL_SOUNDNESS_SHELL") != "" {
		os.Exit(supervise())
	}
	failed := record()
	// This output runs hit if a shell evaluates it. Writing fails if nobody reads it.
	_, _ = os.Stdout.WriteString("a[$(hit)] ;hit --pre=hit\n$(hit) *\n")
	runPager()
	switch path.Base(os.Args[0]) {
	case "false":
		failed = 1
	case "git":
		checkOutEvil()
	}
	os.Exit(failed)
}

// checkOutEvil acts like the checkout of a branch that replaces a file by a link to another file.
func checkOutEvil() {
	if len(os.Args) < 3 || os.Args[1] != "checkout" || os.Args[2] != "evil" {
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		return
	}
	out := path.Join(dir, "free/out")
	if path.Base(dir) == "free" {
		out = path.Join(dir, "out")
	}
	_ = os.Remove(out)
	_ = os.Symlink("../notes", out) // fails if the directory does not exist
}

// runPager acts like programs that start a pager on a terminal. In a pager, the person at the
// terminal can run any program; the pager stub runs hit.
func runPager() {
	if _, err := unix.IoctlGetTermios(int(os.Stdout.Fd()), unix.TCGETS); err != nil {
		return
	}
	self := executedPath()
	next := ""
	switch path.Base(self) {
	case "less":
		next = "hit"
	case "man", "systemctl", "journalctl":
		if !slices.Contains(os.Args, "--no-pager") {
			next = "less"
		}
	case "git":
		if startsPager(os.Args[1:]) {
			next = "less"
		}
	}
	if next == "" {
		return
	}
	program := path.Join(path.Dir(self), next)
	process, err := os.StartProcess(program, []string{program}, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return
	}
	_, _ = process.Wait()
}

// startsPager reports whether git starts a pager with these arguments.
func startsPager(words []string) bool {
	for i, word := range words {
		switch {
		case word == "--no-pager", word == "-P":
			return false
		case word == "-p", word == "--paginate":
			return true
		case strings.HasPrefix(word, "-"), i > 0 && words[i-1] == "-c":
		default:
			return slices.Contains([]string{"log", "diff", "show", "branch", "config", "blame", "grep", "reflog", "tag", "help", "shortlog"}, word)
		}
	}
	return false
}

// record appends a line to the log and returns the exit code. It uses a single write, because stubs
// run at the same time.
func record() int {
	ran := execution{Path: []byte(executedPath())}
	for _, word := range os.Args {
		ran.Argv = append(ran.Argv, []byte(word))
	}
	line, err := json.Marshal(ran)
	if err != nil {
		return 1
	}
	name := os.Getenv("GAVEL_SOUNDNESS_LOG")
	if zone := os.Getenv("TZ"); name == "" && path.IsAbs(zone) {
		name = zone // gavel run does not pass on GAVEL_SOUNDNESS_LOG
	}
	if name == "" {
		name = "/log" // a command removed the variable; this is the path in a chroot
	}
	log, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return 1
	}
	if _, err := log.Write(append(line, '\n')); err != nil {
		return 1
	}
	if err := log.Close(); err != nil {
		return 1
	}
	return 0
}

// executedPath returns the absolute path with which this program was started. It asks the kernel,
// because the caller chooses the first word, and there is no /proc in a root.
func executedPath() string {
	const execFn = 31 // AT_EXECFN of <linux/auxvec.h>
	vector, err := unix.Auxv()
	if err != nil {
		return ""
	}
	for _, entry := range vector {
		if entry[0] != execFn {
			continue
		}
		name := strings.Clone(unix.BytePtrToString(*(**byte)(unsafe.Pointer(&entry[1]))))
		if path.IsAbs(name) {
			return name
		}
		dir, err := unix.Getwd()
		if err != nil {
			return name
		}
		return path.Join(dir, name)
	}
	return ""
}

// supervise runs a shell and waits for all its descendants.
func supervise() int {
	limits := map[int]uint64{unix.RLIMIT_CPU: 2, unix.RLIMIT_FSIZE: 1 << 20, unix.RLIMIT_CORE: 0, unix.RLIMIT_NPROC: 1024}
	for resource, limit := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return 125
		}
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 125
	}
	if err := os.Unsetenv("GAVEL_SOUNDNESS_SHELL"); err != nil {
		return 125
	}
	_, err := os.StartProcess(os.Args[1], os.Args[1:], &os.ProcAttr{Env: environment(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return 126
	}
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); errors.Is(err, unix.ECHILD) {
			return 0
		}
	}
}

// environment returns the environment for the shell: that of this process, in which variables of the
// call replace others of the same name.
func environment() []string {
	var env []string
	ofCall := map[string]bool{}
	for _, pair := range os.Environ() {
		if variable, found := strings.CutPrefix(pair, "GAVEL_SOUNDNESS_ENV_"); found {
			name, _, _ := strings.Cut(variable, "=")
			ofCall[name] = true
			env = append(env, variable)
		}
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !ofCall[name] && !strings.HasPrefix(name, "GAVEL_SOUNDNESS_ENV_") {
			env = append(env, pair)
		}
	}
	return env
}
