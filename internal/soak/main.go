package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := check(ctx)
	stop()
	os.Exit(code)
}

// shortest leaves enough samples for a line through them, and time for a question to expire.
const shortest = 20 * time.Second

// check runs one soak and returns the exit code.
func check(ctx context.Context) int {
	var length time.Duration
	flag.DurationVar(&length, "for", 30*time.Second, "how long to work; growth is measured after a third of it")
	flag.Parse()
	err := errors.New("-for is less than " + shortest.String() + ": nothing could be said about growth")
	if length >= shortest {
		var problems []string
		problems, err = soakIn(ctx, length)
		if err == nil {
			return verdict(problems)
		}
	}
	fmt.Fprintln(os.Stderr, "soak:", err)
	return 2
}

// verdict says whether it held, and returns the exit code.
func verdict(problems []string) int {
	if len(problems) == 0 {
		fmt.Println("soak: everything held")
		return 0
	}
	for _, problem := range problems {
		fmt.Println("FAIL:", problem)
	}
	return 1
}

// soakIn soaks in a directory of its own, which is kept when something is wrong.
func soakIn(ctx context.Context, length time.Duration) ([]string, error) {
	dir, err := os.MkdirTemp("", "gavel-soak-") // short: a socket's path has a limit
	if err != nil {
		return nil, fmt.Errorf("make a place for the server's files: %w", err)
	}
	problems, err := run(ctx, dir, length)
	if err == nil {
		var more []string
		more, err = besiege(ctx, filepath.Join(dir, "siege"), min(max(length/6, 5*time.Second), time.Minute))
		problems = append(problems, more...)
	}
	if err != nil || len(problems) > 0 {
		fmt.Println("the policy, the state and the server's log are kept in", dir)
		return problems, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("remove the server's files: %w", err)
	}
	return nil, nil
}
