// Package hook answers the payloads of hosts, for gavel hook, the small binary gavel-hook and the server.
// It always replies: every failure is a deny in the form that the host obeys.
package hook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"time"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/all"
)

// Timeout is how long a hook may take unless the command line says otherwise. The hooks that
// gavel install configures have ten seconds.
const Timeout = 8 * time.Second

// Config configures [Run]. Decide is required.
type Config struct {
	// Host is the name on the command line; "" detects the host. It must agree with the
	// payload.
	Host string
	// Hosts are the translators; nil is all of them.
	Hosts all.List
	// Process has what the process of the hook knows about the call; a server knows the agent only.
	Process hosts.ProcessInfo
	// Getenv reads the environment of the hook, in which some hosts name the project. Nil is an
	// empty environment.
	Getenv func(string) string
	// Decide decides calls, all or none. An error denies.
	Decide func(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error)
	// Panicked is called with a panic and its stack; may be nil.
	Panicked func(v any, stack []byte)
}

// Run answers a payload. It never panics, and it returns no later than ctx ends.
func Run(ctx context.Context, cfg Config, payload []byte) hosts.Reply {
	done := make(chan hosts.Reply, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				if cfg.Panicked != nil {
					cfg.Panicked(v, debug.Stack())
				}
				done <- Fail(cfg.Host, payload, fmt.Errorf("a bug in Gavel: %v", v))
			}
		}()
		done <- cfg.answer(ctx, payload)
	}()
	select {
	case reply := <-done:
		return reply
	case <-ctx.Done():
		return Fail(cfg.Host, payload, late(ctx))
	}
}

// late returns the reason why a hook stopped waiting.
func late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errors.New("Gavel did not answer in time; repeat the call, run gavel serve, which answers sooner, or raise --timeout of the hook") //nolint:staticcheck // a name
	}
	return errors.New("the hook was stopped")
}

// answer reads the payload, has its calls decided, and returns the host's reply.
func (c Config) answer(ctx context.Context, text []byte) hosts.Reply {
	payload, err := hosts.ReadPayload(text)
	if err != nil {
		return Fail(c.Host, nil, err)
	}
	list := c.Hosts
	if list == nil {
		list = all.Hosts()
	}
	host, err := list.Detect(payload, c.Host)
	if err != nil {
		return deny(host, payload, err)
	}
	request, err := host.Read(payload)
	if err != nil {
		return deny(host, payload, err)
	}
	if request.NoOpinion {
		return host.Answer(request, hosts.Verdict{})
	}
	process := c.Process
	if process.Workspace == "" && host.Project != "" && c.Getenv != nil {
		if dir := c.Getenv(host.Project); filepath.IsAbs(dir) {
			process.Workspace = dir
		}
	}
	request.Complete(process)
	removeUntrustedHome(request.Calls)
	for i := range request.Calls {
		if err := request.Calls[i].Validate(true); err != nil {
			return deny(host, payload, err)
		}
	}
	decisions, err := c.Decide(ctx, request.Calls)
	if err != nil {
		return deny(host, payload, err)
	}
	return host.Answer(request, hosts.Judge(request, decisions))
}

// Fail denies a payload that could not be answered. name is the host on the command line, or "".
func Fail(name string, text []byte, err error) hosts.Reply {
	payload, unread := hosts.ReadPayload(text)
	if unread != nil {
		named, _ := all.Named(name)
		return deny(named, hosts.Payload{}, err)
	}
	host, _ := all.Detect(payload, name)
	return deny(host, payload, err)
}

func deny(host hosts.Host, payload hosts.Payload, err error) hosts.Reply {
	if host.Fail == nil {
		return hosts.FailAny(err)
	}
	return host.Fail(payload, err)
}
