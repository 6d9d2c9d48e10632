// Package load asks an HTTP server questions and measures how long the answers take.
//
// [Open] sends at a constant rate, whatever the server does, and counts each latency
// from the moment at which the request was due. A server that stalls for a second
// therefore shows that second in every request that was due in the meantime; a loop that
// waits for its answers before it asks again would show it once. [Closed] is that
// loop, and measures how many answers a second there are.
package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/valyala/fasthttp"
)

// Target is a server, and the requests for it.
type Target struct {
	Network string // tcp or unix
	Address string // host:port, or the path of the socket
	Path    string // such as /v1/decisions; requests are POSTs of JSON
	Token   string // of the header Authorization; "" sends none
	// Body appends the body of request n. It is called by several goroutines.
	Body func(buffer []byte, n uint64) []byte
	// Want is a part of every right answer. Any other answer ends the measurement.
	Want []byte
}

// Result is what was measured.
type Result struct {
	Latency *hdrhistogram.Histogram // in nanoseconds, from 1 µs to a minute, three digits
	Took    time.Duration
}

// Rate is the number of answers in a second.
func (r Result) Rate() float64 { return float64(r.Latency.TotalCount()) / r.Took.Seconds() }

// Percentile is the latency that a part of the requests, such as 99.9 in 100, stays within.
func (r Result) Percentile(percent float64) time.Duration {
	return time.Duration(r.Latency.ValueAtPercentile(percent))
}

// NewResult is one that has measured nothing.
func NewResult() Result {
	return Result{Latency: hdrhistogram.New(int64(time.Microsecond), int64(time.Minute), 3)}
}

// Add puts the latencies and the time of another result to those that are there.
func (r *Result) Add(other Result) {
	r.Latency.Merge(other.Latency)
	r.Took += other.Took
}

// Closed asks over so many connections as fast as the answers come.
func Closed(ctx context.Context, t Target, connections int, length time.Duration) (Result, error) {
	var next atomic.Uint64
	start := time.Now()
	end := start.Add(length)
	return each(connections, start, func(c *connection) error {
		for sent := time.Now(); sent.Before(end) && ctx.Err() == nil; sent = time.Now() {
			if err := c.ask(next.Add(1), sent); err != nil {
				return err
			}
		}
		return ctx.Err()
	}, t)
}

// Open asks at a constant rate, in requests a second, over so many connections. A
// request that finds none free waits for one, and its latency goes on counting.
func Open(ctx context.Context, t Target, connections int, rate float64, length time.Duration) (Result, error) {
	total := int(rate * length.Seconds())
	due := make(chan time.Time, total) // never full: the clock does not wait for the server
	// The goroutine that keeps the clock blocks in a system call, and takes a
	// processor of Go's scheduler with it.
	processors := runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	defer runtime.GOMAXPROCS(processors)
	sending, stop := context.WithCancel(ctx)
	defer stop()
	start := time.Now()
	go func() {
		defer close(due)
		runtime.LockOSThread()
		for n := range total {
			moment := start.Add(time.Duration(float64(n) / rate * float64(time.Second)))
			sleepUntil(moment)
			if sending.Err() != nil {
				return
			}
			due <- moment
		}
	}()
	var next atomic.Uint64
	return each(connections, start, func(c *connection) error {
		for moment := range due {
			if err := c.ask(next.Add(1), moment); err != nil {
				stop()
				return err
			}
		}
		return ctx.Err()
	}, t)
}

// Once asks one question over a connection of its own, and waits for ten seconds at most.
func Once(t Target) error {
	c := connect(t)
	c.client.ReadTimeout = 10 * time.Second
	defer c.client.CloseIdleConnections()
	return c.ask(0, time.Now())
}

// each runs a function for every connection and puts together what they measured.
func each(connections int, start time.Time, run func(*connection) error, t Target) (Result, error) {
	list, failures := make([]*connection, connections), make([]error, connections)
	var running sync.WaitGroup
	for i := range list {
		list[i] = connect(t)
		running.Go(func() { failures[i] = run(list[i]) })
	}
	running.Wait()
	result := NewResult()
	result.Took = time.Since(start)
	for _, c := range list {
		c.client.CloseIdleConnections()
		result.Latency.Merge(c.latency)
	}
	return result, errors.Join(failures...)
}

// connection is one connection to the target. It is opened by the first request.
type connection struct {
	target   Target
	client   *fasthttp.HostClient
	request  fasthttp.Request
	response fasthttp.Response
	latency  *hdrhistogram.Histogram
	body     []byte
}

func connect(t Target) *connection {
	c := &connection{target: t, latency: NewResult().Latency, client: &fasthttp.HostClient{
		Addr: t.Address, MaxConns: 1, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
		Dial: func(string) (net.Conn, error) { return net.Dial(t.Network, t.Address) },
	}}
	c.request.Header.SetMethod(http.MethodPost)
	c.request.SetRequestURI("http://localhost" + t.Path)
	c.request.Header.SetContentType("application/json")
	if t.Token != "" {
		c.request.Header.Set("Authorization", "Bearer "+t.Token)
	}
	return c
}

// ask sends request n and records how long ago it was due when the answer is there.
func (c *connection) ask(n uint64, due time.Time) error {
	c.body = c.target.Body(c.body[:0], n)
	c.request.SetBodyRaw(c.body)
	if err := c.client.Do(&c.request, &c.response); err != nil {
		return fmt.Errorf("request %d: %w", n, err)
	}
	took := time.Since(due)
	answer := c.response.Body()
	if c.response.StatusCode() != http.StatusOK || !bytes.Contains(answer, c.target.Want) {
		return fmt.Errorf("request %d: status %d without %s: %.500s", n, c.response.StatusCode(), c.target.Want, answer)
	}
	if err := c.latency.RecordValue(int64(took)); err != nil {
		return fmt.Errorf("request %d took %s: %w", n, took, err)
	}
	return nil
}
