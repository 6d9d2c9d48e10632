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

// suite describes the tests of one package.
type suite struct {
	dir      string
	reads    []string   // files of the repository that the tests read
	needs    []string   // programs that must be installed
	commands [][]string // run in dir, in order
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

// work is the directory with the copies that are tested, so that npm installs nothing among the
// sources.
const work = "build/packages"

func check(ctx context.Context) error {
	cases, err := clientcases.Read(".")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gavel") // the length of a socket's path is limited
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
	for _, s := range suites() {
		if missing := s.missing(); missing != "" {
			fmt.Printf("%s: skipped, because %s is not installed\n", s.dir, missing)
			continue
		}
		fmt.Printf("== %s\n", s.dir)
		failed = append(failed, s.run(ctx, servers.Environment()))
	}
	return errors.Join(failed...)
}

// copyTo copies a directory of the repository to the same path below work. It overwrites files,
// but removes none, so what npm installed stays.
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
			return nil // its copy would be another package of this module
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(work, name), text, 0o600)
	})
}

// missing returns a program that is needed but not installed, or "".
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
