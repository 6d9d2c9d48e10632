//go:build !linux

package daemon

import (
	"errors"
	"net"
)

var errSystem = errors.New("this system does not say enough about clients: run the daemon on Linux")

func peerUID(*net.UnixConn) (uint32, error) { return 0, errSystem }

func examine(*net.UnixConn) (*caller, error) { return nil, errSystem }

func fileAt(string) (fileID, error) { return fileID{}, errSystem }

func ownFile() (fileID, error) { return fileID{}, errSystem }

func gone(*net.UnixConn) bool { return true }

// Harden fails: the daemon runs on Linux.
func Harden() error { return errSystem }
