package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"time"

	"gavel"
)

// How the clients send calls. They pause between calls, as real callers do; the benchmarks measure
// the maximum rate.
const (
	callPause  = 20 * time.Millisecond
	probeEvery = 4  // one request in this many is a probe
	batchEvery = 10 // one request in this many is a batch
	batchSize  = 8
	askEvery   = 8 // one command in this many is sent by an agent whose commands need approval
)

// environment returns the environment that a gateway states for a machine with these programs.
func environment(programs map[string]bool) *gavel.Environment {
	e := &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Platform: "linux", Executables: map[string]string{}}
	for name := range programs {
		e.Executables[name] = path.Join("/usr/bin", path.Base(name))
	}
	return e
}

// corpus reads the calls to send: commands of the analyzer's corpora, and calls of other tools.
func corpus() ([]call, error) {
	var list []call
	programs := map[string]bool{"rm": true}
	for _, name := range []string{"analyzer/testdata/benign.jsonl", "analyzer/testdata/bypass.jsonl"} {
		err := readLines(name, func(line []byte) error {
			var entry struct {
				ID, Command string
				Bins        []string `json:"bins"`
				AllowedBins []string `json:"allowed_bins"`
			}
			err := json.Unmarshal(line, &entry)
			for _, name := range append(entry.Bins, entry.AllowedBins...) {
				programs[name] = true
			}
			list = append(list, call{Call: execCall(agentFor(len(list)), entry.ID, entry.Command)})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	machine := environment(programs)
	for i := range list {
		list[i].Environment = machine
	}
	err := readLines("testdata/calls.jsonl", func(line []byte) error {
		var c call
		list = append(list, c)
		return json.Unmarshal(line, &list[len(list)-1].Call)
	})
	return list, err
}

func agentFor(n int) string {
	if n%askEvery == 0 {
		return approvalAgent
	}
	return "coder"
}

func execCall(agent, id, command string) gavel.Call {
	return gavel.Call{ID: id, Agent: gavel.Agent{ID: agent}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}
}

// readLines calls a function for each line of a file. An empty file is an error.
func readLines(name string, read func([]byte) error) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%w: run soak in the root of the repository", err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		if err := read(line); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		n++
	}
	if n == 0 {
		return fmt.Errorf("%s is empty", name)
	}
	return nil
}

// probe returns the nth probe.
func probe(n int) call {
	all := probes()
	name := all[n%len(all)]
	return call{Call: gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: name}}, probe: name}
}

// withoutClaims returns the call without claims, which only a gateway may make.
func withoutClaims(c call) call {
	c.Sender, c.Environment = nil, nil
	c.Model, c.Group = gavel.Model{}, gavel.Group{}
	c.Agent = gavel.Agent{ID: c.Agent.ID}
	return c
}

// sendCorpus sends calls of the corpus and probes, alone and in batches, until ctx ends. It begins
// with the call at index begin.
func (s *soak) sendCorpus(ctx context.Context, c *client, begin int, prepare func(call) call) {
	defer c.close()
	next := func(n int) call {
		if n%probeEvery == 0 {
			return probe(n / probeEvery)
		}
		return prepare(s.corpus[(begin+n)%len(s.corpus)])
	}
	for n := 0; pause(ctx, callPause); n++ {
		if n%batchEvery != 0 {
			c.decide(next(n))
			continue
		}
		list := []call{probe(0), probe(1)}
		for i := range batchSize {
			list = append(list, next(n+i))
		}
		c.decideAll(append(list, probe(0), probe(1)))
	}
}

// listenToEvents receives approval events until ctx ends. It disconnects every second, possibly in
// the middle of an event.
func (s *soak) listenToEvents(ctx context.Context, c *client) {
	for ctx.Err() == nil {
		connection, cancel := context.WithTimeout(ctx, time.Second)
		answer, err := c.sendJSON(connection, "GET", "/v1/approvals/events", nil)
		if err != nil && connection.Err() == nil {
			s.ledger.report(requestFailed, "GET /v1/approvals/events: %s", err)
		}
		if err == nil {
			events := 0
			for text := bufio.NewScanner(answer.Body); text.Scan(); {
				if bytes.HasPrefix(text.Bytes(), []byte("event: ")) {
					events++
				}
			}
			s.ledger.recordEvents(events)
			_ = answer.Body.Close() // incomplete on purpose
			if connection.Err() == nil {
				s.ledger.report(requestFailed, "GET /v1/approvals/events: %s, and the server ended the stream", answer.Status)
			}
		}
		cancel()
		c.close()
	}
}

// pause waits for d and returns true, or returns false when ctx ends.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// unchanged returns the call as a gateway sends it.
func unchanged(c call) call { return c }
