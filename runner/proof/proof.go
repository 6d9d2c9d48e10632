// Package proof holds the files of a command between the moment when they are compared with
// what was judged and the moment when they run.
//
// A file is opened once. Its identity and its content are read through that descriptor, and it
// is run through it, so that it does not matter where its path leads later. A script is
// copied into memory and sealed, because its interpreter opens it again and reads it bit by bit.
package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"gavel"
)

// Codes of errors.
const (
	CodeProgramChanged   = "runner.program_changed"
	CodeScriptChanged    = "runner.script_changed"
	CodeDirectoryChanged = "runner.directory_changed"
)

// Changed says that a file or a directory is not what was judged.
type Changed struct {
	Code string
	Path string
	What string // what is different
}

// Error names the file and the difference.
func (c *Changed) Error() string { return c.Path + " is not what was judged: " + c.What }

// Directory is a directory that is held open.
type Directory struct {
	File *os.File // usable for fchdir only
	Path string   // real
	// Note says what could not be used to open it; "" for nothing.
	Note string
}

// OpenDirectory opens a directory, following links in its path now and never again.
func OpenDirectory(path string) (*Directory, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("open the directory: %w", err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, fmt.Errorf("open the directory: %w", err)
	}
	file, note, err := openNoLinks(real, directoryFlags)
	if err != nil {
		return nil, fmt.Errorf("open the directory %s: %w", real, err)
	}
	return &Directory{File: file, Path: real, Note: note}, nil
}

// Same reports with an error whether the directory's path leads to another directory now, or the
// decision was about another one.
func (d *Directory) Same(judged string) error {
	changed := func(what string) error { return &Changed{CodeDirectoryChanged, d.Path, what} }
	if judged != d.Path {
		return changed(fmt.Sprintf("the decision is about the directory %q", judged))
	}
	now, _, err := openNoLinks(d.Path, directoryFlags)
	if err != nil {
		return changed(err.Error())
	}
	defer now.Close() //nolint:errcheck // nothing was written
	was, err := d.File.Stat()
	if err != nil {
		return fmt.Errorf("look at the directory: %w", err)
	}
	is, err := now.Stat()
	if err != nil {
		return fmt.Errorf("look at the directory: %w", err)
	}
	if !os.SameFile(was, is) {
		return changed("another directory is there now")
	}
	return nil
}

// File is a file that is held.
type File struct {
	Pin gavel.Pin
	// Steady is true if only root can replace or change the file.
	Steady bool
	// Text is true for a file that begins with #!.
	Text bool

	file   *os.File
	sealed *os.File
	locked bool // it could be opened for running only
}

// Close closes the descriptors.
func (f *File) Close() {
	for _, file := range []*os.File{f.file, f.sealed} {
		if file != nil {
			_ = file.Close() // nothing was written to a file
		}
	}
}

// Descriptor is the file itself, for running it.
func (f *File) Descriptor() *os.File { return f.file }

// Open opens the file of a pin and compares its identity and its content.
func Open(pin gavel.Pin) (*File, error) {
	f := &File{Pin: pin}
	if pin.Device == "" || pin.Inode == "" {
		return nil, f.changed("the decision does not say which file it is")
	}
	var err error
	if f.file, f.locked, err = openFile(pin.Path); err != nil {
		return nil, f.changed(err.Error())
	}
	if err := f.compare(); err != nil {
		f.Close()
		return nil, err
	}
	f.Steady = steady(pin.Path, os.Geteuid())
	return f, nil
}

func (f *File) compare() error {
	if err := f.identity(f.file); err != nil {
		return err
	}
	if f.locked {
		if f.Pin.SHA256 != "" {
			return f.changed("its content cannot be read")
		}
		return nil
	}
	begin := make([]byte, 2)
	if n, _ := f.file.ReadAt(begin, 0); n == 2 {
		f.Text = string(begin) == "#!"
	}
	if f.Pin.SHA256 == "" {
		return nil
	}
	sum, err := hashOf(f.file)
	if err != nil {
		return f.changed(err.Error())
	}
	if sum != f.Pin.SHA256 {
		return f.changed("its content is different")
	}
	return nil
}

// Content returns the hash of the content that a binding has of a program: of a script always, and of
// any other file if its pin has one. "" is a file that cannot be read, or whose content is not bound.
func (f *File) Content() (string, error) {
	if f.Pin.SHA256 != "" || !f.Text {
		return f.Pin.SHA256, nil // it was compared when it was opened
	}
	sum, err := hashOf(f.file)
	if err != nil {
		return "", f.changed(err.Error())
	}
	return sum, nil
}

// identity compares an open file with the pin.
func (f *File) identity(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return f.changed(err.Error())
	}
	device, inode, ok := numbers(info)
	switch {
	case !ok || !info.Mode().IsRegular():
		return f.changed("it is not a regular file")
	case device != f.Pin.Device || inode != f.Pin.Inode:
		return f.changed("another file is there now")
	}
	return nil
}

// Loaded compares the program that a stopped process has loaded with its pin, which must have a hash
// of the content. The kernel refuses to write to a loaded file; see [WritesAreRefused] for systems that
// permit it.
func (f *File) Loaded(pid int) error {
	loaded, err := os.Open(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return f.changed("what was loaded cannot be read: " + err.Error())
	}
	defer loaded.Close() //nolint:errcheck // it was only read
	if err := f.identity(loaded); err != nil {
		return err
	}
	sum, err := hashOf(loaded)
	if err != nil {
		return f.changed(err.Error())
	}
	if sum != f.Pin.SHA256 {
		return f.changed("its content is different")
	}
	return nil
}

func (f *File) changed(what string) error {
	code := CodeScriptChanged
	if f.Pin.Role == gavel.PinProgram || f.Pin.Role == gavel.PinWrapper {
		code = CodeProgramChanged
	}
	return &Changed{code, f.Pin.Path, what}
}

func hashOf(file *os.File) (string, error) {
	sum := sha256.New()
	if _, err := file.Seek(0, 0); err != nil {
		return "", err
	}
	if _, err := file.WriteTo(sum); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Shell finds a shell for a text, by its name and by its real path. It is not judged by a
// decision, so it must be one that only root can change.
func Shell(name string) (path, real string, err error) {
	candidates := []string{"/usr/bin/" + name, "/bin/" + name}
	if filepath.IsAbs(name) {
		candidates = []string{name}
	}
	for _, path := range candidates {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && steady(real, os.Geteuid()) {
			return path, real, nil
		}
	}
	return "", "", fmt.Errorf("the shell %q is not in /usr/bin or /bin, or others than root can change it", name)
}
