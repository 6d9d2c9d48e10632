//go:build !linux && !darwin

package server

import "errors"

// socketUID returns an error, because this system does not report the user of a socket's peer.
func socketUID(int) (uint32, error) { return 0, errors.ErrUnsupported }
