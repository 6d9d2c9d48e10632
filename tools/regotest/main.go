package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command-line options.
type options struct {
	dir      string
	run      *regexp.Regexp // matches full names such as data.gavel.tools_test.test_names
	ignore   []string       // patterns for file names
	parallel int
	timeout  time.Duration // of one test
	verbose  bool
	topdown  bool // evaluate only with topdown
}

// command runs the tests and returns the exit code: 0 if all passed, 1 if one failed, and 2 if they
// could not run.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		var s *suite
		if s, err = load(ctx, o); err == nil {
			return s.report(ctx, o, stdout)
		}
	}
	fmt.Fprintln(stderr, "regotest:", err)
	return 2
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("regotest", flag.ContinueOnError)
	flags.SetOutput(stderr)
	run := flags.String("run", "", "run only the tests whose full name matches this regular expression")
	flags.Func("ignore", "skip files whose name matches this pattern; may be repeated", func(pattern string) error {
		o.ignore = append(o.ignore, pattern)
		return nil
	})
	flags.IntVar(&o.parallel, "parallel", runtime.GOMAXPROCS(0), "number of tests that run at once")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "time limit of one test")
	flags.BoolVar(&o.verbose, "v", false, "list every test with its duration")
	flags.BoolVar(&o.topdown, "topdown", false, "evaluate only with OPA's topdown, as opa test does; several times slower")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() != 1 || o.parallel < 1 {
		return o, errors.New("give one bundle directory, and -parallel 1 or more")
	}
	o.dir = flags.Arg(0)
	var err error
	if o.run, err = regexp.Compile(*run); err != nil {
		return o, fmt.Errorf("read -run: %w", err)
	}
	return o, nil
}
