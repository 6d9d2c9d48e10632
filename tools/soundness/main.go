//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := check(ctx)
	stop()
	os.Exit(code)
}

// options are the command-line options.
type options struct {
	campaign
	corpus, regressions string
	save                bool
	write               string
}

func parse() options {
	var o options
	var long bool
	var wanted, most string
	flag.IntVar(&o.n, "n", 2000, "commands to generate")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the generator; the same seed gives the same commands")
	flag.BoolVar(&long, "long", false, "200,000 commands")
	flag.StringVar(&wanted, "shells", "", "shells, such as bash,dash,zsh,mksh,ash (default: all that are installed)")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "number of commands at a time")
	flag.StringVar(&o.corpus, "corpus", "tools/soundness/testdata/corpus.jsonl", "commands to mutate")
	flag.StringVar(&o.regressions, "regressions", "analyzer/testdata/soundness.jsonl", "file of commands that escaped before, which run first")
	flag.BoolVar(&o.save, "save", false, "add commands that escape to the regressions")
	flag.StringVar(&o.write, "write", "", "only write the commands as calls, and the policy, below this directory, to compare the decisions of two builds")
	flag.StringVar(&most, "confine", "root", "the strongest confinement to use: root, user, chroot or bare; weaker where the machine does not support it")
	flag.BoolVar(&o.runner, "runner", false, "in bash, run the text that gavel run makes of exec.command when it must run every program from a copy")
	flag.StringVar(&o.gavel, "gavel", "", "the program gavel: run commands through gavel run instead of a shell; runs are not confined")
	flag.Parse()
	if o.gavel != "" {
		most = "bare"
	}
	o.maxConfinement = map[string]confinement{"root": root, "user": user, "chroot": chrooted}[most]
	if long {
		o.n = 200_000
	}
	if wanted != "" {
		o.shells = strings.Split(wanted, ",")
	}
	o.progress = func(text string) { fmt.Print(text) }
	return o
}

// check runs one campaign and returns the exit code.
func check(ctx context.Context) int {
	o := parse()
	var err error
	if o.campaign.corpus, err = readCommands(o.corpus); err == nil {
		o.first, err = readQueries(o.regressions)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soundness:", err)
		return 2
	}
	if o.write != "" {
		if err := o.writeCalls(ctx, o.write); err != nil {
			fmt.Fprintln(os.Stderr, "soundness:", err)
			return 2
		}
		return 0
	}
	start := time.Now()
	found, err := o.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soundness:", err)
		return 2
	}
	fmt.Printf("shells     %s", strings.Join(found.shells, ", "))
	if len(found.missing) > 0 {
		fmt.Printf(" (not installed: %s; see make soundness-tools)", strings.Join(found.missing, ", "))
	}
	fmt.Printf("\nroots      %s\nseed       %d, in %s\n", found.level, o.seed, time.Since(start).Round(time.Second))
	found.tally.report(os.Stdout)
	fmt.Printf("escapes    %d of exec.command, %d of the original text, which is not promised\n", len(found.escapes), len(found.originals))
	if len(found.escapes) == 0 {
		return 0
	}
	if o.save {
		if err := save(o.regressions, found.escapes, o.seed); err != nil {
			fmt.Fprintln(os.Stderr, "soundness:", err)
			return 2
		}
	}
	return 1
}
