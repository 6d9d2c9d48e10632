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

// How the clients work. They leave the server part of the machine, as real callers would. The
// benchmarks measure maximum speed.
const (
	restAfterCall = 20 * time.Millisecond
	probeEvery    = 4  // one request in this many is a probe
	batchEvery    = 10 // one request in this many is a batch
	batchSize     = 8
	askEvery      = 8 // one command in this many is sent by an agent whose commands need approval
)

// environment is a gateway's claim about a machine with these programs.
func environment(programs map[string]bool) *gavel.Environment {
	e := &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Platform: "linux", Executables: map[string]string{}}
	for name := range programs {
		e.Executables[name] = path.Join("/usr/bin", path.Base(name))
	}
	return e
}

// corpus reads the calls to send: the analyzer's commands, and calls of other tools.
func corpus() ([]call, error) {
	var list []call
	programs := map[string]bool{"rm": true}
	for _, name := range []string{"analyzer/testdata/benign.jsonl", "analyzer/testdata/bypass.jsonl"} {
		err := lines(name, func(line []byte) error {
			var entry struct {
				ID, Command string
				Bins        []string `json:"bins"`
				AllowedBins []string `json:"allowed_bins"`
			}
			err := json.Unmarshal(line, &entry)
			for _, name := range append(entry.Bins, entry.AllowedBins...) {
				programs[name] = true
			}
			list = append(list, call{Call: execCall(agentOf(len(list)), entry.ID, entry.Command)})
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
	err := lines("testdata/calls.jsonl", func(line []byte) error {
		var one call
		list = append(list, one)
		return json.Unmarshal(line, &list[len(list)-1].Call)
	})
	return list, err
}

func agentOf(n int) string {
	if n%askEvery == 0 {
		return asker
	}
	return "coder"
}

func execCall(agent, id, command string) gavel.Call {
	return gavel.Call{ID: id, Agent: gavel.Agent{ID: agent}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}
}

// lines reads a file of JSON lines. An empty file is an error, because nothing would be sent.
func lines(name string, read func([]byte) error) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%w: run it where go.mod is", err)
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

// claimless returns the call without claims, as a caller other than a gateway may send it.
func claimless(one call) call {
	one.Sender, one.Environment = nil, nil
	one.Model, one.Group = gavel.Model{}, gavel.Group{}
	one.Agent = gavel.Agent{ID: one.Agent.ID}
	return one
}

// send sends the corpus and probes, one after the other and in batches, until ctx ends. Each
// client begins at a different position.
func (s *soak) send(ctx context.Context, c *client, begin int, prepare func(call) call) {
	defer c.close()
	next := func(n int) call {
		if n%probeEvery == 0 {
			return probe(n / probeEvery)
		}
		return prepare(s.corpus[(begin+n)%len(s.corpus)])
	}
	for n := 0; pause(ctx, restAfterCall); n++ {
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

// listen receives approval events for a while, and disconnects in the middle.
func (s *soak) listen(ctx context.Context, c *client) {
	const stay = time.Second
	for ctx.Err() == nil {
		brief, cancel := context.WithTimeout(ctx, stay)
		answer, err := c.open(brief, "GET", "/v1/approvals/events", nil)
		if err != nil && brief.Err() == nil {
			s.book.wrong(requestFailed, "GET /v1/approvals/events: %s", err)
		}
		if err == nil {
			events := 0
			for text := bufio.NewScanner(answer.Body); text.Scan(); {
				if bytes.HasPrefix(text.Bytes(), []byte("event: ")) {
					events++
				}
			}
			s.book.heard(events)
			_ = answer.Body.Close() // cut off on purpose
			if brief.Err() == nil {
				s.book.wrong(requestFailed, "GET /v1/approvals/events: %s, and it ended by itself", answer.Status)
			}
		}
		cancel()
		c.close()
	}
}

// pause waits, and returns false once ctx has ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// asIs returns the call unchanged, as a gateway sends it.
func asIs(one call) call { return one }
