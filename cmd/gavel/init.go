package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gavel/internal/strictjson"
	"gavel/rego"
)

// starter is the policy that gavel init writes, without its configuration, which
// is the shipped one.
//
//go:embed all:starter
var starter embed.FS

// starterHeader stands above the configuration in place of the shipped one's.
const starterHeader = `# The configuration of this policy. It starts as the shipped default.
#
#   gavel check .              every problem, with its line and what to do
#   gavel test .               the Rego tests, and the cases in testdata/
#   gavel tools --policy . --agent coder
#                              what an agent sees, and which line removed the rest
#   gavel schema config        every key that exists
#
# Deny wins within a step, and no later step restores what an earlier one removed.
# An agent's own settings are under its id: profile, tools.allow, tools.deny,
# exec.security, exec.ask, exec.allowlist, sandbox, subagents. An unknown key or a
# misspelt value is an error, never a silent default.

`

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init DIR",
		Short: "Write a policy to start from",
		Long: `Write a policy to start from: a commented configuration, a custom rule with its
tests, decision cases, and a README. Nothing that exists is overwritten.`,
		Example: `  gavel init policy
  gavel test policy`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fix(errors.New("gavel init takes one directory"), "run gavel init policy")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.writeStarter(args[0]) },
	}
}

// writeStarter writes the starter policy to a directory, or nothing at all when a
// file is in the way.
func (a *app) writeStarter(dir string) error {
	files, err := starterFiles()
	if err != nil {
		return err
	}
	names := make([]string, 0, len(files))
	var there []string
	for name := range files {
		names = append(names, name)
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) {
			there = append(there, name)
		}
	}
	slices.Sort(names)
	if len(there) > 0 {
		slices.Sort(there)
		return fix(fmt.Errorf("%s already has these files: %s", dir, strings.Join(there, ", ")),
			"nothing was written; choose another directory, or move the files away")
	}
	for _, name := range names {
		if err := create(filepath.Join(dir, filepath.FromSlash(name)), files[name]); err != nil {
			return fmt.Errorf("write the policy: %w", err)
		}
	}
	if a.json() {
		return strictjson.Write(a.stdout, struct {
			Directory string   `json:"directory"`
			Files     []string `json:"files"`
		}{dir, names})
	}
	a.printf("wrote a policy to %s\n", clean(dir))
	for _, name := range names {
		a.printf("  %s\n", name)
	}
	a.printf("next\n  gavel test %[1]s\n  gavel serve --policy %[1]s\n", quoted(dir))
	return nil
}

// create writes a file that must not exist.
func create(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// starterFiles are the files of the starter policy by name.
func starterFiles() (map[string][]byte, error) {
	files := map[string][]byte{"config.yaml": starterConfig()}
	err := fs.WalkDir(starter, "starter", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := starter.ReadFile(name)
		files[strings.TrimPrefix(name, "starter/")] = text
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the starter policy: %w", err)
	}
	return files, nil
}

// starterConfig is the shipped configuration with a header of its own.
func starterConfig() []byte {
	text := string(rego.DefaultConfig)
	for strings.HasPrefix(text, "#") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return []byte(starterHeader + strings.TrimLeft(text, "\n"))
}
