package main

import (
	"context"
	"fmt"
	"io"

	"gavel/bench/peers"
)

// overHTTP measures Gavel and its peers, prints the tables and returns the ratios.
func (p plan) overHTTP(ctx context.Context, lab *peers.Lab, w io.Writer) ([]ratio, error) {
	servers, err := lab.Servers()
	if err != nil {
		return nil, err
	}
	processes, stop, err := p.start(ctx, lab, servers)
	defer stop()
	if err != nil {
		return nil, err
	}
	list, err := cells(ctx, lab, processes)
	if err != nil {
		return nil, err
	}
	if err := p.measure(ctx, list); err != nil {
		return nil, err
	}
	all := rows(list)
	if err := writeTable(w, all); err != nil {
		return nil, err
	}
	if err := writeStarts(w, processes); err != nil {
		return nil, err
	}
	return append(httpRatios(all), startRatios(processes)...), nil
}

// start starts servers one after the other, because starting a server would disturb the measurement
// of others. The returned function stops them; it is never nil.
func (p plan) start(ctx context.Context, lab *peers.Lab, servers []peers.Server) (started []*peers.Process, stop func(), err error) {
	stop = func() {
		for _, process := range started {
			process.Stop()
		}
	}
	for _, server := range servers {
		p.progress("start %s", server.Name)
		process, err := lab.Start(ctx, server)
		if err != nil {
			return started, stop, err
		}
		started = append(started, process)
	}
	return started, stop, nil
}

// httpRatios compares Gavel with its peers in every case. It omits a ratio if one of the servers
// does not have the case, or could not keep up with the open loop in most rounds.
func httpRatios(all []row) []ratio {
	var ratios []ratio
	add := func(what, name, server, other string, of func(figures) float64) {
		left, _ := find(all, name, server)
		right, _ := find(all, name, other)
		if value, ok := compare(left.rounds, right.rounds, of); ok {
			ratios = append(ratios, ratio{fmt.Sprintf("%s of %s / %s, %s", what, server, other, name), value})
		}
	}
	rate := func(f figures) float64 { return f.rate }
	cpu := func(f figures) float64 { return f.cpu }
	p99 := func(f figures) float64 { return f.p99 }
	full := func(f figures) float64 { return f.fullP99 }
	for _, c := range peers.Cases() {
		add("requests/s", c.Name, peers.Gavel, peers.Echo, rate)
		add("requests/s", c.Name, peers.GavelLogs, peers.Gavel, rate)
		add("requests/s", c.Name, peers.GavelUnix, peers.Gavel, rate)
		for _, other := range []string{peers.Echo, peers.OPA, peers.OPATuned, peers.OPAEmbedded, peers.CedarEmbedded} {
			add("CPU", c.Name, peers.Gavel, other, cpu)
		}
		add("CPU", c.Name, peers.GavelLogs, peers.Gavel, cpu)
		add("p99", c.Name, peers.Gavel, peers.Echo, p99)
		add("p99", c.Name, peers.Gavel, peers.OPATuned, p99)
		add("p99", c.Name, peers.GavelReloads, peers.Gavel, p99)
		add("p99", c.Name, peers.ModulesReload, peers.GavelModules, p99)
		add("p99", c.Name, peers.ModulesRego, peers.GavelModules, p99)
		add("p99 at full load", c.Name, peers.Gavel, peers.Echo, full)
		add("p99 at full load", c.Name, peers.Gavel, peers.OPATuned, full)
		add("p99 at full load", c.Name, peers.GavelLogs, peers.OPATuned, full)
	}
	return ratios
}

// compare returns the median of the ratios of all rounds. Both servers have their turns of a round
// shortly after one another, so load on the machine slows both. ok is false if most rounds lack one
// of the two measurements.
func compare(left, right []figures, of func(figures) float64) (value float64, ok bool) {
	var values []float64
	for i := range min(len(left), len(right)) {
		if l, r := of(left[i]), of(right[i]); l > 0 && r > 0 {
			values = append(values, l/r)
		}
	}
	return median(values), 2*len(values) > len(left)
}

func startRatios(processes []*peers.Process) []ratio {
	var gavel, opa *peers.Process
	for _, p := range processes {
		switch p.Name {
		case peers.Gavel:
			gavel = p
		case peers.OPA:
			opa = p
		}
	}
	if gavel == nil || opa == nil {
		return nil
	}
	of := fmt.Sprintf("%s / %s", gavel.Name, opa.Name)
	return []ratio{
		{"first answer of " + of, gavel.FirstAnswer.Seconds() / opa.FirstAnswer.Seconds()},
		{"memory after the start of " + of, float64(gavel.Memory) / float64(opa.Memory)},
	}
}
