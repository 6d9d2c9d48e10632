//go:build !unix

package private

import (
	"context"
	"errors"
)

// Lock refuses: here, nothing keeps two processes apart.
func Lock(context.Context, string) (func(), error) {
	return nil, errors.New("this system has no file locks that Gavel supports")
}
