// Command clientcheck runs the tests of the clients and host plugins that are not written in
// Go, each against a real gavel serve, with the runtimes of this machine. One that is missing
// is left out, and the output says so.
package main

import (
	"context"
	"errors"
	"fmt"
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
	needs    []string
	commands [][]string
}

func suites() []suite {
	install := []string{"npm", "ci", "--silent", "--no-audit", "--no-fund"}
	return []suite{
		{"clients/python", []string{"python3"}, [][]string{{"python3", "-m", "unittest", "discover", "-s", "tests"}}},
		{"clients/typescript", []string{"node", "npm"}, [][]string{install, {"npm", "test", "--silent"}}},
	}
}

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

func (s suite) missing() string {
	for _, name := range s.needs {
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

func (s suite) run(ctx context.Context, environment []string) error {
	for _, words := range s.commands {
		cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the commands above
		cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.FromSlash(s.dir), os.Stdout, os.Stderr
		cmd.Env = append(os.Environ(), environment...)
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %s: %w", s.dir, strings.Join(words, " "), err)
		}
	}
	return nil
}
