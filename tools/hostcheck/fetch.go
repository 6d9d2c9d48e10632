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

// tools is what every run needs.
type tools struct {
	root   string // of the repository
	bin    string // with gavel, gavel-hook and this program
	policy string
}

// nodeVersion is the version of node for the hosts: the newest one that all of them support.
const nodeVersion = "22.23.3"

// fetchWithin limits how long npm may take for one package.
const fetchWithin = 3 * time.Minute

func prepare(ctx context.Context, built bool) (*tools, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	base := filepath.Join(root, "build", "hosts")
	t := &tools{root: root, bin: filepath.Join(base, "bin"), policy: filepath.Join(base, "policy.yaml")}
	if err := os.MkdirAll(t.bin, 0o755); err != nil {
		return nil, err
	}
	for _, name := range []string{"./cmd/gavel", "./cmd/gavel-hook", "./tools/hostcheck"} {
		if built {
			break
		}
		if err := command(ctx, root, nil, "go", "build", "-o", t.bin+string(filepath.Separator), name); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(t.policy, []byte(policy), 0o600); err != nil {
		return nil, err
	}
	return t, nil
}

// nodeOf is the directory of the node program that a host runs with.
func (t *tools) nodeOf(h host) string {
	return filepath.Join(t.root, "build", "hosts", nodeDir(h), "node_modules", "node", "bin")
}

func nodeDir(h host) string { return "node-" + cmp.Or(h.node, nodeVersion) }

// installNode installs the node of a host.
func (t *tools) installNode(ctx context.Context, h host) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("npm is not on this machine: install node and npm to run hosts")
	}
	return t.npm(ctx, os.Environ(), nodeDir(h), "node_modules/node/bin/node", "node@"+cmp.Or(h.node, nodeVersion))
}

// npm installs packages into a separate directory, unless the program is already there.
func (t *tools) npm(ctx context.Context, env []string, dir, program string, names ...string) error {
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
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	err := command(ctx, dir, env, "npm", append([]string{"install", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"}, names...)...)
	if ctx.Err() != nil {
		return fmt.Errorf("npm install %s did not finish within %s", strings.Join(names, " "), fetchWithin)
	}
	return err
}

// path returns the environment with the host's node first in PATH.
func (t *tools) path(h host) []string {
	return append(os.Environ(), "PATH="+t.nodeOf(h)+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// installHost installs a host from npm; its node is there. It runs the host's installation script
// explicitly, because npm may not run it.
func (t *tools) installHost(ctx context.Context, h host) error {
	packages := []string{h.pkg + "@" + h.version}
	if h.with != "" {
		packages = append(packages, h.with+"@"+h.version)
	}
	if err := t.npm(ctx, t.path(h), h.name, "node_modules/.bin/"+h.program, packages...); err != nil {
		return err
	}
	if h.prepare != nil {
		return h.prepare(ctx, t, h)
	}
	if h.script == "" {
		return nil
	}
	dir := filepath.Join(t.root, "build", "hosts", h.name, "node_modules", filepath.FromSlash(h.pkg))
	return command(ctx, dir, t.path(h), "node", h.script)
}

func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		said := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(out)), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.Join(said[:min(len(said), 6)], "; "))
	}
	return nil
}
