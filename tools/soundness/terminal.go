//go:build linux

package main

import (
	"fmt"
	"io"
	"os/exec"

	"github.com/creack/pty"
)

// start runs a command until it exits, on a terminal if that is wanted. It sends no input to the
// terminal and discards the output.
func start(cmd *exec.Cmd, terminal bool) error {
	if !terminal {
		return cmd.Run()
	}
	master, tty, err := pty.Open()
	if err != nil {
		return fmt.Errorf("open a terminal: %w", err)
	}
	defer master.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	// A new session is also a new process group.
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = false, true, true, 0
	if err := cmd.Start(); err != nil {
		_ = tty.Close()
		return err
	}
	_ = tty.Close() // the command has its own descriptor
	go func() { _, _ = io.Copy(io.Discard, master) }()
	return cmd.Wait()
}
