// Command hostcheck tests Gavel's hooks in real hosts. It installs the hosts from npm below
// build/hosts, installs Gavel's hooks with gavel install, each in its own home directory, and
// lets a scripted model make calls. The file that a call would create shows whether it ran.
// Everything listens on loopback, and hosts get a proxy that refuses everything.
//
//	go run ./tools/hostcheck [-hosts claude-code,codex] [-cells allowed,dead] [-page docs/hosts/measured.md]
//	go run ./tools/hostcheck -short
//
// What npm does not serve here is named, with the reason, and is not a failure. It is a failure if a
// cell is not as it should be.
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

// shortly limits when -short begins to fetch a host, or to run a cell.
const shortly = 5 * time.Minute

func check(ctx context.Context) error {
	only := flag.String("hosts", "", "hosts to run, separated by commas (default: all)")
	cellNames := flag.String("cells", "", "cells to run, separated by commas (default: all)")
	short := flag.Bool("short", false, "the cells that prove most, in the hosts that start fast, two at once")
	page := flag.String("page", "", "file to write the table to, with the last result of each cell")
	keep := flag.Bool("keep", false, "keep the directories of the runs")
	built := flag.Bool("built", false, "use what an earlier run built")
	mcp := flag.Bool("mcp", false, "be an MCP server with the tool write_file, on standard input and output")
	flag.Parse()
	if *mcp {
		return serveMCP(os.Stdin, os.Stdout)
	}
	tools, err := prepare(ctx, *built)
	if err != nil {
		return err
	}
	s := &session{tools: tools, keep: *keep, atOnce: 1, say: func(line string) { fmt.Println(line) }}
	if *short {
		s.atOnce, s.until = 2, time.Now().Add(shortly)
	}
	for _, host := range hosts() {
		if chosen(*only, host.name) && !(*short && host.slow) {
			s.plans = append(s.plans, plan{host, cellsOf(host, *cellNames, *short)})
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
	return s.verdict()
}

func chosen(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// cellsOf are the cells to run in a host.
func cellsOf(h host, names string, short bool) []cell {
	return slices.DeleteFunc(cells(), func(c cell) bool {
		return !chosen(names, c.name) || !h.has(c) || short && !c.inShort(h)
	})
}
