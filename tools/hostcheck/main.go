// Command hostcheck tests Gavel's hooks in real hosts. It installs the hosts from npm below
// build/hosts, installs Gavel's hooks with gavel install, each in its own home directory, and
// lets a scripted model make calls. The file that a call would create shows whether it ran.
// Everything listens on loopback, and hosts get a proxy that leads nowhere.
//
//	go run ./tools/hostcheck [-hosts claude-code,codex] [-cells allowed,dead] [-page docs/hosts/measured.md]
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := 0
	if err := check(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hostcheck:", err)
		code = 1
	}
	stop()
	os.Exit(code)
}

func check(ctx context.Context) error {
	only := flag.String("hosts", "", "hosts to run, separated by commas (default: all)")
	cellNames := flag.String("cells", "", "cells to run, separated by commas (default: all)")
	page := flag.String("page", "", "file to write the table to, with the last result of each cell")
	keep := flag.Bool("keep", false, "keep the directories of the runs")
	built := flag.Bool("built", false, "use what an earlier run built")
	mcp := flag.Bool("mcp", false, "be an MCP server with the tool write_file, on standard input and output")
	flag.Parse()
	if *mcp {
		return serveMCP(os.Stdin, os.Stdout)
	}
	tools, err := prepare(ctx, *built)
	if err != nil {
		return err
	}
	var results []result
	for _, host := range hosts() {
		if !chosen(*only, host.name) {
			continue
		}
		if err := tools.installHost(ctx, host); err != nil {
			fmt.Printf("%s: left out: %v\n", host.name, err)
			continue
		}
		for _, cell := range cells() {
			if !chosen(*cellNames, cell.name) || host.calls(cell, "/") == nil {
				continue
			}
			one := tools.run(ctx, host, cell, *keep)
			fmt.Println(one)
			results = append(results, one)
			if err := tools.record(one); err != nil {
				return err
			}
		}
	}
	if *page != "" {
		if err := tools.writePage(*page); err != nil {
			return err
		}
	}
	wrong := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.got == r.want })
	if len(wrong) > 0 {
		return fmt.Errorf("%d of %d cells are not as they should be", len(wrong), len(results))
	}
	fmt.Printf("%d cells are as they should be\n", len(results))
	return nil
}

func chosen(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// tools is what every run needs.
type tools struct {
	root   string // of the repository
	bin    string // with gavel, gavel-hook and this program
	node   string // directory of the node program that every host runs with
	policy string
}

// nodeVersion is the version of node for the hosts: the newest one that all of them support.
const nodeVersion = "22.23.3"

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

// useNode installs the node of a host, and makes it the one that everything runs with.
func (t *tools) useNode(ctx context.Context, h host) error {
	version := cmp.Or(h.node, nodeVersion)
	dir := "node-" + version
	if err := t.npm(ctx, dir, "node_modules/node/bin/node", "node@"+version); err != nil {
		return err
	}
	t.node = filepath.Join(t.root, "build", "hosts", dir, "node_modules", "node", "bin")
	return nil
}

// npm installs packages into a separate directory, unless the program is already there.
func (t *tools) npm(ctx context.Context, dir, program string, names ...string) error {
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
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	return command(ctx, dir, t.path(), "npm", append([]string{"install", "--no-audit", "--no-fund", "--silent"}, names...)...)
}

// path returns the environment with the hosts' node first in PATH.
func (t *tools) path() []string {
	return append(os.Environ(), "PATH="+t.node+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// installHost installs a host from npm. It runs the host's installation script explicitly,
// because npm may not run it.
func (t *tools) installHost(ctx context.Context, h host) error {
	if err := t.useNode(ctx, h); err != nil {
		return err
	}
	if err := t.npm(ctx, h.name, "node_modules/.bin/"+h.program, h.pkg+"@"+h.version, h.with); err != nil {
		return err
	}
	if h.prepare != nil {
		return h.prepare(ctx, t)
	}
	if h.script == "" {
		return nil
	}
	dir := filepath.Join(t.root, "build", "hosts", h.name, "node_modules", filepath.FromSlash(h.pkg))
	return command(ctx, dir, t.path(), "node", h.script)
}

func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err), errors.New(strings.TrimSpace(string(out))))
	}
	return nil
}
