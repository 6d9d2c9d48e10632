package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gavel/bench/load"
	"gavel/bench/peers"
)

// plan describes the requests that servers receive.
type plan struct {
	rounds       int
	closed, open time.Duration // of a turn: as fast as the server answers, and at a constant rate
	connections  int
	rate         float64 // of the open loop, in requests a second
	progress     func(format string, args ...any)
}

// cell is one server with one case.
type cell struct {
	process *peers.Process
	target  load.Target
	name    string // of the case
	turns   []turn
}

// turn contains the measurements of a cell in one round.
type turn struct {
	closed load.Result
	open   *load.Result // nil if the server cannot keep up, because latencies would then only depend on the duration
	memory int64
	used   peers.Usage // by the closed loop
}

// cells pairs servers with their cases, one case after the other.
func cells(ctx context.Context, lab *peers.Lab, processes []*peers.Process) ([]*cell, error) {
	var list []*cell
	for _, c := range peers.Cases() {
		for _, p := range processes {
			if !p.Supports(c) {
				continue
			}
			target, err := p.Target(ctx, lab, c)
			if err != nil {
				return nil, err
			}
			list = append(list, &cell{process: p, target: target, name: c.Name})
		}
	}
	return list, nil
}

// measure gives every cell one turn per round, so that disturbances affect all cells equally.
func (p plan) measure(ctx context.Context, list []*cell) error {
	for round := range p.rounds {
		p.progress("round %d of %d", round+1, p.rounds)
		for _, c := range list {
			t, err := p.turn(ctx, c)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.process.Name, c.name, err)
			}
			c.turns = append(c.turns, t)
		}
	}
	return nil
}

func (p plan) turn(ctx context.Context, c *cell) (turn, error) {
	if len(c.turns) == 0 { // fills caches
		if _, err := load.Closed(ctx, c.target, p.connections, p.closed/4); err != nil {
			return turn{}, err
		}
	}
	before, err := c.process.Usage(ctx)
	if err != nil {
		return turn{}, err
	}
	closed, err := load.Closed(ctx, c.target, p.connections, p.closed)
	if err != nil {
		return turn{}, err
	}
	after, err := c.process.Usage(ctx)
	if err != nil {
		return turn{}, err
	}
	t := turn{closed: closed, used: after.Minus(before)}
	if closed.Rate() > p.rate {
		if err := p.latency(ctx, c, &t); err != nil {
			return turn{}, err
		}
	}
	t.memory, err = c.process.Resident()
	return t, err
}

func (p plan) latency(ctx context.Context, c *cell, t *turn) error {
	stop, err := c.process.StartReloads(ctx)
	if err != nil {
		return err
	}
	open, err := load.Open(ctx, c.target, p.connections, p.rate, p.open)
	t.open = &open
	return errors.Join(err, stop())
}

// median returns the middle value, the upper one of the two if their number is even, and 0 if there
// are none.
func median[T int64 | float64 | time.Duration](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
