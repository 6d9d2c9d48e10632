//go:build linux

package daemon_test

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel/credentials/wrap"
)

// endless is standard input that never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// interrupting is an output that sends a signal when the first of it comes.
type interrupting struct {
	io.Writer
	signals chan string
	signal  string
}

func (w *interrupting) Write(b []byte) (int, error) {
	if w.signals != nil {
		signals := w.signals
		w.signals = nil
		go func() {
			time.Sleep(time.Second / 2) // as a person: everything that can be sent by then was sent
			signals <- w.signal
		}()
	}
	return w.Writer.Write(b)
}

func TestAnInterruptOvertakesStandardInputThatIsNotRead(t *testing.T) {
	for _, signal := range []string{"SIGINT", "SIGTERM", "SIGHUP"} {
		s := start(t, configured(t, "", map[string]string{"deaf": `trap 'exit 5' INT TERM HUP; echo ready; while :; do sleep 0.05; done`}, ""), nil)
		signals := make(chan string)
		got := s.with(t, func(c *wrap.Config) {
			c.Stdin, c.Signals = endless{}, signals
			c.Stdout = &interrupting{c.Stdout, signals, signal}
		}, "deaf")
		assert.NoError(t, got.err)
		assert.Equal(t, 5, got.status, signal)
	}
}

func TestAToolGetsTheSignalsThatItsDaemonWasStartedToIgnore(t *testing.T) {
	for name, ignored := range map[string]os.Signal{"SIGHUP": syscall.SIGHUP, "SIGINT": syscall.SIGINT} {
		signal.Ignore(ignored) // as nohup does, and a shell for what it starts in the background
		s := start(t, configured(t, "", map[string]string{"waits": `trap 'exit 5' INT HUP; echo ready; for i in $(seq 400); do sleep 0.05; done`}, ""), nil)
		signals := make(chan string)
		got := s.with(t, func(c *wrap.Config) {
			c.Signals = signals
			c.Stdout = &interrupting{c.Stdout, signals, name}
		}, "waits")
		assert.NoError(t, got.err)
		assert.Equal(t, 5, got.status, name)
	}
}

func TestASignalThatOvertookIsSentOnceAndLosesNoInput(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"later": `trap 'echo got; seen=1' INT; echo ready; while [ -z "$seen" ]; do sleep 0.05; done; wc -c; exit 7`}, ""), nil)
	signals := make(chan string)
	got := s.with(t, func(c *wrap.Config) {
		c.Stdin, c.Signals = bytes.NewReader(make([]byte, 3<<20)), signals
		c.Stdout = &interrupting{c.Stdout, signals, "SIGINT"}
	}, "later")
	assert.NoError(t, got.err)
	assert.Equal(t, 7, got.status)
	assert.Equal(t, "ready\ngot\n3145728\n", got.stdout)
}
