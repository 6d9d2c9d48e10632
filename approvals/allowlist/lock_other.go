//go:build !unix

package allowlist

import (
	"context"
	"errors"
)

// lock refuses: here, nothing keeps two processes apart.
func lock(context.Context, string) (func(), error) {
	return nil, errors.New("this system has no locks that Gavel knows")
}
