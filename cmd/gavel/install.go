package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"gavel/hosts/opencode"
	"gavel/internal/hostconfig"
	"gavel/internal/nearest"
	"gavel/internal/strictjson"
)

// installFlags are the flags of gavel install and gavel uninstall.
type installFlags struct {
	user, project, managed, dryRun bool
	unattended                     bool
	program                        string
}

func (f installFlags) level() string {
	switch {
	case f.managed:
		return hostconfig.Managed
	case f.project:
		return hostconfig.Project
	}
	return hostconfig.User
}

func (a *app) installCommand(hosts string) *cobra.Command {
	var flags installFlags
	cmd := &cobra.Command{
		Use:   "install HOST",
		Short: "Write Gavel's hooks into the settings of a program that runs agents",
		Long: `Write Gavel's hooks into the settings of a program that runs agents. Other settings and
comments are kept. The change is shown, and the old file is kept beside the new one, as
FILE.before-gavel. A second run changes nothing. The hosts are

` + listed(strings.Split(hosts, ", ")),
		Example: `  gavel install claude-code --dry-run
  gavel install codex
  gavel install gemini-cli --unattended
  sudo gavel install claude-code --managed`,
		Args: exactlyOne("host", "the hosts are "+hosts),
		RunE: func(cmd *cobra.Command, args []string) error { return a.install(cmd.Context(), args[0], flags, true) },
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&flags.program, "program", "", "program that the hooks run (default: gavel-hook in the directory of gavel, or gavel itself)")
	cmd.Flags().BoolVar(&flags.unattended, "unattended", false, "no person is at the host: instead of asking one, deny with the id of the approval")
	return cmd
}

func (a *app) uninstallCommand(hosts string) *cobra.Command {
	var flags installFlags
	cmd := &cobra.Command{
		Use:   "uninstall HOST",
		Short: "Remove Gavel's hooks from the settings of a program that runs agents",
		Long: `Remove Gavel's hooks from the settings of a program that runs agents. Other settings and
comments are kept. If nothing else has changed since gavel install, the file is restored byte
for byte, and its backup is removed.`,
		Example: "  gavel uninstall claude-code",
		Args:    exactlyOne("host", "the hosts are "+hosts),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.install(cmd.Context(), args[0], flags, false) },
	}
	flags.add(cmd)
	return cmd
}

func (f *installFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.user, "user", false, "settings of this user (default)")
	cmd.Flags().BoolVar(&f.project, "project", false, "settings of the project in the current directory")
	cmd.Flags().BoolVar(&f.managed, "managed", false, "settings of this machine, managed by its administrator")
	cmd.MarkFlagsMutuallyExclusive("user", "project", "managed")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change without writing it")
}

func hostNames() string {
	hosts, err := hostconfig.Hosts()
	if err != nil {
		return err.Error()
	}
	return strings.Join(hostconfig.Names(hosts), ", ")
}

// install writes or removes the hooks of one host.
func (a *app) install(ctx context.Context, name string, flags installFlags, in bool) error {
	host, err := hostNamed(name)
	if err != nil {
		return err
	}
	m, err := a.machine(flags.program)
	if err != nil {
		return err
	}
	m.Unattended = flags.unattended
	plan := m.Install
	if !in {
		plan = m.Uninstall
	}
	changes, err := plan(host, flags.level())
	var manual hostconfig.ErrManual
	if errors.As(err, &manual) {
		return fix(fmt.Errorf("gavel cannot install itself for %s", host.Title), manual.Do)
	}
	if err != nil {
		return err
	}
	done := installReport{Host: host.Name, Files: []installedFile{}, Notes: []string{}}
	if err := a.writeSettings(changes, flags.dryRun, &done); err != nil {
		return err
	}
	if in && !flags.dryRun && host.Trust == "codex" {
		if err := a.trustCodex(ctx, m, host, &done); err != nil {
			return err
		}
	}
	if in && !flags.dryRun {
		done.Notes = append(done.Notes, host.Notes...)
	}
	if a.json() {
		return strictjson.Write(a.stdout, done)
	}
	for _, note := range done.Notes {
		a.say("note: " + note + "\n")
	}
	switch {
	case flags.dryRun:
		a.say("nothing was written: leave out --dry-run to write it\n")
	case in:
		a.say("run gavel doctor to check that the hooks work\n")
	}
	return nil
}

// installReport is the JSON output of gavel install and gavel uninstall.
type installReport struct {
	Host  string          `json:"host"`
	Files []installedFile `json:"files"`
	Notes []string        `json:"notes"`
}

type installedFile struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"` // the file differs from what it has to be, or did before it was written
	Written bool   `json:"written"`
	Diff    string `json:"diff,omitempty"`
}

func hostNamed(name string) (hostconfig.Host, error) {
	hosts, err := hostconfig.Hosts()
	if err != nil {
		return hostconfig.Host{}, err
	}
	names := hostconfig.Names(hosts)
	if found := hostconfig.Named(hosts, fullHostName(name, names)); found != nil {
		return *found, nil
	}
	return hostconfig.Host{}, fix(fmt.Errorf("%q is not a host%s", name, meant(nearest.Name(name, names))), "the hosts are "+strings.Join(names, ", "))
}

// machine describes this machine and the program that hooks run.
func (a *app) machine(program string) (hostconfig.Machine, error) {
	m := hostconfig.Machine{Home: a.getenv("HOME"), OS: runtime.GOOS, Getenv: a.getenv, Gavel: program, Plugin: opencode.Plugin()}
	var err error
	if m.Project, err = a.getwd(); err != nil {
		return m, fmt.Errorf("find the project: %w", err)
	}
	if m.Gavel == "" {
		if m.Gavel, err = os.Executable(); err != nil {
			return m, fix(fmt.Errorf("find the program that hooks run: %w", err), "name it with --program")
		}
		if small := filepath.Join(filepath.Dir(m.Gavel), "gavel-hook"); isFile(small) {
			m.Gavel = small
		}
	}
	if !filepath.IsAbs(m.Gavel) {
		return m, fix(fmt.Errorf("--program %q is not an absolute path", m.Gavel), "give an absolute path: hosts start hooks in other directories")
	}
	return m, nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// writeSettings shows the changes and makes them.
func (a *app) writeSettings(changes []hostconfig.Change, dryRun bool, done *installReport) error {
	for _, change := range changes {
		file := installedFile{Path: change.Path, Changed: change.Changed()}
		if !file.Changed {
			a.sayNow(clean(change.Path) + ": nothing to change\n")
			done.Files = append(done.Files, file)
			continue
		}
		file.Diff = change.Diff()
		a.sayNow(file.Diff)
		if !dryRun {
			backup, err := change.Apply()
			if err != nil {
				return err
			}
			file.Written = true
			a.sayNow(clean(change.Path+": "+change.Done(backup)) + "\n")
		}
		done.Files = append(done.Files, file)
	}
	return nil
}

// say writes to standard output. It ignores errors: a closed pipe must not stop the command.
func (a *app) say(text string) { _, _ = fmt.Fprint(a.stdout, text) }

// sayNow writes text while the work goes on. With --output json it writes nothing: the report at
// the end has the same.
func (a *app) sayNow(text string) {
	if !a.json() {
		a.say(text)
	}
}

// trustCodex makes Codex trust the new hooks, because Codex skips hooks that it does not trust.
func (a *app) trustCodex(ctx context.Context, m hostconfig.Machine, host hostconfig.Host, done *installReport) error {
	program, err := exec.LookPath(host.Program)
	if err != nil {
		done.Notes = append(done.Notes, "Codex is not on PATH. It skips the hook until the hook is trusted: "+
			"run gavel install codex again with Codex on PATH, or trust the hook in /hooks of Codex")
		return nil
	}
	hooks, err := hostconfig.CodexHooks(ctx, program, m.Project)
	if err != nil {
		return fix(err, "trust the hook in /hooks of Codex; until then, Codex skips it")
	}
	change, err := m.Trust(hooks)
	if err != nil {
		return err
	}
	if err := a.writeSettings([]hostconfig.Change{change}, false, done); err != nil {
		return err
	}
	if hooks, err = hostconfig.CodexHooks(ctx, program, m.Project); err != nil {
		return fix(err, "check "+change.Path+", or restore it from "+change.Path+".before-gavel")
	}
	for _, hook := range hooks {
		if !hook.Trusted() {
			return fix(fmt.Errorf("Codex still does not trust the hook %s", hook.Key), "trust it in /hooks of Codex; until then, Codex skips it")
		}
	}
	return nil
}
