// Package load is a load generator for HTTP servers.
//
// [Open] sends requests at a constant rate, whatever the server does, and measures each latency from
// the time at which the request was due. A stall of the server therefore delays every request that is
// due during it. A closed loop, which waits for each answer before it sends the next request, would
// show the stall only once. [Closed] is such a loop; it measures the rate of answers.
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

// Target is a server with the requests for it.
type Target struct {
	Network string // tcp or unix
	Address string // host:port, or the path of the socket
	Path    string // such as /v1/decisions; requests are POSTs of JSON
	Token   string // for the Authorization header; "" sends none
	// Body appends the body of request n. It must be safe for concurrent use.
	Body func(buffer []byte, n uint64) []byte
	// Want is part of every correct answer. Any other answer ends the measurement with an
	// error.
	Want []byte
}

// Result contains the measurements.
type Result struct {
	Latency *hdrhistogram.Histogram // in nanoseconds, from 1 µs to a minute, three digits
	Elapsed time.Duration
}

// Rate returns the number of answers per second.
func (r Result) Rate() float64 { return float64(r.Latency.TotalCount()) / r.Elapsed.Seconds() }

// Percentile returns the latency that this percentage of the requests, such as 99.9, does not
// exceed.
func (r Result) Percentile(percent float64) time.Duration {
	return time.Duration(r.Latency.ValueAtPercentile(percent))
}

// NewResult returns an empty Result.
func NewResult() Result {
	return Result{Latency: hdrhistogram.New(int64(time.Microsecond), int64(time.Minute), 3)}
}

// Add adds the latencies and the duration of another result.
func (r *Result) Add(other Result) {
	r.Latency.Merge(other.Latency)
	r.Elapsed += other.Elapsed
}

// Closed sends requests over several connections as fast as the answers arrive.
func Closed(ctx context.Context, t Target, connections int, length time.Duration) (Result, error) {
	var next atomic.Uint64
	start := time.Now()
	end := start.Add(length)
	return runConnections(connections, start, func(c *connection) error {
		for sent := time.Now(); sent.Before(end) && ctx.Err() == nil; sent = time.Now() {
			if err := c.send(next.Add(1), sent); err != nil {
				return err
			}
		}
		return ctx.Err()
	}, t)
}

// Open sends requests at a constant rate per second over several connections. A request that
// finds no free connection waits for one, and its latency continues to count.
func Open(ctx context.Context, t Target, connections int, rate float64, length time.Duration) (Result, error) {
	total := int(rate * length.Seconds())
	due := make(chan time.Time, total) // never full, so that the goroutine below does not wait for the server
	// That goroutine sleeps in a system call, which occupies one of the Go scheduler's processors.
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
	return runConnections(connections, start, func(c *connection) error {
		for moment := range due {
			if err := c.send(next.Add(1), moment); err != nil {
				stop()
				return err
			}
		}
		return ctx.Err()
	}, t)
}

// Once sends one request over its own connection, and waits up to ten seconds.
func Once(t Target) error {
	c := connect(t)
	c.client.ReadTimeout = 10 * time.Second
	defer c.client.CloseIdleConnections()
	return c.send(0, time.Now())
}

// runConnections runs a function for each connection in parallel, and combines the results.
func runConnections(connections int, start time.Time, run func(*connection) error, t Target) (Result, error) {
	list, failures := make([]*connection, connections), make([]error, connections)
	var running sync.WaitGroup
	for i := range list {
		list[i] = connect(t)
		running.Go(func() { failures[i] = run(list[i]) })
	}
	running.Wait()
	result := NewResult()
	result.Elapsed = time.Since(start)
	for _, c := range list {
		c.client.CloseIdleConnections()
		result.Latency.Merge(c.latency)
	}
	return result, errors.Join(failures...)
}

// connection is one connection to the target. The first request opens it.
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

// send sends request n and waits for the answer. It records the time since the request was due.
func (c *connection) send(n uint64, due time.Time) error {
	c.body = c.target.Body(c.body[:0], n)
	c.request.SetBodyRaw(c.body)
	if err := c.client.Do(&c.request, &c.response); err != nil {
		return fmt.Errorf("request %d: %w", n, err)
	}
	latency := time.Since(due)
	answer := c.response.Body()
	if c.response.StatusCode() != http.StatusOK || !bytes.Contains(answer, c.target.Want) {
		return fmt.Errorf("request %d: status %d without %s: %.500s", n, c.response.StatusCode(), c.target.Want, answer)
	}
	if err := c.latency.RecordValue(int64(latency)); err != nil {
		return fmt.Errorf("request %d took %s: %w", n, latency, err)
	}
	return nil
}
