package runner

import (
	"context"
	"errors"

	"gavel"
	"gavel/client"
)

// Authority decides about calls. Without its allow, nothing runs.
type Authority interface {
	// Decide returns a decision, with pins if it allows a command. An error is not a decision.
	Decide(ctx context.Context, call gavel.Call) (gavel.Decision, error)
	// Wait returns once the question of a decision is answered.
	Wait(ctx context.Context, decision gavel.Decision) (client.Answer, error)
}

// Here decides in this process.
type Here struct{ PDP *gavel.PDP }

// Decide implements Authority.
func (h Here) Decide(ctx context.Context, call gavel.Call) (gavel.Decision, error) {
	return h.PDP.Decide(ctx, call, gavel.Options{RequestedBy: "runner", Caller: "runner", Pins: true}), nil
}

// Wait implements Authority. Questions need a server, which people can reach.
func (Here) Wait(context.Context, gavel.Decision) (client.Answer, error) {
	return client.Answer{}, errors.New("a person must be asked, which needs a running gavel serve")
}
