// Command hostcheck tests Gavel's hooks in real hosts. It installs the hosts from npm below
// build/hosts. For each cell it installs the hooks in a new home directory with gavel install, and
// lets a scripted model make a call. The file that the call would create shows whether it ran.
// All servers listen on loopback, and the proxy that hosts get refuses every request.
//
//	go run ./tools/hostcheck [-hosts claude-code,codex] [-cells allowed,dead] [-page docs/hosts/measured.md]
//	go run ./tools/hostcheck -short
//
// A host that cannot be installed is skipped, and the output says why. hostcheck fails if the
// result of a cell is not the expected one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := 0
	if err := check(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hostcheck:", err)
		code = 1
	}
	stop()
	os.Exit(code)
}

// shortBudget is the time after which -short starts no further installation or cell.
const shortBudget = 5 * time.Minute

func check(ctx context.Context) error {
	only := flag.String("hosts", "", "hosts to run, separated by commas (default: all)")
	cellNames := flag.String("cells", "", "cells to run, separated by commas (default: all)")
	short := flag.Bool("short", false, "only the most important cells, in the hosts that start fast, two hosts at once")
	page := flag.String("page", "", "file to write the table to, with the last result of each cell")
	keep := flag.Bool("keep", false, "keep the directories of the runs")
	built := flag.Bool("built", false, "use the programs that an earlier run built")
	mcp := flag.Bool("mcp", false, "serve MCP with the tool write_file on standard input and output")
	flag.Parse()
	if *mcp {
		return serveMCP(os.Stdin, os.Stdout)
	}
	tools, err := newRunner(ctx, *built)
	if err != nil {
		return err
	}
	s := &session{tools: tools, keep: *keep, parallel: 1, print: func(line string) { fmt.Println(line) }}
	if *short {
		s.parallel, s.deadline = 2, time.Now().Add(shortBudget)
	}
	for _, host := range hosts() {
		if selected(*only, host.name) && !(*short && host.slow) {
			s.plans = append(s.plans, plan{host, selectCells(host, *cellNames, *short)})
		}
	}
	if err := s.run(ctx); err != nil {
		return err
	}
	if *page != "" {
		if err := tools.writePage(*page); err != nil {
			return err
		}
	}
	return s.summarize()
}

func selected(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// selectCells returns the cells to run in a host.
func selectCells(h host, names string, short bool) []cell {
	return slices.DeleteFunc(cells(), func(c cell) bool {
		return !selected(names, c.name) || !h.supports(c) || short && !c.inShort(h)
	})
}
