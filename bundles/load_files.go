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
	maxFiles         = 10_000
	maxBytes         = 64 << 20
	maxFileBytes     = 16 << 20
	maxUnpackedBytes = 4 * maxBytes // of a bundle, including files that are not part of the policy
)

// files are the contents of a policy's files by name. They are read once, so that everything made
// from them is consistent. Names are relative to the policy, with slashes.
type files map[string][]byte

// names returns the names, sorted.
func (f files) names() []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// without returns all files but some.
func (f files) without(names []string) files {
	left := maps.Clone(f)
	for _, name := range names {
		delete(left, name)
	}
	return left
}

// fileReader collects the files of a policy, and counts their bytes.
type fileReader struct {
	cfg Config
	files
	bytes      int
	signatures []byte // content of the signature file; nil if there is none
}

func (f *fileReader) add(name string, content io.Reader) error {
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

// readPolicyFiles reads a configuration file, a directory or a .tar.gz bundle, and verifies its
// signature.
func readPolicyFiles(cfg Config) (files, error) {
	policy := cfg.Path
	info, err := os.Stat(policy)
	if err != nil {
		return nil, errMissing(policy, err)
	}
	found := fileReader{cfg: cfg, files: files{}}
	switch {
	case info.IsDir():
		err = found.readDirectory(policy)
	case isArchive(policy):
		err = found.readArchive(policy)
	case isConfigName(policy):
		err = found.addFile(filepath.Base(policy), policy)
	default:
		return nil, newPolicyError(policy, "a policy is a configuration file (.yaml, .yml, .json, .json5), a directory or a .tar.gz bundle",
			"use one of those")
	}
	if err != nil {
		return nil, explainPermission(err)
	}
	return found.files, cfg.verifySignature(found.files, found.signatures)
}

// explainPermission replaces a permission error by one that names the file or directory.
func explainPermission(err error) error {
	var opened *fs.PathError
	if errors.Is(err, fs.ErrPermission) && errors.As(err, &opened) {
		return newPolicyError(opened.Path, "this user may not read it", "let the user that runs gavel read it, or run gavel as another user")
	}
	return err
}

func isArchive(name string) bool {
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

func errMissing(policy string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return newPolicyError(policy, "there is no such file or directory", "check the path, or write a policy with: gavel init "+policy)
	}
	return newPolicyError(policy, err.Error(), "check the path and its permissions")
}

func (f *fileReader) readDirectory(root string) error {
	// Follow links to the policy, to files and to directories: a Kubernetes volume consists of
	// links.
	err := f.addDirectory(root, "", nil)
	var invalid *gavel.PolicyError
	if err == nil || errors.As(err, &invalid) {
		return err
	}
	return fmt.Errorf("read policy: %w", err)
}

// addDirectory adds the files below a directory. above are the real paths of its parents, so that
// a link to one of them is found.
func (f *fileReader) addDirectory(dir, relative string, above []string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if slices.Contains(above, real) {
		return newPolicyError(dir, "the directory has a link to one of its parents", "remove the link")
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name, below := filepath.Join(dir, entry.Name()), path.Join(relative, entry.Name())
		if isSignatureFile(below) {
			if err := f.addSignatureFile(below, name); err != nil {
				return err
			}
			continue
		}
		if isIgnored(below) {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		switch {
		case info.IsDir():
			err = f.addDirectory(name, below, append(slices.Clip(above), real))
		case hasWrongCase(below):
			err = newPolicyError(name, "the file looks like part of the policy, but its name has the wrong case", "write its name in lower case")
		case isPolicyFile(below):
			err = f.addFile(below, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *fileReader) addFile(relative, name string) error {
	content, err := openFile(name)
	if err != nil {
		return err
	}
	defer content.Close()
	return f.add(relative, content)
}

// openFile opens a regular file, following links. Anything else is an error. Opening never
// blocks, not even for a named pipe.
func openFile(name string) (*os.File, error) {
	content, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if info, statErr := os.Stat(name); statErr == nil && !info.Mode().IsRegular() {
			return nil, errNotRegular(name, info)
		}
		return nil, fmt.Errorf("read policy: %w", err)
	}
	info, err := content.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular(name, info)
	}
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return content, nil
}

func errNotRegular(name string, info fs.FileInfo) error {
	return newPolicyError(name, fmt.Sprintf("it is not a regular file (%s)", info.Mode()), "put a regular file there, or remove it")
}

// hasWrongCase reports whether a file would be part of the policy if its name were in lower case.
func hasWrongCase(name string) bool {
	return !isPolicyFile(name) && isPolicyFile(strings.ToLower(name))
}

func (f *fileReader) readArchive(name string) error {
	content, err := openFile(name)
	if err != nil {
		return err
	}
	defer content.Close()
	compressed, err := gzip.NewReader(bufio.NewReader(io.LimitReader(content, maxBytes)))
	if err != nil {
		return newPolicyError(name, "the bundle is not a gzip archive: "+err.Error(), "create it with tar czf or opa build")
	}
	archive := tar.NewReader(io.LimitReader(compressed, maxUnpackedBytes))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return newPolicyError(name, "the bundle is damaged: "+err.Error(), "write it again")
		}
		relative := path.Clean(strings.TrimPrefix(header.Name, "/"))
		if isSignatureFile(relative) {
			if err := f.addSignatures(relative, name+": "+relative, archive); err != nil {
				return err
			}
			continue
		}
		if hasWrongCase(relative) {
			return newPolicyError(name, relative+" looks like part of the policy, but its name has the wrong case", "write its name in lower case")
		}
		if header.Typeflag == tar.TypeDir || isIgnored(relative) || !isPolicyFile(relative) {
			continue
		}
		if header.Typeflag != tar.TypeReg {
			return errNotRegular(name+": "+relative, header.FileInfo())
		}
		if _, twice := f.files[relative]; twice {
			return newPolicyError(name, "the bundle has "+relative+" twice", "write it again")
		}
		if err := f.add(relative, archive); err != nil {
			return newPolicyError(name, err.Error(), "make the bundle smaller")
		}
	}
}

// isPolicyFile reports whether a file is part of a policy.
func isPolicyFile(name string) bool {
	base := path.Base(name)
	switch base {
	case ".manifest", "data.json", "data.yaml", "data.yml":
		return true
	}
	return isRego(base) || slices.Contains(configNames(), name)
}

// isIgnored reports whether a file or directory is hidden, or an editor's temporary file.
func isIgnored(name string) bool {
	base := path.Base(name)
	return base != ".manifest" && (strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~"))
}

// isConfigName reports whether a file may be a configuration, by its extension.
func isConfigName(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json", ".json5":
		return true
	}
	return false
}

// IsPolicy reports whether a directory is a policy, because it has a configuration.
func IsPolicy(dir string) bool {
	return slices.ContainsFunc(configNames(), func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// configNames returns the names that a configuration may have in a directory or bundle.
func configNames() []string {
	return []string{"config.yaml", "config.yml", "config.json", "config.json5", "openclaw.json", "openclaw.json5"}
}
