package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// What an attacker may do to a victim. The attacker is a separate process on the same cores as
// the server and the victims, so its own work counts, too. A latency below noticed is too short
// for anyone to notice. A short run is part of the gate and may share a busy machine with other
// work; it only finds victims that are not served.
const (
	slower      = 3 // times the victim's 99th percentile without the attacker
	noticed     = 75 * time.Millisecond
	inShort     = 5 * time.Second  // in a short run
	enough      = 30 * time.Second // a siege of at least this length is not a short run
	mostMemory  = 300.0            // MiB resident
	victimRests = 5 * time.Millisecond
)

// siege is one attack on a separate server while victims send requests as usual.
type siege struct {
	server      *served
	book        *ledger
	quiet, hard []time.Duration // latencies of the victims
	ids         []string        // of the decisions that the victims received
	memory      float64         // maximum, in MiB
	requests    int             // of the attacker
	length      time.Duration
}

// besiege measures the victims first without the attacker, then for the same time with it, and
// returns every problem.
func besiege(ctx context.Context, dir string, length time.Duration) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create a directory for the server's files: %w", err)
	}
	server, err := serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &siege{server: server, book: newLedger(), length: length}
	s.quiet = s.victim(ctx, length)
	watching, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	working.Go(func() { s.watchMemory(watching) })
	enemy, err := s.enemy()
	if err == nil {
		s.hard = s.victim(ctx, length)
		s.requests, err = enemy.end()
	}
	stop()
	working.Wait()
	stopped := server.stop()
	if err != nil {
		return nil, errors.Join(err, stopped)
	}
	problems := s.verdict()
	if stopped != nil {
		problems = append(problems, stopped.Error())
	}
	return problems, nil
}

// client returns a client with its own connections.
func (s *siege) client(scope string) *client {
	return (&soak{server: s.server, book: s.book}).client(false, scope)
}

// victim sends requests one after the other, as a gateway does, and returns their latencies.
func (s *siege) victim(ctx context.Context, length time.Duration) (took []time.Duration) {
	c := s.client("gateway")
	defer c.close()
	working, done := context.WithTimeout(ctx, length)
	defer done()
	for n := 0; pause(working, victimRests); n++ {
		one := call{Call: execCall("coder", "", fmt.Sprintf("rg -n TODO src/%d", n%50))}
		one.Environment = environment(map[string]bool{"rg": true})
		began := time.Now()
		if d, ok := c.decide(one); ok {
			took, s.ids = append(took, time.Since(began)), append(s.ids, d.ID)
		}
	}
	return took
}

// watchMemory records the largest resident size.
func (s *siege) watchMemory(ctx context.Context) {
	for pause(ctx, 100*time.Millisecond) {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.server.cmd.Process.Pid), "statm"))
		var pages float64
		if err != nil {
			return
		}
		if _, err := fmt.Sscanf(string(text), "%f %f", new(float64), &pages); err == nil {
			s.memory = max(s.memory, pages*float64(os.Getpagesize())/mebibyte)
		}
	}
}

// verdict writes the report and returns the broken bounds.
func (s *siege) verdict() []string {
	problems := s.book.problems()
	at := func(list []time.Duration, part int) time.Duration {
		if len(list) == 0 {
			return 0
		}
		slices.Sort(list)
		return list[min(len(list)-1, len(list)*part/100)]
	}
	quiet, hard := at(s.quiet, 99), at(s.hard, 99)
	fmt.Printf("attacker     %d requests; victims: p50 %s, p99 %s without it (%d), p50 %s, p99 %s beside it (%d); %.0f MiB resident at most\n", s.requests,
		rounded(at(s.quiet, 50)), rounded(quiet), len(s.quiet), rounded(at(s.hard, 50)), rounded(hard), len(s.hard), s.memory)
	most := max(slower*quiet, noticed)
	if s.length < enough {
		most = max(most, inShort)
	}
	if hard > most {
		problems = append(problems, fmt.Sprintf("beside the attacker a victim's p99 is %s, without it %s", hard, quiet))
	}
	if s.memory > mostMemory {
		problems = append(problems, fmt.Sprintf("%.0f MiB were resident, more than %.0f", s.memory, mostMemory))
	}
	if len(s.quiet) < 5 || len(s.hard) < 5 || s.requests < 5 {
		problems = append(problems, "too little happened beside the attacker")
	}
	return append(problems, s.missing()...)
}

// missing returns the victims' decisions that are not in the log.
func (s *siege) missing() []string {
	files, _ := filepath.Glob(filepath.Join(s.server.state, "decisions*")) // the pattern is valid
	known := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return []string{err.Error()}
		}
		for line := range bytes.Lines(text) {
			var event struct {
				ID string `json:"decision_id"`
			}
			if json.Unmarshal(line, &event) == nil {
				known[event.ID] = true
			}
		}
	}
	lost := 0
	for _, id := range s.ids {
		if !known[id] {
			lost++
		}
	}
	if lost > 0 {
		return []string{fmt.Sprintf("%d of %d decisions of victims are not in the log", lost, len(s.ids))}
	}
	return nil
}
