//go:build linux

package daemon

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A busy machine may come to read only when the time for it is over.
func TestOutputFromBeforeTheEndOfAToolIsReadHoweverLate(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer write.Close() //nolint:errcheck // a child of the tool still has it
	stream := &counted{file: read, of: &process{}}
	_, err = write.WriteString("said before")
	require.NoError(t, err)
	require.NoError(t, read.SetReadDeadline(time.Now()))
	text, err := io.ReadAll(stream)
	assert.Equal(t, "said before", string(text))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, read.Close())
}

// A process that the tool left behind may write forever.
func TestWaitingForLateOutputIsBounded(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for chunk := make([]byte, 4096); ; {
			if _, err := write.Write(chunk); err != nil {
				return
			}
		}
	}()
	stream := &counted{file: read, of: &process{}}
	require.NoError(t, read.SetReadDeadline(time.Now()))
	n, err := io.Copy(io.Discard, stream)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	assert.LessOrEqual(t, n, int64(mostLate+64<<10))
	require.NoError(t, read.Close())
	<-ended
}
