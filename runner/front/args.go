// Package front is the command line of gavel run and gavel shell, also as the small programs
// gavel-run and gavel-shell: it reads words, finds who decides, and runs one command.
package front

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"gavel/internal/nearest"
	"gavel/runner/spawn"
)

// Options are the options of gavel run.
type Options struct {
	Policy, Server, State  string
	Key                    string // file of a public key that must have signed the policy; "" for none
	GrantKey               string // file of the public keys of grants; "" for those of the state directory
	Agent, Session         string
	Cwd, Shell, Host, Node string
	Text                   string        // of -c
	Given                  bool          // -c was given
	Argv                   []string      // after --
	Timeout                time.Duration // 0 is never
	Timed                  bool          // Timeout was given; otherwise the policy says it, or it is 30 minutes
	CheckOnly, Outlive     bool
	LimitWrites            bool
	LoginPath              bool
	Limits                 spawn.Limits
	Report, Audit          string
}

// list is a flag that can be given several times.
type list struct{ into *[]string }

// String implements flag.Value.
func (l list) String() string { return "" }

// Set implements flag.Value.
func (l list) Set(text string) error {
	path, err := filepath.Abs(text)
	*l.into = append(*l.into, path)
	return err
}

// ParseRun reads the words after gavel run.
func ParseRun(args []string, getenv func(string) string) (Options, error) {
	o := defaults(getenv)
	set := flag.NewFlagSet("gavel run", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	o.flags(set)
	set.StringVar(&o.Text, "c", "", "")
	if err := set.Parse(args); err != nil {
		return o, unknownFlag(set, err)
	}
	set.Visit(func(f *flag.Flag) {
		o.Given, o.Timed = o.Given || f.Name == "c", o.Timed || f.Name == "timeout"
	})
	o.Argv = set.Args()
	if o.Given == (len(o.Argv) > 0) {
		return o, errors.New("give either -c TEXT or the words of a command, such as gavel run -- ls -l")
	}
	if err := oneWord(o.Argv); err != nil {
		return o, err
	}
	return o, o.check()
}

// oneWord finds a command that was quoted as a whole. A program with a blank in its name can be
// given by its path.
func oneWord(argv []string) error {
	if len(argv) != 1 {
		return nil
	}
	words := strings.Fields(argv[0])
	if len(words) < 2 || strings.Contains(words[0], "/") {
		return nil
	}
	return fmt.Errorf("%q is one word, and so the name of a program; write -c in place of --, or remove the quotes: gavel run -- %s", argv[0], strings.Join(words, " "))
}

// unknownFlag adds to the error about a flag that does not exist the one that was probably meant.
func unknownFlag(set *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := nearest.Name(name, names); near != "" {
		return fmt.Errorf("there is no flag --%s; did you mean --%s?", name, near)
	}
	return fmt.Errorf("there is no flag --%s; gavel run --help lists them, and the words of the command come after --", name)
}

func defaults(getenv func(string) string) Options {
	o := Options{Agent: getenv("GAVEL_AGENT"), Session: getenv("GAVEL_SESSION"), Shell: DefaultShell(getenv), Host: "gateway"}
	if o.Agent == "" {
		o.Agent = "main"
	}
	return o
}

func (o *Options) flags(set *flag.FlagSet) {
	for name, into := range map[string]*string{"policy": &o.Policy, "verification-key": &o.Key, "grant-key": &o.GrantKey, "server": &o.Server, "state": &o.State, "agent": &o.Agent, "session": &o.Session,
		"cwd": &o.Cwd, "shell": &o.Shell, "host": &o.Host, "node": &o.Node, "report": &o.Report, "audit": &o.Audit} {
		set.StringVar(into, name, *into, "")
	}
	set.DurationVar(&o.Timeout, "timeout", o.Timeout, "")
	for name, into := range map[string]*bool{"check-only": &o.CheckOnly, "outlive": &o.Outlive, "login-path": &o.LoginPath, "require-limits": &o.Limits.Required, "limit-writes": &o.LimitWrites} {
		set.BoolVar(into, name, false, "")
	}
	o.limits(set)
}

// limits adds the flags that gavel runner has, too.
func (o *Options) limits(set *flag.FlagSet) {
	for name, into := range map[string]*uint64{"max-seconds": &o.Limits.Seconds, "max-memory": &o.Limits.Memory, "max-file": &o.Limits.FileSize,
		"max-files": &o.Limits.Files, "max-processes": &o.Limits.Processes} {
		set.Uint64Var(into, name, 0, "")
	}
	set.Var(list{&o.Limits.Write}, "write", "")
}

func (o *Options) check() error {
	switch {
	case o.Timeout < 0:
		return fmt.Errorf("--timeout %s is not a time limit", o.Timeout)
	case o.Policy != "" && o.Server != "":
		return errors.New("--policy and --server exclude one another: decide here, or ask a server")
	case o.Key != "" && o.Server != "":
		return errors.New("--verification-key and --server exclude one another: a server verifies its own policy")
	case o.GrantKey != "" && o.Policy != "":
		return errors.New("--grant-key and --policy exclude one another: without a server no person agrees, and there are no grants")
	case o.Given && strings.TrimSpace(o.Text) == "":
		return errors.New("the text of -c is empty")
	}
	return nil
}

// ParseShell reads the words after gavel shell, which are the words of a shell. Everything else comes
// from the environment of the host: GAVEL_SOCKET, GAVEL_POLICY, GAVEL_AGENT, GAVEL_SESSION.
func ParseShell(args []string, getenv func(string) string) (Options, error) {
	o := defaults(getenv)
	if shell := getenv("GAVEL_SHELL"); shell != "" {
		o.Shell = shell
	}
	for i, word := range args {
		switch {
		case word == "--login" || word == "--norc" || word == "--noprofile" || word == "--posix":
			continue
		case len(word) < 2 || word[0] != '-' || strings.Trim(word[1:], "lic") != "":
			return o, fmt.Errorf("gavel shell runs texts, as in gavel shell -c 'ls -l'; it does not know %q", word)
		case !strings.Contains(word, "c"):
			continue
		case len(args) != i+2:
			return o, errors.New("gavel shell takes exactly one text after -c: its own name and parameters cannot be given")
		}
		o.Text, o.Given = args[i+1], true
		return o, o.check()
	}
	return o, errors.New("gavel shell is for programs that run commands with a shell, as in SHELL=gavel-shell: it runs gavel shell -c TEXT. " +
		"It has no prompt: a person can use a shell directly, and an agent would type past the policy")
}
