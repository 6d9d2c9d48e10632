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

// warmUp is the fraction of the time before growth is measured: one third.
const warmUp = 3

// soak is one run.
type soak struct {
	server  *served
	book    *ledger
	desk    *desk
	corpus  []call
	length  time.Duration
	began   time.Time
	changes atomic.Int64 // of the policy on disk
	samples []sample     // after the warm-up; only the sampling goroutine uses it until that goroutine ends
	last    sample
	before  sample // at rest
	after   sample
}

// run soaks a server in dir, writes the report, and returns every problem.
func run(ctx context.Context, dir string, length time.Duration) ([]string, error) {
	calls, err := corpus()
	if err != nil {
		return nil, err
	}
	server, err := serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &soak{server: server, book: newLedger(), corpus: calls, length: length,
		desk: &desk{open: map[string]gavel.Answer{}}}
	if s.before, err = s.atRest(); err != nil {
		return nil, errors.Join(err, server.stop())
	}
	s.began = time.Now()
	s.work(ctx)
	server.verifier.close() // with it, connections that are kept for the next question
	if s.after, err = s.atRest(); err != nil {
		s.book.wrong(requestFailed, "%s", err)
	}
	stopped := server.stop()
	if ctx.Err() != nil {
		return nil, errors.New("interrupted")
	}
	return s.conclude(stopped), nil
}

// work does everything at once until the time is over or the server has exited. It finishes
// what it has started: questions are answered until the last one.
func (s *soak) work(ctx context.Context) {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	working, done := context.WithTimeout(serving, s.length)
	defer done()
	go func() {
		<-s.server.ended
		done()
	}()
	var people, others, asking sync.WaitGroup
	people.Go(func() { s.operate(serving, s.client(true, "approve")) })
	for i := range 3 {
		others.Go(func() { s.send(working, s.client(false, "gateway"), i*len(s.corpus)/5, asIs) })
	}
	others.Go(func() { s.send(working, s.client(true, "gateway"), 3*len(s.corpus)/5, asIs) })
	others.Go(func() { s.send(working, s.client(true, ""), 4*len(s.corpus)/5, claimless) })
	others.Go(func() { s.listen(working, s.client(false, "approve")) })
	for i := range manners() {
		others.Go(func() { s.askVerifier(working, s.client(false, "gateway"), i) })
	}
	others.Go(func() { s.changePolicy(working) })
	others.Go(func() { s.watch(working, s.client(false, "admin")) })
	for i := range askers {
		asking.Go(func() { s.askPeople(working, i) })
	}
	others.Wait()
	asking.Wait()
	stop()
	people.Wait()
}

// progress prints how far the run has come.
func (s *soak) progress(at sample) {
	sum := s.book.sum()
	fmt.Printf("%6s  %7d calls  %5.0f reloads  %5d answers used  %4.0f MiB heap  %4.0f goroutines  %d problems\n",
		at.at.Round(time.Second), sum.calls, at.reloads, sum.used, at.heap, at.goroutines, sum.faults)
}
