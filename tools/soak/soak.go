package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gavel"
)

// warmUp is 3, because growth is measured after the first third of the time.
const warmUp = 3

// soak is one run of the soak test.
type soak struct {
	server  *serverProcess
	ledger  *ledger
	plan    *answerPlan
	corpus  []call
	length  time.Duration
	start   time.Time
	changes atomic.Int64 // of the policy on disk
	samples []sample     // after the warm-up; belongs to the goroutine of watch while it runs
	last    sample
	before  sample // at rest
	after   sample
}

// run runs the soak test in dir, prints the report and returns all problems.
func run(ctx context.Context, dir string, length time.Duration) ([]string, error) {
	calls, err := corpus()
	if err != nil {
		return nil, err
	}
	server, err := startServer(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &soak{server: server, ledger: newLedger(), corpus: calls, length: length,
		plan: &answerPlan{open: map[string]gavel.Answer{}}}
	if s.before, err = s.atRest(); err != nil {
		return nil, errors.Join(err, server.stop())
	}
	s.start = time.Now()
	s.work(ctx)
	server.verifier.close() // and with it the server's idle connections to it
	if s.after, err = s.atRest(); err != nil {
		s.ledger.report(requestFailed, "%s", err)
	}
	stopped := server.stop()
	if ctx.Err() != nil {
		return nil, errors.New("interrupted")
	}
	return s.conclude(stopped), nil
}

// work runs the load until the time is over or the server has exited. It finishes what it has
// started: the operator answers questions until the last one has ended.
func (s *soak) work(ctx context.Context) {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	working, done := context.WithTimeout(serving, s.length)
	defer done()
	go func() {
		<-s.server.exited
		done()
	}()
	var people, others, asking sync.WaitGroup
	people.Go(func() { s.answerQuestions(serving, s.client(true, "approve")) })
	for i := range 3 {
		others.Go(func() { s.sendCorpus(working, s.client(false, "gateway"), i*len(s.corpus)/5, unchanged) })
	}
	others.Go(func() { s.sendCorpus(working, s.client(true, "gateway"), 3*len(s.corpus)/5, unchanged) })
	others.Go(func() { s.sendCorpus(working, s.client(true, ""), 4*len(s.corpus)/5, withoutClaims) })
	others.Go(func() { s.listenToEvents(working, s.client(false, "approve")) })
	for i := range verifierModes() {
		others.Go(func() { s.askVerifier(working, s.client(false, "gateway"), i) })
	}
	others.Go(func() { s.changePolicy(working) })
	others.Go(func() { s.watch(working, s.client(false, "admin")) })
	for i := range concurrentQuestions {
		asking.Go(func() { s.askQuestions(working, i) })
	}
	others.Wait()
	asking.Wait()
	stop()
	people.Wait()
}

// progress prints a line with the state of the run.
func (s *soak) progress(at sample) {
	t := s.ledger.totals()
	fmt.Printf("%6s  %7d calls  %5.0f reloads  %5d answers used  %4.0f MiB heap  %4.0f goroutines  %d problems\n",
		at.at.Round(time.Second), t.calls, at.reloads, t.used, at.heap, at.goroutines, t.failures)
}
