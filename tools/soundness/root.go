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

// shell is an installed shell.
type shell struct {
	name    string
	path    string // inside a root
	source  string // on this machine; before shells has looked it up, the name of the program
	options []string
	// reads lists the dialects of which it runs original texts and exec.command, and renders those of
	// which it runs only exec.command.
	reads   []string
	renders []string
}

// shells returns the wanted shells that are installed, or all installed shells if wanted is empty. On
// most machines, sh is bash, dash or busybox. Only if none of these is installed, sh itself is used.
func shells(wanted []string) (found []shell, missing []string) {
	supported := []shell{
		{name: "bash", source: "bash", reads: []string{"bash", "sh"}},
		{name: "dash", source: "dash", reads: []string{"dash", "sh"}},
		{name: "zsh", source: "zsh", reads: []string{"zsh"}, renders: []string{"bash"}},
		{name: "mksh", source: "mksh", reads: []string{"mksh", "ksh"}},
		{name: "ash", source: "busybox", options: []string{"ash"}, reads: []string{"ash", "sh"}},
		{name: "sh", source: "sh", reads: []string{"sh"}},
	}
	for _, sh := range supported {
		if len(wanted) > 0 && !slices.Contains(wanted, sh.name) {
			continue
		}
		if sh.name == "sh" && len(found) > 0 {
			continue
		}
		from, err := exec.LookPath(sh.source)
		if err != nil {
			missing = append(missing, sh.name)
			continue
		}
		sh.path = "/shells/" + sh.source
		sh.source = from
		found = append(found, sh)
	}
	return found, missing
}

// newJail creates a root below dir.
func newJail(ctx context.Context, dir string, stub []byte, level confinement, found []shell, programs []string) (*jail, error) {
	top, err := os.MkdirTemp(dir, "root-")
	if err != nil {
		return nil, fmt.Errorf("create a root: %w", err)
	}
	j := &jail{dir: top, level: level}
	if level == bare {
		j.view = top
	}
	if err := os.Chmod(top, 0o755); err != nil {
		return nil, fmt.Errorf("create a root: %w", err)
	}
	for _, sub := range []string{"usr/bin", "shells", "dev", "etc"} {
		if err := os.MkdirAll(j.path(sub), 0o755); err != nil {
			return nil, fmt.Errorf("create a root: %w", err)
		}
	}
	if err := j.populate(ctx, stub, found, programs); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, j.restore()
}

// populate creates the files of a root that stay the same. /dev/null is an empty read-only file:
// shells read it in background jobs, and writing to it must fail.
func (j *jail) populate(ctx context.Context, stub []byte, found []shell, programs []string) error {
	if err := os.WriteFile(j.path("/init"), stub, 0o755); err != nil {
		return fmt.Errorf("populate the root: %w", err)
	}
	if err := os.WriteFile(j.path("/dev/null"), nil, 0o444); err != nil {
		return fmt.Errorf("populate the root: %w", err)
	}
	if err := os.WriteFile(j.path("/log"), nil, 0o666); err != nil {
		return fmt.Errorf("populate the root: %w", err)
	}
	if err := os.Chmod(j.path("/log"), 0o666); err != nil {
		return fmt.Errorf("populate the root: %w", err)
	}
	for _, link := range []string{"/bin", copiesDir} {
		if err := os.Symlink("usr/bin", j.path(link)); err != nil {
			return fmt.Errorf("populate the root: %w", err)
		}
	}
	for _, name := range programs {
		if err := os.Link(j.path("/init"), j.path("/usr/bin/"+name)); err != nil {
			return fmt.Errorf("populate the root: %w", err)
		}
	}
	for link, target := range links() {
		if strings.HasPrefix(link, "/work/") {
			continue // restore creates it
		}
		if err := os.Symlink(target, j.path(link)); err != nil {
			return fmt.Errorf("populate the root: %w", err)
		}
	}
	for _, sh := range found {
		if err := copyFile(sh.source, j.path(sh.path)); err != nil {
			return err
		}
		if err := j.libraries(ctx, sh.source); err != nil {
			return err
		}
	}
	return nil
}

// libraries copies the libraries of a program. ldd fails for a static program, which has none.
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

// restore creates the writable directories again with their initial files.
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
	if err := os.Mkdir(j.path(freeDir), 0o777); err != nil {
		return fmt.Errorf("restore the root: %w", err)
	}
	if err := os.Chmod(j.path(freeDir), 0o777); err != nil {
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
	for link, target := range map[string]string{freeDir + "link": "../notes", freeDir + "dir": "../../work", "/work/od": links()["/work/od"]} {
		if err := os.Symlink(target, j.path(link)); err != nil {
			return fmt.Errorf("restore the root: %w", err)
		}
	}
	if err := os.Link(j.path("/init"), j.path("/work/tool")); err != nil {
		return fmt.Errorf("restore the root: %w", err)
	}
	var err error
	j.initial, err = readState(j.dir)
	return err
}

// state describes the files of a root by path: kind, size and time, and the hash of writable files. The
// time of a directory shows that files in it were created or removed.
type state map[string]string

// readState returns the state of a root, except for the log.
func readState(dir string) (state, error) {
	files := state{}
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
		files[inside] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
		if writable(inside) && info.Mode().IsRegular() && info.Size() < 1<<20 {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files[inside] += fmt.Sprintf(" %x", sha256.Sum256(content))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the files of the root: %w", err)
	}
	return files, nil
}

// writable reports whether a path is below a writable directory.
func writable(inside string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(inside, "/"), "/")
	return first == "work" || first == "home" || first == "tmp"
}

// diff returns the paths that differ in another state, sorted.
func (s state) diff(after state) []string {
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

// copyFile copies a program or a library. It follows links.
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
