//go:build linux && !amd64 && !arm64

package spawn

import "errors"

// registers are not known on this machine.
type registers struct{}

// holdsScripts reports whether system calls of this machine are known.
const holdsScripts = false

func (*registers) read(int) error            { return errors.ErrUnsupported }
func (*registers) write(int) error           { return errors.ErrUnsupported }
func (*registers) stack() uint64             { return 0 }
func (*registers) native() error             { return errors.ErrUnsupported }
func (*registers) opens() (*uint64, bool)    { return nil, false }
func (*registers) result() (uint64, *uint64) { return 0, nil }
func (*registers) moves() (uint64, bool)     { return 0, false }
