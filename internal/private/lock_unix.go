//go:build unix

package private

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// Lock takes an advisory lock, which ends with the process at the latest. The file
// stays: removing it would let two processes lock different files of one name.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(err, file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(errors.New("another process holds it"), file.Close())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
