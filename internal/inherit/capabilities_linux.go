package inherit

import "golang.org/x/sys/unix"

// NoCapabilities makes this thread, which must be locked, give up the capabilities that the programs it
// starts would take over: the ambient ones, and those that a program with capabilities of its own
// inherits. What this thread may do itself stays.
func NoCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0
	return unix.Capset(&header, &data[0])
}
