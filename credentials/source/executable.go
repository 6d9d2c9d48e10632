package source

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gavel/internal/private"
)

// maxScripts is how many scripts may run one another, as in Linux.
const maxScripts = 4

// Executable fails unless path is a program that only root or the user of this process may change,
// or replace: they own every directory on the way to it, and nobody else may write there. The same
// goes for what the first line of a script names.
func Executable(path string) error {
	for at := range maxScripts + 1 {
		if err := own(path); err != nil {
			if at > 0 {
				return fmt.Errorf("the first line of a script names it: %w", err)
			}
			return err
		}
		next, err := interpreter(path)
		switch {
		case err != nil || next == "":
			return err
		case !filepath.IsAbs(next):
			return fmt.Errorf("the first line of %s names %q, which is looked for where it runs: write an absolute path", path, next)
		}
		path = next
	}
	return fmt.Errorf("%s: too many scripts run one another", path)
}

// own fails unless only root or the user of this process may change or replace a program.
func own(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o100 == 0:
		return fmt.Errorf("%s is not an executable file", path)
	case !trusted(info):
		return fmt.Errorf("%s belongs to another user: make it one of this user or of root", path)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be changed by others: run chmod go-w %s", path, path)
	}
	if err := private.CheckPath(path); err != nil {
		return fmt.Errorf("others can put another program in the place of %s: %w", path, err)
	}
	return nil
}

// interpreter is the program that the first line of a script names; "" for what is not a script. A file
// that cannot be read is none: an interpreter could not read it, either.
func interpreter(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if errors.Is(err, os.ErrPermission) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()           //nolint:errcheck // it was only read
	begin := make([]byte, 4<<10) // more than a kernel reads
	n, err := io.ReadFull(file, begin)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	line, script := strings.CutPrefix(string(begin[:n]), "#!")
	if !script {
		return "", nil
	}
	line, _, _ = strings.Cut(line, "\n")
	name, _, _ := strings.Cut(strings.ReplaceAll(strings.Trim(line, " \t"), "\t", " "), " ")
	if name == "" {
		return "", fmt.Errorf("the first line of %s names no program", path)
	}
	return name, nil
}
