package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gavel/internal/private"
)

// replaceText replaces the contents of a file atomically, if the contents are still was. A
// symbolic link stays, and its target is replaced. A file with other contents stays unchanged,
// and no file is ever emptied.
func replaceText(name string, was, now []byte) error {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return fmt.Errorf("edit %s: %w", name, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return fmt.Errorf("edit %s: %w", name, err)
	}
	text, err := os.ReadFile(real)
	switch {
	case err != nil:
		return fmt.Errorf("edit %s: %w", name, err)
	case !bytes.Equal(text, was):
		return fix(fmt.Errorf("%s was changed in the meantime, and nothing was written", name), "run the command again")
	case len(bytes.TrimSpace(now)) == 0:
		return fix(errors.New("the edited file would be empty, and nothing was written"), "this is a defect of Gavel: report it, with the call")
	}
	if err := private.ReplaceFile(real, now, info.Mode().Perm()); err != nil {
		return fmt.Errorf("edit %s: %w", name, err)
	}
	return nil
}
