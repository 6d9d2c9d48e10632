package peers

import (
	"context"
	"fmt"
	"time"
)

// StartReloads replaces the policy of a Gavel immediately, and then every p.Reload, until the returned
// function is called. That function waits until Gavel has loaded a new policy, and returns an error if
// it did not. StartReloads does nothing if p.Reload is 0.
func (p *Process) StartReloads(ctx context.Context) (stop func() error, err error) {
	if p.Reload == 0 {
		return func() error { return nil }, nil
	}
	before, err := p.metrics.read(ctx)
	if err != nil {
		return nil, err
	}
	end, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- p.replaceUntil(end) }()
	return func() error {
		close(end)
		if err := <-done; err != nil {
			return fmt.Errorf("replace the policy: %w", err)
		}
		return p.awaitReload(ctx, before)
	}, nil
}

func (p *Process) replaceUntil(end <-chan struct{}) error {
	for {
		p.version++
		if err := p.replace(); err != nil {
			return err
		}
		select {
		case <-end:
			return nil
		case <-time.After(p.Reload):
		}
	}
}

func (p *Process) replace() error {
	if p.Rego {
		return writeModule(p.policy, 0, p.version)
	}
	return WriteConfiguration(p.policy, p.size, p.version)
}

func (p *Process) awaitReload(ctx context.Context, before sample) error {
	for limit := time.Now().Add(startLimit); ; {
		now, err := p.metrics.read(ctx)
		switch {
		case err != nil:
			return err
		case now.failures > before.failures:
			return fmt.Errorf("%s could not load the new policy", p.Name)
		case now.reloads > before.reloads:
			return nil
		case time.Now().After(limit):
			return fmt.Errorf("%s did not load the new policy", p.Name)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
