package front

import (
	"path/filepath"
	"slices"

	"gavel/runner/proof"
)

// DefaultShell returns the default shell for texts: that of SHELL, if Gavel reads its texts
// and only root can change it, and otherwise bash, or sh. Fish, and gavel-shell itself, are none.
func DefaultShell(getenv func(string) string) string {
	for _, name := range []string{filepath.Base(getenv("SHELL")), "bash", "sh"} {
		if !slices.Contains(shells(), name) {
			continue
		}
		if _, _, err := proof.Shell(name); err == nil {
			return name
		}
	}
	return "bash" // which is then refused by its name
}

// shells are those whose texts the analyzer reads; a test of the program compares the two.
func shells() []string { return []string{"bash", "sh", "dash", "ash", "mksh", "ksh", "zsh"} }
