package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"gavel/decisionlog"
)

// The values of --log-mode.
const (
	logAsync  = "async"
	logStrict = "strict"
)

// logFlags say how the decision log is written.
type logFlags struct {
	mode                  string
	size, backups, maxAge int
}

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.mode, "log-mode", logAsync, "async, or strict: answer only when the decision is on disk")
	cmd.Flags().IntVar(&f.size, "log-max-size", 100, "megabytes at which the decision log is rotated")
	cmd.Flags().IntVar(&f.backups, "log-max-backups", 20, "how many rotated files to keep; 0 keeps all")
	cmd.Flags().IntVar(&f.maxAge, "log-max-age", 0, "days to keep rotated files; 0 keeps them forever")
}

func (f *logFlags) check(path string) error {
	switch {
	case f.mode != logAsync && f.mode != logStrict:
		return fix(fmt.Errorf("--log-mode %q is unknown", f.mode), "use async or strict")
	case f.mode == logStrict && path == "-":
		return fix(errors.New("--log-mode strict needs a file: standard output cannot be synced to disk"), "name a file with --log, or use --log-mode async")
	case f.mode == logStrict && path == "off":
		return fix(errors.New("--log-mode strict needs a decision log, and --log is off"), "leave out --log off, or use --log-mode async")
	case f.size < 1:
		return fix(fmt.Errorf("--log-max-size %d is not a file size", f.size), "give a number of megabytes, such as 100")
	case f.backups < 0 || f.maxAge < 0:
		return fix(fmt.Errorf("--log-max-backups %d and --log-max-age %d must not be negative", f.backups, f.maxAge), "use 0 to keep all rotated files")
	}
	return nil
}

// openLog opens the decision log, if there is one.
func (s *service) openLog(stdout io.Writer, flags serveFlags, registry prometheus.Registerer) error {
	if err := flags.logging.check(flags.log); err != nil {
		return err
	}
	if flags.log == "off" {
		return nil
	}
	cfg := decisionlog.Config{Path: flags.log, Logger: s.logger, Registry: registry, Strict: flags.logging.mode == logStrict,
		MaxSizeMB: flags.logging.size, MaxBackups: flags.logging.backups, MaxAgeDays: flags.logging.maxAge}
	if flags.log == "-" {
		cfg.Path, cfg.Writer = "", stdout
	}
	opened, err := decisionlog.New(cfg)
	if err != nil {
		return err
	}
	s.log = opened
	return logFix(opened.Open(), "name a directory that you can write to with --state, or a file with --log")
}

// logFix adds what helps to an error about a log in a directory that this user cannot use.
func logFix(err error, advice string) error {
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		return fix(err, advice)
	}
	return err
}

// closeLog flushes and closes the decision log.
func (s *service) closeLog() error {
	if s.log == nil {
		return nil
	}
	return s.log.Close(context.Background())
}
