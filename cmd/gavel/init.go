package main

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"gavel/internal/strictjson"
)

// starter holds the templates of the policy that gavel init writes.
//
//go:embed all:starter
var starter embed.FS

// starters holds what is specific to each host.
//
//go:embed starters.yaml
var starters []byte

// starterFor is what a policy is written for: a host, or several. The templates read it.
type starterFor struct {
	Title  string                  `yaml:"title"`
	Answer bool                    `yaml:"asks"` // a person can answer there
	ByID   map[string]starterAgent `yaml:"agents"`
	Denied []string                `yaml:"-"` // rules that deny what packs ask about; used where nobody can answer
}

// starterAgent is an agent of such a policy.
type starterAgent struct {
	ID      string   `yaml:"-"`
	About   string   `yaml:"about"`
	Profile string   `yaml:"profile"`
	Denies  []string `yaml:"deny"`
	Tools   []string `yaml:"tools"` // only of this host
}

// For returns what the policy is for.
func (s *starterFor) For() string { return s.Title }

// Asks reports whether a person can answer.
func (s *starterFor) Asks() bool { return s.Answer }

// Ask returns the effect of a rule that wants a person's consent.
func (s *starterFor) Ask() string {
	if s.Answer {
		return "ask"
	}
	return "deny"
}

// Agent returns the first agent.
func (s *starterFor) Agent() string { return s.Agents()[0].ID }

// Agents returns all agents, sorted by id.
func (s *starterFor) Agents() (list []starterAgent) {
	for _, id := range slices.Sorted(maps.Keys(s.ByID)) {
		agent := s.ByID[id]
		agent.ID, agent.Profile = id, cmp.Or(agent.Profile, "coding")
		list = append(list, agent)
	}
	return list
}

// Also returns the tools of its host as a YAML list.
func (a starterAgent) Also() string { return strings.Join(a.Tools, ", ") }

// Deny returns the tools that it may not use as a YAML list.
func (a starterAgent) Deny() string { return strings.Join(a.Denies, ", ") }

func (a *app) initCommand() *cobra.Command {
	var host string
	cmd := &cobra.Command{
		Use:   "init DIR [--for HOST]",
		Short: "Write a policy to start from",
		Long: `Write a policy to start from: a commented configuration, custom rules with their
tests, decision cases, and a README. It allows everyday work in a workspace, denies access to
secrets, and asks a person before anything leaves the machine or cannot be undone. Existing
files are never overwritten.

Hosts on the same machine share a policy: name them all, separated by commas. The hosts are

` + listed(append(strings.Split(hostNames(), ", "), "ci (no person can answer)")),
		Example: `  gavel init policy
  gavel init policy --for claude-code,codex
  gavel test policy`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fix(errors.New("gavel init takes one directory"), initFix(host))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.writeStarter(args[0], host) },
	}
	cmd.Flags().StringVar(&host, "for", "", "the hosts that run the agents, separated by commas (default: any)")
	return cmd
}

// writeStarter writes the starter policy to a directory. If one of the files exists already, it
// writes nothing.
func (a *app) writeStarter(dir, host string) error {
	files, err := starterFiles(host)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(files))
	var there []string
	for name := range files {
		names = append(names, name)
		switch _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); {
		case err == nil:
			there = append(there, name)
		case !errors.Is(err, fs.ErrNotExist):
			return fix(fmt.Errorf("look for a policy in %s: %w", dir, err), "choose a directory that you can write to")
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
			return fix(fmt.Errorf("write the policy: %w", err), "choose a directory that you can write to")
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
	a.printf("%s", nextFor(host))
	return nil
}

// initFix says which command was probably meant. The directory is the one in which hooks look for
// a policy.
func initFix(host string) string {
	if host == "" {
		return "run gavel init policy"
	}
	return "run gavel init ~/.config/gavel/policy --for " + host + ": there its hook finds the policy"
}

// create writes a new file. It fails if the file exists.
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

// starterFiles returns the files of a host's policy by name.
func starterFiles(host string) (map[string][]byte, error) {
	values, err := startersFor(host)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	err = fs.WalkDir(starter, "starter", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(starter, name)
		if err != nil {
			return err
		}
		parsed, err := template.New(name).Parse(string(text))
		if err != nil {
			return err
		}
		var out bytes.Buffer
		err = parsed.Execute(&out, values)
		files[strings.TrimPrefix(name, "starter/")] = out.Bytes()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("write the starter policy: %w", err)
	}
	return files, nil
}
