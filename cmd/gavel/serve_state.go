package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gavel/internal/private"
)

// findState chooses the state directory if none was named.
func (a *app) findState(flags *serveFlags) error {
	if flags.state != "" {
		return nil
	}
	base := a.getenv("XDG_STATE_HOME")
	if home := a.getenv("HOME"); !filepath.IsAbs(base) && filepath.IsAbs(home) {
		base = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(base) {
		return fix(errors.New("there is no directory for tokens: neither XDG_STATE_HOME nor HOME is an absolute path"), "specify one with --state")
	}
	flags.state = filepath.Join(base, "gavel")
	return nil
}

// stateDirectory fills in the paths that follow from --state, and creates the directory.
func (a *app) stateDirectory(flags *serveFlags) error {
	if err := a.findState(flags); err != nil {
		return err
	}
	if err := os.MkdirAll(flags.state, 0o700); err != nil {
		return fix(fmt.Errorf("create the state directory: %w", err),
			"name a directory that this user may create, with --state; it is where Gavel keeps tokens, approvals and its log")
	}
	if err := private.CheckPlace(flags.state); err != nil {
		return fix(fmt.Errorf("look at the state directory: %w", err), "or specify another one with --state")
	}
	if flags.socket == "" {
		flags.socket = filepath.Join(flags.state, "gavel.sock")
	}
	if flags.approvals == "" {
		flags.approvals = filepath.Join(flags.state, "exec-approvals.json")
	}
	if flags.approvalsSocket == "" {
		flags.approvalsSocket = filepath.Join(flags.state, "exec-approvals.sock")
	}
	if flags.log == "" {
		flags.log = filepath.Join(flags.state, "decisions.jsonl")
	}
	return nil
}
