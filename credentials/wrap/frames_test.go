package wrap

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
)

func TestAFileInPlaceOfOutputIsRefusedAndUnknownFramesAreIgnored(t *testing.T) {
	answer := func(messages ...wire.Message) (string, error) {
		var sent bytes.Buffer
		for _, m := range messages {
			frame, err := wire.EncodeFrame(m)
			require.NoError(t, err)
			sent.Write(frame)
		}
		in := bufio.NewReader(&sent)
		f := &frames{in: in, frames: wire.NewFrames(in), proven: true}
		var stdout bytes.Buffer
		first, err := f.next()
		if err == nil {
			_, err = show(&Config{Stdout: &stdout, Stderr: &stdout}, f, first)
		}
		return stdout.String(), err
	}
	out, err := answer(wire.Message{Type: wire.TypeStdout, Data: []byte("a")}, wire.Message{Type: "later"}, wire.Message{Type: wire.TypeDone})
	require.NoError(t, err)
	assert.Equal(t, "a", out)
	out, err = answer(wire.Message{Type: wire.TypeStdout, Data: []byte("a")}, wire.Message{Type: wire.TypeFile}, wire.Message{Type: wire.TypeDone})
	require.ErrorContains(t, err, "named a file")
	assert.Equal(t, "a", out)
}
