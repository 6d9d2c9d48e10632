//go:build linux

package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
)

// begun reports whether a text ends with the beginning of the credential, of four characters or more.
func begun(text string) bool {
	for n := 4; n <= len(credential); n++ {
		if strings.HasSuffix(text, credential[:n]) {
			return true
		}
	}
	return false
}

// The client chooses how much comes before the credential, and so where the limit cuts it.
func TestALimitOfOutputShowsNoBeginningOfACredential(t *testing.T) {
	s := start(t, configured(t, "proxy: {max_output_size: 64}", map[string]string{"pads": `printf '%*s%s' "$1" '' "$TOKEN"; sleep 100`}, ""), nil)
	for cut := range len(credential) {
		r := s.client(t, nil, "pads", fmt.Sprint(64-cut))
		assert.False(t, begun(r.stdout), "%q", r.stdout)
		assert.Contains(t, r.stderr, "proxy.max_output_size", cut)
	}
}

// A tool that is ended by its client may have written a part of its buffer.
func TestAKilledToolShowsNoBeginningOfACredential(t *testing.T) {
	halves := `echo ready; printf %.12s "$TOKEN"; `
	for name, script := range map[string]string{"dies": halves + `exec sleep 100`, "exits": `trap 'exit 3' TERM; ` + halves + `while :; do sleep 0.01; done`} {
		for _, extra := range []string{"", "redact_output: [{pattern: 'zzz[a-z]*'}]"} {
			s := start(t, configured(t, "", map[string]string{name: script}, extra), nil)
			conn := s.dial(t)
			_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = name }))
			require.NoError(t, err)
			first, err := wire.ReadFrame(conn)
			require.NoError(t, err)
			require.Equal(t, "ready\n", string(first.Data))
			_, err = conn.Write([]byte(`{"type":"signal","signal":"SIGTERM"}` + "\n"))
			require.NoError(t, err)
			var shown strings.Builder
			for _, m := range frames(t, conn) {
				shown.Write(m.Data)
			}
			assert.False(t, begun(shown.String()), "%q", shown.String())
		}
	}
}
