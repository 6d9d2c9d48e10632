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
	flag.StringVar(&wanted, "shells", "", "which shells, such as bash,dash,zsh,mksh,ash; all that are installed when empty")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "commands at a time")
	flag.StringVar(&o.corpus, "corpus", "tools/soundness/testdata/corpus.jsonl", "commands to mutate")
	flag.StringVar(&o.regressions, "regressions", "analyzer/testdata/soundness.jsonl", "commands that escaped before, which run first")
	flag.BoolVar(&o.save, "save", false, "add what escapes to the regressions")
	flag.StringVar(&o.write, "write", "", "run nothing: write the commands as calls, and the policy, below this directory, for gavel decide of two builds")
	flag.StringVar(&most, "confine", "root", "the strongest confinement to use: root, user, chroot or bare; weaker where the machine does not support it")
	flag.BoolVar(&o.runner, "runner", false, "run in bash what gavel run makes of exec.command for programs that others could replace")
	flag.StringVar(&o.gavel, "gavel", "", "the program gavel: run each command through gavel run, in roots that are not confined")
	flag.Parse()
	if o.gavel != "" {
		most = "bare"
	}
	o.most = map[string]confinement{"root": root, "user": user, "chroot": chrooted}[most]
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
	if o.campaign.corpus, err = commands(o.corpus); err == nil {
		o.first, err = questions(o.regressions)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soundness:", err)
		return 2
	}
	if o.write != "" {
		if err := o.calls(ctx, o.write); err != nil {
			fmt.Fprintln(os.Stderr, "soundness:", err)
			return 2
		}
		return 0
	}
	began := time.Now()
	found, err := o.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soundness:", err)
		return 2
	}
	fmt.Printf("shells     %s", strings.Join(found.shells, ", "))
	if len(found.missing) > 0 {
		fmt.Printf(" (not here: %s; see make soundness-tools)", strings.Join(found.missing, ", "))
	}
	fmt.Printf("\nroots      %s\nseed       %d, in %s\n", found.level, o.seed, time.Since(began).Round(time.Second))
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
