//go:build linux

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// shell is a shell that is installed here.
type shell struct {
	name    string
	path    string // inside a root
	from    string // on this machine
	options []string
	// reads lists the dialects whose texts it runs, both original texts and exec.command.
	// renders lists those of which it must run only exec.command soundly.
	reads   []string
	renders []string
}

// shells returns the wanted shells that are installed; no names mean all. What runs "sh" is
// bash, dash or busybox, depending on the machine. If none of these is installed, sh itself
// counts as a shell.
func shells(wanted []string) (found []shell, missing []string) {
	known := []shell{
		{name: "bash", from: "bash", reads: []string{"bash", "sh"}},
		{name: "dash", from: "dash", reads: []string{"dash", "sh"}},
		{name: "zsh", from: "zsh", reads: []string{"zsh"}, renders: []string{"bash"}},
		{name: "mksh", from: "mksh", reads: []string{"mksh", "ksh"}},
		{name: "ash", from: "busybox", options: []string{"ash"}, reads: []string{"ash", "sh"}},
		{name: "sh", from: "sh", reads: []string{"sh"}},
	}
	for _, sh := range known {
		if len(wanted) > 0 && !slices.Contains(wanted, sh.name) {
			continue
		}
		if sh.name == "sh" && len(found) > 0 {
			continue
		}
		from, err := exec.LookPath(sh.from)
		if err != nil {
			missing = append(missing, sh.name)
			continue
		}
		sh.path = "/shells/" + sh.from
		sh.from = from
		found = append(found, sh)
	}
	return found, missing
}

// newJail creates a root below dir.
func newJail(ctx context.Context, dir string, stub []byte, level confinement, found []shell, programs []string) (*jail, error) {
	top, err := os.MkdirTemp(dir, "root-")
	if err != nil {
		return nil, fmt.Errorf("make a root: %w", err)
	}
	j := &jail{dir: top, level: level}
	if level == bare {
		j.view = top
	}
	if err := os.Chmod(top, 0o755); err != nil {
		return nil, fmt.Errorf("make a root: %w", err)
	}
	for _, sub := range []string{"usr/bin", "shells", "dev", "etc"} {
		if err := os.MkdirAll(j.path(sub), 0o755); err != nil {
			return nil, fmt.Errorf("make a root: %w", err)
		}
	}
	if err := j.furnish(ctx, stub, found, programs); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, j.restore()
}

// furnish writes the files of a root. /dev/null is a read-only file: shells open it for
// background jobs, and nothing written to it may be lost.
func (j *jail) furnish(ctx context.Context, stub []byte, found []shell, programs []string) error {
	if err := os.WriteFile(j.path("/init"), stub, 0o755); err != nil {
		return fmt.Errorf("furnish the root: %w", err)
	}
	if err := os.WriteFile(j.path("/dev/null"), nil, 0o444); err != nil {
		return fmt.Errorf("furnish the root: %w", err)
	}
	if err := os.WriteFile(j.path("/log"), nil, 0o666); err != nil {
		return fmt.Errorf("furnish the root: %w", err)
	}
	if err := os.Chmod(j.path("/log"), 0o666); err != nil {
		return fmt.Errorf("furnish the root: %w", err)
	}
	for _, link := range []string{"/bin", held} {
		if err := os.Symlink("usr/bin", j.path(link)); err != nil {
			return fmt.Errorf("furnish the root: %w", err)
		}
	}
	for _, name := range programs {
		if err := os.Link(j.path("/init"), j.path("/usr/bin/"+name)); err != nil {
			return fmt.Errorf("furnish the root: %w", err)
		}
	}
	for link, target := range links() {
		if strings.HasPrefix(link, "/work/") {
			continue // created again with the directory
		}
		if err := os.Symlink(target, j.path(link)); err != nil {
			return fmt.Errorf("furnish the root: %w", err)
		}
	}
	for _, sh := range found {
		if err := copyFile(sh.from, j.path(sh.path)); err != nil {
			return err
		}
		if err := j.libraries(ctx, sh.from); err != nil {
			return err
		}
	}
	return nil
}

// libraries copies the libraries of a program. A static program has none, and ldd fails on it.
func (j *jail) libraries(ctx context.Context, program string) error {
	if j.level == bare {
		return nil
	}
	out, err := exec.CommandContext(ctx, "ldd", program).Output()
	if err != nil {
		return nil
	}
	for _, field := range strings.Fields(string(out)) {
		if !filepath.IsAbs(field) {
			continue
		}
		if _, err := os.Stat(j.path(field)); err == nil {
			continue
		}
		if err := copyFile(field, j.path(field)); err != nil {
			return err
		}
	}
	return nil
}

// restore returns the writable directories to their initial state.
func (j *jail) restore() error {
	for _, sub := range []string{"work", "home", "tmp"} {
		if err := os.RemoveAll(j.path(sub)); err != nil {
			return fmt.Errorf("restore the root: %w", err)
		}
		if err := os.Mkdir(j.path(sub), 0o777); err != nil {
			return fmt.Errorf("restore the root: %w", err)
		}
		if err := os.Chmod(j.path(sub), 0o777); err != nil {
			return fmt.Errorf("restore the root: %w", err)
		}
	}
	if err := os.Mkdir(j.path("/work/rc"), 0o755); err != nil {
		return fmt.Errorf("restore the root: %w", err)
	}
	if err := os.Mkdir(j.path(free), 0o777); err != nil {
		return fmt.Errorf("restore the root: %w", err)
	}
	if err := os.Chmod(j.path(free), 0o777); err != nil {
		return fmt.Errorf("restore the root: %w", err)
	}
	rc := "/usr/bin/hit; hit\n"
	for name, content := range map[string]string{"notes": "a file to overwrite\n", "names": "notes\nfree/a\nnames\n", "dashes": "notes\n-o\n", "-o": "", "odd name": "", "odd*": "", "rc/.zshenv": rc, "rc/.profile": rc,
		"rc/.bashrc": rc, "rc/.mkshrc": rc, "rc/.bash_profile": rc, "rc/.zshrc": rc} {
		if err := os.WriteFile(j.path("/work/"+name), []byte(content), 0o666); err != nil {
			return fmt.Errorf("restore the root: %w", err)
		}
		if err := os.Chmod(j.path("/work/"+name), 0o666); err != nil {
			return fmt.Errorf("restore the root: %w", err)
		}
	}
	for link, target := range map[string]string{free + "link": "../notes", free + "dir": "../../work", "/work/od": links()["/work/od"]} {
		if err := os.Symlink(target, j.path(link)); err != nil {
			return fmt.Errorf("restore the root: %w", err)
		}
	}
	if err := os.Link(j.path("/init"), j.path("/work/tool")); err != nil {
		return fmt.Errorf("restore the root: %w", err)
	}
	var err error
	j.clean, err = survey(j.dir)
	return err
}

// state describes every file of a root: kind, size and time, and the content of writable files.
// The time of a directory reveals files that were created and removed.
type state map[string]string

// survey reads the state of a root. It leaves out the log, which is read line by line.
func survey(dir string) (state, error) {
	seen := state{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside := strings.TrimPrefix(name, dir)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if inside == "/log" || inside == "" {
			return nil
		}
		seen[inside] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
		if writable(inside) && info.Mode().IsRegular() && info.Size() < 1<<20 {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			seen[inside] += fmt.Sprintf(" %x", sha256.Sum256(content))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look at the root: %w", err)
	}
	return seen, nil
}

// writable reports whether a path is below a writable directory.
func writable(inside string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(inside, "/"), "/")
	return first == "work" || first == "home" || first == "tmp"
}

// changes returns the differing paths, sorted.
func (s state) changes(after state) []string {
	var names []string
	for name, was := range s {
		if after[name] != was {
			names = append(names, name)
		}
	}
	for name := range after {
		if _, was := s[name]; !was {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// copyFile copies a program or a library, following links.
func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("copy into the root: %w", err)
	}
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy into the root: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return fmt.Errorf("copy into the root: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copy into the root: %w", err)
	}
	return nil
}
