//go:build linux && python3

package daemon_test

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
)

// foreign runs another executable, which speaks the protocol with the right secret.
func foreign(t *testing.T, s *served, line []byte) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", "-c", `import socket,sys
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.stdin.buffer.read())
while True:
    b=s.recv(65536)
    if not b: break
    sys.stdout.buffer.write(b)`, s.place.Socket)
	cmd.Stdin = bytes.NewReader(line)
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

func TestW3TheSecretAloneIsNotEnough(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), nil)
	line := s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })
	assert.Equal(t, "unauthorized caller", framed(t, foreign(t, s, line)))
	assert.Equal(t, "unauthorized caller", bare(t, foreign(t, s, s.request(t, wire.SixFields, func(r *wire.Request) { r.Admin, r.Cwd, r.Args = "list", "", nil }))))
	assert.Empty(t, s.calls, "the policy was not asked")
}

func TestW12AnExecutableThatIsNotReadableIsRefused(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), nil)
	line := s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })
	gone := exec.CommandContext(t.Context(), "python3", "-c", `import socket,sys,os
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.stdin.buffer.read()[:-1]); r,w=os.pipe()
if os.fork(): os._exit(0)
os.read(r,0); import time; time.sleep(0.3); s.sendall(b"\n"); sys.stdout.buffer.write(s.recv(65536))`, s.place.Socket)
	gone.Stdin = bytes.NewReader(line)
	out, err := gone.Output()
	require.NoError(t, err)
	assert.Equal(t, "unauthorized caller", framed(t, string(out)), "whoever connected has ended, and its child is nobody")
}
