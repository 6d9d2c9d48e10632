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

// shortest is the least time in which growth can be measured and a question expires.
const shortest = 20 * time.Second

// check runs the command and returns the exit code.
func check(ctx context.Context) int {
	var length time.Duration
	flag.DurationVar(&length, "for", 30*time.Second, "duration of the load; growth is measured after a third of it")
	attacking := flag.Bool("attack", false, "internal: be the attacking process of a siege")
	only := flag.Bool("siege", false, "run only the siege, for this long without the attacker and as long with it")
	verified := flag.Bool("verified", false, "measure only how much calls that wait for a verifier slow other calls")
	flag.Parse()
	if *attacking {
		return exitCode(runAttacker(os.Stdin, os.Stdout))
	}
	if *only {
		problems, err := withDirectory(func(dir string) ([]string, error) { return besiege(ctx, filepath.Join(dir, "siege"), length) })
		if err != nil {
			return exitCode(err)
		}
		return printVerdict(problems)
	}
	if *verified {
		problems, err := withDirectory(func(dir string) ([]string, error) {
			return measureVerified(ctx, filepath.Join(dir, "verified"), length)
		})
		if err != nil {
			return exitCode(err)
		}
		return printVerdict(problems)
	}
	err := errors.New("-for is less than " + shortest.String() + ", which is too short to measure growth")
	if length >= shortest {
		var problems []string
		problems, err = soakIn(ctx, length)
		if err == nil {
			return printVerdict(problems)
		}
	}
	return exitCode(err)
}

// exitCode prints an error and returns the exit code for it.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "soak:", err)
	return 2
}

// printVerdict prints the problems and returns the exit code.
func printVerdict(problems []string) int {
	if len(problems) == 0 {
		fmt.Println("soak: no problems")
		return 0
	}
	for _, problem := range problems {
		fmt.Println("FAIL:", problem)
	}
	return 1
}

// soakIn runs the soak, and then the siege.
func soakIn(ctx context.Context, length time.Duration) ([]string, error) {
	return withDirectory(func(dir string) ([]string, error) {
		problems, err := run(ctx, dir, length)
		if err != nil {
			return problems, err
		}
		more, err := besiege(ctx, filepath.Join(dir, "siege"), min(max(length/6, 5*time.Second), time.Minute))
		return append(problems, more...), err
	})
}

// withDirectory calls a function with a temporary directory. It keeps the directory if there are
// problems.
func withDirectory(work func(dir string) ([]string, error)) ([]string, error) {
	dir, err := os.MkdirTemp("", "gavel-soak-") // short, because the length of a socket path is limited
	if err != nil {
		return nil, fmt.Errorf("create a directory for the server's files: %w", err)
	}
	problems, err := work(dir)
	if err != nil || len(problems) > 0 {
		fmt.Println("the policy, the state and the server's log are kept in", dir)
		return problems, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("remove the server's files: %w", err)
	}
	return nil, nil
}
