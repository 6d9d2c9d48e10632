//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the leader of a process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the process group of a leader.
func killGroup(leader int) error { return syscall.Kill(-leader, syscall.SIGKILL) }
