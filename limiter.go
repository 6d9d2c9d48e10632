package gavel

import "context"

// Limiter limits how much of a server one credential may use at a time, so that others keep
// their share. It is safe for concurrent use. Its errors are *[BusyError]; a returned
// function must be called once, when the work is over.
type Limiter interface {
	// Reserve reserves memory for a credential's data, in bytes.
	Reserve(credential string, bytes int) (release func(), err error)
	// Enter lets a request of so many bytes run. It may wait for its turn.
	Enter(ctx context.Context, credential string, bytes int) (leave func(), err error)
	// Wait lets a request wait for people.
	Wait(credential string) (leave func(), err error)
}

// BusyError says that there is no capacity for a request: the caller should try again later,
// and deny until then.
type BusyError struct {
	Code    string
	Message string
	Fix     string
}

// Codes of a [BusyError].
const (
	CodeServerFull      = "overloaded"        // the whole server has no room
	CodeTooManyRequests = "too_many_requests" // the credential has too many requests
	CodeTooManyBytes    = "too_many_bytes"    // the credential sends too much at a time
	CodeTooManyWaiting  = "too_many_waiting"  // too many of the credential wait for people
)

// Error returns code and message.
func (e *BusyError) Error() string { return e.Code + ": " + e.Message }
