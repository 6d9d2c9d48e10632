package watch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The limits of one policy. More is an error, never a hash of a part.
const (
	maxFiles       = 10_000   // regular files, and directories as well
	maxBytes int64 = 64 << 20 // of all files together
)

// Hash is the SHA-256, in hexadecimal, of a policy: the names, relative to path,
// and the contents of all files that matter, sorted by name. Of a file it is
// the hash of the contents under an empty name.
//
// The files that matter are the regular files below path, symbolic links
// followed, wherever they lead. Left out are names that start with a dot, other
// than .manifest and .signatures.json, which belong to a bundle; names that end
// in ~, .swp, .swx or .tmp; the name 4913; and whatever is below a directory
// whose own name starts with a dot. The last rule keeps the versions of a
// Kubernetes mount apart (..data and ..2026_…): they count once, by the names of
// the links that lead into them. The name of path itself may be anything.
//
// It is an error when path or a file that matters cannot be read (fs.ErrNotExist
// tells that path is gone, or that a link leads nowhere), when links form a
// circle, and when there are more than 10,000 files or 64 MiB.
func Hash(path string) (string, error) {
	return hash(path, func(string) {})
}

// hash is Hash, and tells visit each directory that it depends on, by its real
// path and before it is read: what appears after visit shows up either in the
// hash or as an event of a watch that visit set.
func hash(root string, visit func(dir string)) (string, error) {
	w := walk{visit: visit, sum: map[string][]byte{}, space: make([]byte, 32<<10)}
	if err := w.enter("", root); err != nil {
		return "", fmt.Errorf("hash policy %s: %w", root, err)
	}
	all := sha256.New()
	names := make([]string, 0, len(w.sum))
	for name := range w.sum {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(name)))
		all.Write(size[:])
		all.Write([]byte(name))
		all.Write(w.sum[name])
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// walk is one look at a tree.
type walk struct {
	visit   func(dir string)
	sum     map[string][]byte // the SHA-256 of each file by its name
	dirs    int
	bytes   int64
	parents []fs.FileInfo // the directories that the walk is in
	space   []byte        // for what is read of a file
}

// enter looks at the file or directory at place, which the policy calls name.
func (w *walk) enter(name, place string) error {
	info, err := os.Lstat(place)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if info, err = w.follow(place); err != nil {
			return err
		}
	}
	switch {
	case info.IsDir():
		return w.directory(name, place, info)
	case info.Mode().IsRegular():
		return w.file(name, place)
	case name == "":
		return fmt.Errorf("%s is neither a file nor a directory", place)
	default:
		return nil // a pipe, a socket or a device is not a policy
	}
}

// follow visits the directory that holds the target of a link. A link to a
// directory leads into it, so directory visits that one.
func (w *walk) follow(link string) (fs.FileInfo, error) {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return nil, err
	}
	w.visit(filepath.Dir(target))
	return os.Stat(link)
}

func (w *walk) directory(name, place string, info fs.FileInfo) error {
	for _, parent := range w.parents {
		if os.SameFile(parent, info) {
			return fmt.Errorf("%s leads back to one of its parent directories: remove the link", place)
		}
	}
	if w.dirs++; w.dirs > maxFiles {
		return fmt.Errorf("more than %d directories: is %s the right path?", maxFiles, place)
	}
	real, err := filepath.EvalSymlinks(place)
	if err != nil {
		return err
	}
	w.visit(real)
	entries, err := os.ReadDir(place)
	if err != nil {
		return err
	}
	w.parents = append(w.parents, info)
	defer func() { w.parents = w.parents[:len(w.parents)-1] }()
	for _, entry := range entries {
		if ignored(entry.Name()) {
			continue
		}
		if err := w.enter(path.Join(name, entry.Name()), filepath.Join(place, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) file(name, place string) error {
	if len(w.sum) >= maxFiles {
		return fmt.Errorf("more than %d files: is %s the right path?", maxFiles, place)
	}
	// Without O_NONBLOCK, opening waits when a pipe has taken the file's place.
	file, err := os.OpenFile(place, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no longer a regular file", place)
	}
	sum := sha256.New()
	n, err := io.CopyBuffer(sum, io.LimitReader(file, maxBytes-w.bytes+1), w.space)
	if err != nil {
		return err
	}
	if w.bytes += n; w.bytes > maxBytes {
		return fmt.Errorf("more than %d bytes in all, with %s: is this the right path?", maxBytes, place)
	}
	w.sum[name] = sum.Sum(nil)
	Breathe(len(w.sum))
	return nil
}

// Breathe waits for a millisecond after every 32 files that were read. Large policies are
// read beside decisions, which need the processor as well.
func Breathe(files int) {
	if files%32 == 0 {
		time.Sleep(time.Millisecond)
	}
}

// ignored tells the names of editors' temporary files and of hidden ones.
func ignored(name string) bool {
	switch {
	case name == ".manifest", name == ".signatures.json":
		return false
	case strings.HasPrefix(name, "."), name == "4913":
		return true
	}
	for _, suffix := range []string{"~", ".swp", ".swx", ".tmp"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// anchors tells visit, by their real paths, the directories in which path
// appears, disappears and is replaced, and under which name: the nearest one above it
// that exists, and each that holds a symbolic link on the way there.
func anchors(path string, visit func(dir, name string)) {
	nearest := false
	for below, dir := path, filepath.Dir(path); ; below, dir = dir, filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil && !nearest {
			nearest = true
			visit(real, filepath.Base(below))
		}
		if dir == filepath.Dir(dir) {
			return
		}
		info, err := os.Lstat(dir)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if holder, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
			visit(holder, filepath.Base(dir))
		}
	}
}
