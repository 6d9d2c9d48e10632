package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"gavel/bench/peers"
)

// sizes describes the policies of the matrix: every combination of the two lists.
type sizes struct{ agents, entries []int }

// matrix measures Gavel with policies of every size, with and without a decision log, over TCP
// and over the unix socket, with and without reloads. The variants of one size run at the same time
// and take turns.
func (p plan) matrix(ctx context.Context, lab *peers.Lab, s sizes, w io.Writer) ([]ratio, error) {
	var all []row
	for _, agents := range s.agents {
		for _, entries := range s.entries {
			size := peers.Size{Agents: agents, Entries: entries}
			p.progress("%s", sizeName(size))
			list, err := p.measureSize(ctx, lab, size, w)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", sizeName(size), err)
			}
			all = append(all, list...)
		}
	}
	return matrixRatios(all, s), writeTable(w, all)
}

func sizeName(size peers.Size) string {
	return fmt.Sprintf("%d agents, %d allowlist entries", size.Agents, size.Entries)
}

func (p plan) measureSize(ctx context.Context, lab *peers.Lab, size peers.Size, w io.Writer) ([]row, error) {
	var servers []peers.Server
	for _, o := range variants(size) {
		servers = append(servers, lab.Gavel(variantName(o), o))
	}
	processes, stop, err := p.start(ctx, lab, servers)
	defer stop()
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(w, sizeName(size)); err != nil {
		return nil, err
	}
	if err := writeStarts(w, processes[:1]); err != nil { // the others start in the same way
		return nil, err
	}
	list, err := cells(ctx, lab, processes)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c *cell) bool { return c.name != peers.ExecEachNew })
	if err := p.measure(ctx, list); err != nil {
		return nil, err
	}
	for _, c := range list {
		c.name = sizeName(size)
	}
	return rows(list), nil
}

func variants(size peers.Size) []peers.GavelOptions {
	var list []peers.GavelOptions
	for _, log := range []bool{false, true} {
		for _, unix := range []bool{false, true} {
			for _, reload := range []time.Duration{0, 2 * time.Second} {
				list = append(list, peers.GavelOptions{Size: size, Log: log, Unix: unix, Reload: reload})
			}
		}
	}
	return list
}

func variantName(o peers.GavelOptions) string {
	log, way, policy := "no log", "tcp", "steady"
	if o.Log {
		log = "log"
	}
	if o.Unix {
		way = "unix"
	}
	if o.Reload > 0 {
		policy = "reloading"
	}
	return log + ", " + way + ", " + policy
}

// matrixRatios compares the extremes: the smallest policy with those that are largest in one
// dimension, and all other variants with the largest policy.
func matrixRatios(all []row, s sizes) []ratio {
	fewest, most := slices.Min(s.agents), slices.Max(s.agents)
	shortest, longest := slices.Min(s.entries), slices.Max(s.entries)
	of := func(agents, entries int, variant string) row {
		r, _ := find(all, sizeName(peers.Size{Agents: agents, Entries: entries}), variant)
		return r
	}
	const steady, reloads, logs, unix = "no log, tcp, steady", "no log, tcp, reloading", "log, tcp, steady", "no log, unix, steady"
	small, large := of(fewest, shortest, steady), of(most, longest, steady)
	return []ratio{
		{"requests/s, most / fewest agents", of(most, shortest, steady).rate / small.rate},
		{"requests/s, longest / shortest allowlist", of(fewest, longest, steady).rate / small.rate},
		{"requests/s, log / no log", of(most, longest, logs).rate / large.rate},
		{"requests/s, unix / tcp", of(most, longest, unix).rate / large.rate},
		{"p99, reloading / steady, smallest policy", float64(of(fewest, shortest, reloads).p99) / float64(small.p99)},
		{"p99, reloading / steady, largest policy", float64(of(most, longest, reloads).p99) / float64(large.p99)},
	}
}
