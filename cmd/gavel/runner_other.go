//go:build !linux

package main

import (
	"errors"

	"github.com/spf13/cobra"
)

const supervise = "__supervise"

func superviseOne() int { return exitError }

func (a *app) runnerCommand() *cobra.Command {
	return &cobra.Command{Use: "runner", Short: "Run commands for agents (Linux only)",
		RunE: func(*cobra.Command, []string) error { return errors.New("commands are run on Linux only") }}
}
