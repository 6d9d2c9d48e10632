// Command clientcheck runs the tests of the clients and host plugins that are not written in Go.
// It runs each against a real gavel serve, with the runtimes on this machine. If a runtime is
// missing, its tests are skipped, and the output says so.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"gavel/internal/clientcases"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := check(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "clientcheck:", err)
		os.Exit(1)
	}
}

// suite is the tests of one package: commands that run in its directory, in order.
type suite struct {
	dir      string
	reads    []string // files of the repository that the tests read
	needs    []string // programs
	commands [][]string
}

func suites() []suite {
	cases, shared := []string{"clients/cases.json"}, []string{"hosts/plugin"}
	install := []string{"npm", "ci", "--silent", "--no-audit", "--no-fund"}
	return []suite{
		{"clients/python", cases, []string{"python3"}, [][]string{{"python3", "-m", "unittest", "discover", "-s", "tests"}}},
		{"clients/typescript", cases, []string{"node", "npm"}, [][]string{install, {"npm", "test", "--silent"}}},
		{"hosts/opencode/plugin", append(shared, "hosts/opencode/testdata/golden"), []string{"node", "npm"}, [][]string{install, {"npm", "test", "--silent"}}},
		{"hosts/openclaw/plugin", append(shared, "hosts/openclaw/testdata/golden"), []string{"node", "npm"}, [][]string{install, {"npm", "test", "--silent"}}},
	}
}

// work is where the tests run, so that what npm installs is not among the sources.
const work = "build/packages"

func check(ctx context.Context) error {
	cases, err := clientcases.Read(".")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a temporary directory
	servers, err := clientcases.Start(ctx, ".", dir, cases)
	if err != nil {
		return err
	}
	defer servers.Stop()
	var failed []error
	for _, one := range suites() {
		if missing := one.missing(); missing != "" {
			fmt.Printf("%s: left out, %s is not installed\n", one.dir, missing)
			continue
		}
		fmt.Printf("== %s\n", one.dir)
		failed = append(failed, one.run(ctx, servers.Environment()))
	}
	return errors.Join(failed...)
}

// copyTo copies a directory of the repository below another one, over what is there: what npm
// installed stays.
func copyTo(work, dir string) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "node_modules" || entry.Name() == "dist" || entry.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(work, name), 0o755)
		}
		if strings.HasSuffix(name, ".go") {
			return nil // in the copy, it would be a package of this module
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(work, name), text, 0o600)
	})
}

func (s suite) missing() string {
	for _, name := range s.needs {
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

func (s suite) run(ctx context.Context, environment []string) error {
	for _, name := range append([]string{s.dir}, s.reads...) {
		if err := copyTo(work, name); err != nil {
			return fmt.Errorf("%s: copy %s to %s: %w", s.dir, name, work, err)
		}
	}
	for _, words := range s.commands {
		cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the commands above
		cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(work, s.dir), os.Stdout, os.Stderr
		cmd.Env = append(os.Environ(), environment...)
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %s: %w", s.dir, strings.Join(words, " "), err)
		}
	}
	return nil
}
