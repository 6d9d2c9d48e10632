//go:build linux

package main

import (
	"fmt"
	"io"
	"os/exec"

	"github.com/creack/pty"
)

// start runs a command to its end. On a terminal nobody types, and what it puts out is read
// and dropped.
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
	// A session of its own is a process group of its own as well.
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = false, true, true, 0
	if err := cmd.Start(); err != nil {
		_ = tty.Close()
		return err
	}
	_ = tty.Close() // the command has it
	go func() { _, _ = io.Copy(io.Discard, master) }()
	return cmd.Wait()
}
