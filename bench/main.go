// Command bench compares Gavel with its peers: requests per second, latencies of an open loop,
// memory, and the cost of a decision in process. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gavel/bench/peers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options are the command-line options.
type options struct {
	plan
	sizes
	root, bounds  string
	evaluator     string
	matrix, check bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "serve" {
		return peers.Serve(ctx, args[1:])
	}
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	limits, err := readBounds(o.bounds)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is below the system's temporary directory
	o.progress("build the servers")
	lab, err := peers.Open(ctx, o.root, dir)
	if err != nil {
		return err
	}
	lab.Evaluator = o.evaluator
	if _, err := fmt.Fprintf(stdout, "Gavel's policy is evaluated by: %s\n\n", o.evaluator); err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	var worse []error
	for _, part := range o.parts(lab) {
		measured, err := part.run(ctx, stdout)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		if err := limits.write(stdout, part.name, measured); err != nil {
			return err
		}
		worse = append(worse, limits.check(part.name, measured))
	}
	if !o.check {
		return nil
	}
	return errors.Join(worse...)
}

// part is one part of the measurements, with its own bounds.
type part struct {
	name string
	run  func(context.Context, io.Writer) ([]ratio, error)
}

func (o options) parts(lab *peers.Lab) []part {
	if o.matrix {
		return []part{{"matrix", func(ctx context.Context, w io.Writer) ([]ratio, error) { return o.plan.matrix(ctx, lab, o.sizes, w) }}}
	}
	return []part{
		{"http", func(ctx context.Context, w io.Writer) ([]ratio, error) { return o.overHTTP(ctx, lab, w) }},
		{"in process", func(ctx context.Context, w io.Writer) ([]ratio, error) { return o.inProcess(ctx, lab, w) }},
	}
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{sizes: sizes{[]int{1, 100, 1_000, 10_000}, []int{10, 100, 1_000, 10_000}}}
	o.progress = func(format string, args ...any) { _, _ = fmt.Fprintf(stderr, format+"\n", args...) }
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.root, "root", "..", "Gavel's repository")
	flags.StringVar(&o.bounds, "bounds", "bounds.json", "file with the worst acceptable value of each ratio")
	flags.StringVar(&o.evaluator, "evaluator", "compiled", "evaluator of Gavel's policy: compiled, topdown or both")
	flags.BoolVar(&o.check, "check", false, "fail if a ratio is worse than its bound")
	flags.BoolVar(&o.matrix, "matrix", false, "measure only Gavel, with policies of every size")
	flags.IntVar(&o.rounds, "rounds", 5, "number of rounds; odd, because results are medians")
	flags.DurationVar(&o.closed, "closed", 600*time.Millisecond, "in each round, time for which each server receives requests as fast as it answers")
	flags.DurationVar(&o.open, "open", 2*time.Second, "in each round, time for which each server receives requests at a constant rate")
	flags.IntVar(&o.connections, "connections", 16, "number of connections to a server")
	flags.Float64Var(&o.rate, "rate", 1000, "the constant rate, in requests per second")
	flags.Func("agents", "numbers of agents in the matrix (default 1,100,1000,10000)", intoList(&o.agents, 1))
	flags.Func("entries", "numbers of allowlist entries in the matrix (default 10,100,1000,10000)", intoList(&o.entries, 10))
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.rounds < 1 || o.connections < 1 || o.rate <= 0 || o.closed <= 0 || o.open <= 0 {
		return o, errors.New("bench takes only flags, and rounds, connections, rate and durations must be above 0: see -help")
	}
	return o, nil
}

// intoList returns a function that parses comma-separated numbers, each at least minimum.
func intoList(list *[]int, minimum int) func(string) error {
	return func(text string) error {
		*list = nil
		for word := range strings.SplitSeq(text, ",") {
			number, err := strconv.Atoi(word)
			if err != nil || number < minimum {
				return fmt.Errorf("%q is not a number of at least %d", word, minimum)
			}
			*list = append(*list, number)
		}
		return nil
	}
}
