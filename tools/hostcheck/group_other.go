//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: the platform has no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills the process itself.
func killGroup(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}
