package bundles

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gavel"
)

// Limits of a policy on disk. A policy beyond them is refused, not truncated.
const (
	maxFiles     = 10_000
	maxBytes     = 64 << 20
	maxFileBytes = 16 << 20
)

// files are the contents of a policy, read once so that everything made from
// them agrees. Names are relative and slash-separated.
type files map[string][]byte

// names returns the names in order, so that nothing depends on the disk's.
func (f files) names() []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (f files) size() (total int) {
	for _, content := range f {
		total += len(content)
	}
	return total
}

func (f files) add(name string, content io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(content, maxFileBytes+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > maxFileBytes {
		return fmt.Errorf("%s is larger than %d MiB", name, maxFileBytes>>20)
	}
	if len(f) >= maxFiles || f.size()+len(text) > maxBytes {
		return fmt.Errorf("the policy has more than %d files or %d MiB", maxFiles, maxBytes>>20)
	}
	f[name] = text
	return nil
}

// readPolicy reads what a policy path names: a configuration file, a directory or
// a .tar.gz bundle. The second result is the directory or file that names in
// errors are relative to.
func readPolicy(policy string) (files, error) {
	info, err := os.Stat(policy)
	if err != nil {
		return nil, missingPolicy(policy, err)
	}
	switch {
	case info.IsDir():
		return readDirectory(policy)
	case strings.HasSuffix(policy, ".tar.gz") || strings.HasSuffix(policy, ".tgz"):
		return readArchive(policy)
	case isConfigName(policy):
		content, err := os.Open(policy)
		if err != nil {
			return nil, fmt.Errorf("read policy: %w", err)
		}
		defer content.Close()
		found := files{}
		return found, found.add(filepath.Base(policy), content)
	default:
		return nil, problem(policy, "a policy is a configuration file (.yaml, .yml, .json, .json5), a directory or a .tar.gz bundle",
			"name one of those")
	}
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

func readDirectory(root string) (files, error) {
	found := files{}
	// The real directory is walked, so that a policy may be a symbolic link, as
	// the ..data of a Kubernetes volume is.
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	err = filepath.WalkDir(real, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(real, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if entry.IsDir() {
			if relative != "." && ignored(relative) {
				return fs.SkipDir
			}
			return nil
		}
		if ignored(relative) || !relevant(relative) {
			return nil
		}
		return addFile(found, relative, name)
	})
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	return found, nil
}

// addFile reads a regular file, following a symbolic link to one.
func addFile(found files, relative, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	content, err := os.Open(name)
	if err != nil {
		return err
	}
	defer content.Close()
	return found.add(relative, content)
}

func readArchive(name string) (files, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	compressed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, problem(name, "the bundle is not a gzip archive: "+err.Error(), "write it with: tar czf, or opa build")
	}
	found, archive := files{}, tar.NewReader(compressed)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, problem(name, "the bundle is damaged: "+err.Error(), "write it again")
		}
		relative := path.Clean(strings.TrimPrefix(header.Name, "/"))
		if header.Typeflag != tar.TypeReg || ignored(relative) || !relevant(relative) {
			continue
		}
		if _, twice := found[relative]; twice {
			return nil, problem(name, "the bundle has "+relative+" twice", "write it again")
		}
		if err := found.add(relative, archive); err != nil {
			return nil, problem(name, err.Error(), "make the bundle smaller")
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
	return strings.HasSuffix(base, ".rego") || slices.Contains(configNames(), name)
}

// ignored reports whether a path is hidden or an editor's.
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

// configNames are the names of the configuration inside a directory or bundle.
func configNames() []string {
	return []string{"config.yaml", "config.yml", "config.json", "config.json5", "openclaw.json", "openclaw.json5"}
}
