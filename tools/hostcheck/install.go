package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// runner installs hosts and runs cells in them.
type runner struct {
	root   string // of the repository
	bin    string // directory with gavel, gavel-hook and hostcheck
	policy string // file
}

// nodeVersion is the version of node for most hosts: the newest one that they all support.
const nodeVersion = "22.23.3"

// npmTimeout limits one run of npm install.
const npmTimeout = 3 * time.Minute

func newRunner(ctx context.Context, built bool) (*runner, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	base := filepath.Join(root, "build", "hosts")
	t := &runner{root: root, bin: filepath.Join(base, "bin"), policy: filepath.Join(base, "policy.yaml")}
	if err := os.MkdirAll(t.bin, 0o755); err != nil {
		return nil, err
	}
	for _, name := range []string{"./cmd/gavel", "./cmd/gavel-hook", "./tools/hostcheck"} {
		if built {
			break
		}
		if err := runCommand(ctx, root, nil, "go", "build", "-o", t.bin+string(filepath.Separator), name); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(t.policy, []byte(policy), 0o600); err != nil {
		return nil, err
	}
	return t, nil
}

// nodeBin returns the directory with the node program for a host.
func (t *runner) nodeBin(h host) string {
	return filepath.Join(t.root, "build", "hosts", nodeDir(h), "node_modules", "node", "bin")
}

func nodeDir(h host) string { return "node-" + cmp.Or(h.node, nodeVersion) }

// installNode installs node for a host.
func (t *runner) installNode(ctx context.Context, h host) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("npm is not installed: install node and npm to run hosts")
	}
	return t.npm(ctx, os.Environ(), nodeDir(h), "node_modules/node/bin/node", "node@"+cmp.Or(h.node, nodeVersion))
}

// npm installs packages into a directory below build/hosts, unless the program is already there.
func (t *runner) npm(ctx context.Context, env []string, dir, program string, names ...string) error {
	dir = filepath.Join(t.root, "build", "hosts", dir)
	if _, err := os.Stat(filepath.Join(dir, program)); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\"private\": true}\n"), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()
	err := runCommand(ctx, dir, env, "npm", append([]string{"install", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"}, names...)...)
	if ctx.Err() != nil {
		return fmt.Errorf("npm install %s did not finish within %s", strings.Join(names, " "), npmTimeout)
	}
	return err
}

// envWithNode returns the environment of this process with the host's node first in PATH.
func (t *runner) envWithNode(h host) []string {
	return append(os.Environ(), "PATH="+t.nodeBin(h)+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// installHost installs a host from npm. Its node must be installed. The host's installation script
// is run explicitly, because npm may be configured not to run it.
func (t *runner) installHost(ctx context.Context, h host) error {
	packages := []string{h.pkg + "@" + h.version}
	if h.companion != "" {
		packages = append(packages, h.companion+"@"+h.version)
	}
	if err := t.npm(ctx, t.envWithNode(h), h.name, "node_modules/.bin/"+h.program, packages...); err != nil {
		return err
	}
	if h.prepare != nil {
		return h.prepare(ctx, t, h)
	}
	if h.installScript == "" {
		return nil
	}
	dir := filepath.Join(t.root, "build", "hosts", h.name, "node_modules", filepath.FromSlash(h.pkg))
	return runCommand(ctx, dir, t.envWithNode(h), "node", h.installScript)
}

// runCommand runs a program. Its error includes the first lines of the output.
func runCommand(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(out)), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.Join(lines[:min(len(lines), 6)], "; "))
	}
	return nil
}
