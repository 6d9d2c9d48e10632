package bundles

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gavel"
	"gavel/internal/watch"
)

// Limits of a policy on disk. A policy beyond a limit is refused, not truncated.
const (
	maxFiles     = 10_000
	maxBytes     = 64 << 20
	maxFileBytes = 16 << 20
	maxUnpacked  = 4 * maxBytes // of a bundle, with what is not part of the policy
)

// files are the contents of a policy, read once so that everything derived from them is
// consistent. Names are relative and slash-separated.
type files map[string][]byte

// names returns the names in order, so that nothing depends on the directory order.
func (f files) names() []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// without returns all files except these.
func (f files) without(names []string) files {
	left := maps.Clone(f)
	for _, name := range names {
		delete(left, name)
	}
	return left
}

// reading is a set of files being read, with their total size so far.
type reading struct {
	cfg Config
	files
	bytes      int
	signatures []byte // content of the file with them; nil if there is none
}

func (f *reading) add(name string, content io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(content, maxFileBytes+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > maxFileBytes {
		return fmt.Errorf("%s is larger than %d MiB", name, maxFileBytes>>20)
	}
	if f.bytes += len(text); len(f.files) >= maxFiles || f.bytes > maxBytes {
		return fmt.Errorf("the policy has more than %d files or %d MiB", maxFiles, maxBytes>>20)
	}
	f.files[name] = text
	watch.Breathe(len(f.files))
	return nil
}

// readPolicy reads a policy path: a configuration file, a directory or a .tar.gz bundle. If there
// is a key, what it did not sign is an error.
func readPolicy(cfg Config) (files, error) {
	policy := cfg.Path
	info, err := os.Stat(policy)
	if err != nil {
		return nil, missingPolicy(policy, err)
	}
	found := reading{cfg: cfg, files: files{}}
	switch {
	case info.IsDir():
		err = found.readDirectory(policy)
	case isArchive(policy):
		err = found.readArchive(policy)
	case isConfigName(policy):
		err = found.addFile(filepath.Base(policy), policy)
	default:
		return nil, problem(policy, "a policy is a configuration file (.yaml, .yml, .json, .json5), a directory or a .tar.gz bundle",
			"use one of those")
	}
	if err != nil {
		return nil, unreadable(err)
	}
	return found.files, cfg.verified(found.files, found.signatures)
}

// unreadable says which file or directory this user may not read.
func unreadable(err error) error {
	var opened *fs.PathError
	if errors.Is(err, fs.ErrPermission) && errors.As(err, &opened) {
		return problem(opened.Path, "this user may not read it", "let the user that runs gavel read it, or run gavel as another user")
	}
	return err
}

func isArchive(name string) bool {
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

func missingPolicy(policy string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return problem(policy, "there is no such file or directory", "check the path, or write a policy with: gavel init "+policy)
	}
	return problem(policy, err.Error(), "check the path and its permissions")
}

func problem(file, message, fix string) error {
	return &gavel.PolicyError{Problems: []gavel.Problem{{File: file, Message: message, Fix: fix}}}
}

func (f *reading) readDirectory(root string) error {
	// Links to the policy itself, to files and to directories are followed, because a
	// Kubernetes volume consists of links.
	err := f.addDirectory(root, "", nil)
	var invalid *gavel.PolicyError
	if err == nil || errors.As(err, &invalid) {
		return err
	}
	return fmt.Errorf("read policy: %w", err)
}

// addDirectory adds the files below a directory. above holds the real paths of its parents,
// so that a link upwards is detected.
func (f *reading) addDirectory(dir, relative string, above []string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if slices.Contains(above, real) {
		return problem(dir, "the directory has a link to one of its parents", "remove the link")
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name, below := filepath.Join(dir, entry.Name()), path.Join(relative, entry.Name())
		if signature(below) {
			if err := f.addSignatureFile(below, name); err != nil {
				return err
			}
			continue
		}
		if ignored(below) {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		switch {
		case info.IsDir():
			err = f.addDirectory(name, below, append(slices.Clip(above), real))
		case misspelt(below):
			err = problem(name, "the file looks like part of the policy, but its name has the wrong case", "write its name in lower case")
		case relevant(below):
			err = f.addFile(below, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *reading) addFile(relative, name string) error {
	content, err := openFile(name)
	if err != nil {
		return err
	}
	defer content.Close()
	return f.add(relative, content)
}

// openFile opens a regular file, following links. Anything else is an error, and opening
// never blocks.
func openFile(name string) (*os.File, error) {
	content, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if info, statErr := os.Stat(name); statErr == nil && !info.Mode().IsRegular() {
			return nil, notRegular(name, info)
		}
		return nil, fmt.Errorf("read policy: %w", err)
	}
	info, err := content.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(name, info)
	}
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return content, nil
}

func notRegular(name string, info fs.FileInfo) error {
	return problem(name, fmt.Sprintf("it is not a regular file (%s)", info.Mode()), "put a regular file there, or remove it")
}

// misspelt reports whether a file would belong to the policy if its name were in lower case.
func misspelt(name string) bool { return !relevant(name) && relevant(strings.ToLower(name)) }

func (f *reading) readArchive(name string) error {
	content, err := openFile(name)
	if err != nil {
		return err
	}
	defer content.Close()
	compressed, err := gzip.NewReader(bufio.NewReader(io.LimitReader(content, maxBytes)))
	if err != nil {
		return problem(name, "the bundle is not a gzip archive: "+err.Error(), "create it with tar czf or opa build")
	}
	archive := tar.NewReader(io.LimitReader(compressed, maxUnpacked))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return problem(name, "the bundle is damaged: "+err.Error(), "write it again")
		}
		relative := path.Clean(strings.TrimPrefix(header.Name, "/"))
		if signature(relative) {
			if err := f.addSignatures(relative, name+": "+relative, archive); err != nil {
				return err
			}
			continue
		}
		if misspelt(relative) {
			return problem(name, relative+" looks like part of the policy, but its name has the wrong case", "write its name in lower case")
		}
		if header.Typeflag == tar.TypeDir || ignored(relative) || !relevant(relative) {
			continue
		}
		if header.Typeflag != tar.TypeReg {
			return notRegular(name+": "+relative, header.FileInfo())
		}
		if _, twice := f.files[relative]; twice {
			return problem(name, "the bundle has "+relative+" twice", "write it again")
		}
		if err := f.add(relative, archive); err != nil {
			return problem(name, err.Error(), "make the bundle smaller")
		}
	}
}

// relevant reports whether a file is part of a policy.
func relevant(name string) bool {
	base := path.Base(name)
	switch base {
	case ".manifest", "data.json", "data.yaml", "data.yml":
		return true
	}
	return isRego(base) || slices.Contains(configNames(), name)
}

// ignored reports whether a path is hidden, or an editor's temporary file.
func ignored(name string) bool {
	base := path.Base(name)
	return base != ".manifest" && (strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~"))
}

// isConfigName reports whether a file may be a configuration.
func isConfigName(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json", ".json5":
		return true
	}
	return false
}

// IsPolicy reports whether a directory holds a configuration, and so is a policy.
func IsPolicy(dir string) bool {
	return slices.ContainsFunc(configNames(), func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// configNames are the names of the configuration inside a directory or bundle.
func configNames() []string {
	return []string{"config.yaml", "config.yml", "config.json", "config.json5", "openclaw.json", "openclaw.json5"}
}
