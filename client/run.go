package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gavel"
)

// Permit says that one call may run, once. The zero Permit runs nothing.
type Permit struct {
	decision gavel.Decision
	call     gavel.Call
}

// Decision returns the decision behind the permit. For the zero Permit, it denies.
func (p *Permit) Decision() gavel.Decision {
	if p == nil {
		return gavel.Decision{}
	}
	return p.decision
}

// Where says where a permitted command runs.
type Where struct {
	// Host is the name of this machine in Gavel: gateway, sandbox or node. A command that was
	// permitted on another host is refused.
	Host string
	// Dir is the directory if the call does not state one.
	Dir string
	// Environ is the environment to start from; nil means that of this process. Variables
	// with which a shell runs other code first, such as BASH_ENV, are left out.
	Environ []string
	// Shells maps the name of a shell to its path; nil looks in /bin and /usr/bin.
	Shells map[string]string
}

// Command returns what was judged, ready to run: the program itself if the command is one
// program with fixed words, and otherwise exec.command in the shell that the call stated. It
// is an error if the permit is not about a command, or about one for another host.
func (p *Permit) Command(ctx context.Context, where Where) (*exec.Cmd, error) {
	if p == nil || p.decision.Effect != gavel.Allow {
		return nil, errors.New("gavel: run a command: nothing was permitted")
	}
	do := p.decision.Exec
	if do == nil || do.Command == "" {
		return nil, errors.New("gavel: run a command: the decision has no exec.command; the call is not about a command")
	}
	if where.Host == "" || do.Host != where.Host {
		return nil, fmt.Errorf("gavel: run a command: it was permitted on host %q, and this is %q", do.Host, where.Host)
	}
	dir, err := p.directory(where)
	if err != nil {
		return nil, fmt.Errorf("gavel: run a command: %w", err)
	}
	words, err := p.words(where)
	if err != nil {
		return nil, fmt.Errorf("gavel: run a command: %w", err)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // that is what was judged
	cmd.Dir, cmd.Env = dir, p.environ(where)
	return cmd, nil
}

// words are the program and its arguments.
func (p *Permit) words(where Where) ([]string, error) {
	if argv := plain(p.decision.Exec); argv != nil {
		return argv, nil
	}
	shell, err := p.shell(where)
	if err != nil {
		return nil, err
	}
	words := append([]string{shell}, NoStartup(filepath.Base(shell))...)
	return append(words, "-c", p.decision.Exec.Command), nil
}

// NoStartup returns the options that keep a shell from reading files of its user before a
// command. bash reads them if its input is a socket; zsh always does.
func NoStartup(shell string) []string {
	switch shell {
	case "bash":
		return []string{"--norc"}
	case "zsh":
		return []string{"-f"}
	}
	return nil
}

// shell returns the path of the shell that the call stated.
func (p *Permit) shell(where Where) (string, error) {
	name := "bash"
	if p.call.Environment != nil && p.call.Environment.Shell != "" {
		name = p.call.Environment.Shell
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	if where.Shells != nil {
		if path := where.Shells[name]; filepath.IsAbs(path) {
			return path, nil
		}
		return "", fmt.Errorf("the call runs in %q, and Where.Shells has no absolute path for it", name)
	}
	for _, dir := range []string{"/bin", "/usr/bin"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("the call runs in %q, which is neither in /bin nor in /usr/bin", name)
}

// directory returns where the command runs: the parameter workdir, the stated cwd, or
// Where.Dir.
func (p *Permit) directory(where Where) (string, error) {
	base := where.Dir
	if p.call.Environment != nil && p.call.Environment.Cwd != "" {
		base = p.call.Environment.Cwd
	}
	if workdir, given := p.call.Tool.Params["workdir"].(string); given && workdir != "" {
		if filepath.IsAbs(workdir) {
			return workdir, nil
		}
		if base != "" {
			base = filepath.Join(base, workdir)
		}
	}
	if !filepath.IsAbs(base) {
		return "", errors.New("no directory is known: state environment.cwd in the call, or set Where.Dir")
	}
	return base, nil
}

// environ is the environment of the command.
func (p *Permit) environ(where Where) []string {
	given := where.Environ
	if given == nil {
		given = os.Environ()
	}
	path, list := "", []string{}
	for _, pair := range given {
		name, value, _ := strings.Cut(pair, "=")
		switch _, judged := p.decision.Exec.Env[name]; {
		case name == "PATH":
			path = value
		case !judged && !startsCode(name):
			list = append(list, pair)
		}
	}
	if p.call.Environment != nil && p.call.Environment.Path != nil {
		path = strings.Join(p.call.Environment.Path, string(filepath.ListSeparator))
	}
	if judged, given := p.decision.Exec.Env["PATH"]; given {
		path = judged
	}
	if before := strings.Join(p.decision.Exec.PathPrepend, string(filepath.ListSeparator)); before != "" {
		path = before + string(filepath.ListSeparator) + path
	}
	list = append(list, "PATH="+path)
	for name, value := range p.decision.Exec.Env {
		if name != "PATH" {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// startsCode reports whether a variable makes a shell run code, or accept options or functions,
// before the command.
func startsCode(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "ZDOTDIR", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "GLOBIGNORE":
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_")
}

// plain returns the words of a command that is only one program with fixed words; nil for any
// other.
func plain(do *gavel.Exec) []string {
	if len(do.Segments) != 1 {
		return nil
	}
	one := do.Segments[0]
	if len(one.Argv) == 0 || len(one.Wrappers) > 0 || len(one.Dynamic) > 0 || !filepath.IsAbs(one.Argv[0]) {
		return nil
	}
	quoted := make([]string, len(one.Argv))
	for i, word := range one.Argv {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	if strings.Join(quoted, " ") != do.Command {
		return nil // it has more than these words
	}
	return one.Argv
}
