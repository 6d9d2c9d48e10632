//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// newTTY returns a terminal that tells of changes of its size until it is freed.
func newTTY(file *os.File) (*tty, func()) {
	t := &tty{file: file, resized: make(chan struct{}, 1)}
	received, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(received, syscall.SIGWINCH)
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-received:
				select {
				case t.resized <- struct{}{}:
				default:
				}
			}
		}
	}()
	return t, func() { signal.Stop(received); close(ended) }
}
