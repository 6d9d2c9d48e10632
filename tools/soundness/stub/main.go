//go:build linux

// Command stub is every program of the temporary root. It only records that it ran: by which
// path, and with which words. It succeeds, except as false.
//
// With GAVEL_SOUNDNESS_SHELL in its environment it is the first process of a run instead: it
// sets the limits, starts the shell that its arguments name, and exits when the last descendant
// has exited.
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

// execution is one line of the log. Words are bytes, because JSON strings would change invalid
// UTF-8.
type execution struct {
	Path []byte   `json:"path"`
	Argv [][]byte `json:"argv"`
}

func main() {
	if os.Getenv("GAVEL_SOUNDNESS_SHELL") != "" {
		os.Exit(supervise())
	}
	failed := record()
	// Whatever reads this output treats it as text: it is not an option, a command or a number.
	// Nobody may be reading it.
	_, _ = os.Stdout.WriteString("a[$(hit)] ;hit --pre=hit\n$(hit) *\n")
	page()
	switch path.Base(os.Args[0]) {
	case "false":
		failed = 1 // so that the right side of || runs
	case "git":
		replace()
	}
	os.Exit(failed)
}

// replace acts like the checkout of a branch that contains links: it removes what was there and
// creates a link to another file.
func replace() {
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
	_ = os.Symlink("../notes", out) // does nothing if the directory does not exist
}

// page acts as programs do on a terminal: some start a pager, in which the person at the
// terminal can run anything, here hit. With LESSOPEN a pager runs that program first.
func page() {
	if _, err := unix.IoctlGetTermios(int(os.Stdout.Fd()), unix.TCGETS); err != nil {
		return
	}
	self := executed()
	next := ""
	switch path.Base(self) {
	case "less":
		next = "hit"
	case "man", "systemctl", "journalctl":
		if !slices.Contains(os.Args, "--no-pager") {
			next = "less"
		}
	case "git":
		if pages(os.Args[1:]) {
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

// pages reports whether git starts a pager with these arguments.
func pages(words []string) bool {
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

// record appends one line to the log with a single write.
func record() int {
	ran := execution{Path: []byte(executed())}
	for _, word := range os.Args {
		ran.Argv = append(ran.Argv, []byte(word))
	}
	line, err := json.Marshal(ran)
	if err != nil {
		return 1
	}
	name := os.Getenv("GAVEL_SOUNDNESS_LOG")
	if zone := os.Getenv("TZ"); name == "" && path.IsAbs(zone) {
		name = zone // gavel run passes on no other variable
	}
	if name == "" {
		name = "/log" // a command removed the variable; in a separate root the log is here
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

// executed returns the absolute path that the kernel received. The first word cannot be
// trusted, because whoever starts a program chooses it, and there is no /proc here.
func executed() string {
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

// supervise runs a shell and waits for everything that it leaves behind.
func supervise() int {
	limits := map[int]uint64{unix.RLIMIT_CPU: 2, unix.RLIMIT_FSIZE: 1 << 20, unix.RLIMIT_CORE: 0, unix.RLIMIT_NPROC: 1024}
	for resource, most := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
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

// environment returns the environment of this process, with the variables of the call under
// their own names, replacing others of the same name.
func environment() []string {
	var env []string
	given := map[string]bool{}
	for _, pair := range os.Environ() {
		if own, found := strings.CutPrefix(pair, "GAVEL_SOUNDNESS_ENV_"); found {
			name, _, _ := strings.Cut(own, "=")
			given[name] = true
			env = append(env, own)
		}
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !given[name] && !strings.HasPrefix(name, "GAVEL_SOUNDNESS_ENV_") {
			env = append(env, pair)
		}
	}
	return env
}
