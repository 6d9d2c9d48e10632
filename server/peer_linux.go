package server

import "golang.org/x/sys/unix"

// socketUID returns the user at the other end of a unix socket.
func socketUID(fd int) (uint32, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return cred.Uid, nil
}
