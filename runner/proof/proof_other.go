//go:build !linux

package proof

import (
	"errors"
	"os"
)

const directoryFlags = 0

func openFile(string) (*os.File, bool, error) { return nil, false, errLinux() }

func openNoLinks(string, int) (*os.File, string, error) { return nil, "", errLinux() }

// Sealed needs Linux.
func (f *File) Sealed() (*os.File, error) { return nil, errLinux() }

// WritesAreRefused reports nothing that could be relied on.
func WritesAreRefused() bool { return false }

func errLinux() error { return errors.New("files can be held on Linux only") }
