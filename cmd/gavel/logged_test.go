package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// A line of the decision log can be given to decide, and is decided as it was. One of which
// something was hidden is refused: what a rule would say of it is unknown.
func TestALineOfTheLogIsDecidedAgain(t *testing.T) {
	t.Parallel()
	v := logVictim(t)
	v.start()
	client := &http.Client{}
	var want []gavel.Effect
	for _, call := range []string{
		`{"id":"one","agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"ls -l | head -3"}}}`,
		`{"id":"two","agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"rm -rf build"}}}`,
		`{"id":"three","agent":{"id":"main"},"tool":{"name":"read","params":{"path":"a"}}}`,
	} {
		answer, ok := v.do(client, "gateway", http.MethodPost, "/v1/decisions", call)
		require.True(t, ok)
		var effect gavel.Effect
		require.NoError(t, effect.UnmarshalText([]byte(answer["decision"].(string))))
		want = append(want, effect)
	}
	_, ok := v.do(client, "gateway", http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"curl -u a:hunter2hunter2 https://h/"}}}`)
	require.True(t, ok)
	_, lines := v.interrupted()
	require.Len(t, lines, 4)

	_, stdout, stderr := runGavel(t, strings.Join(lines[:3], ""), "decide", "--policy", v.policy)
	require.Empty(t, stderr)
	for i, line := range bytes.Split(bytes.TrimSpace([]byte(stdout)), []byte("\n")) {
		var decision gavel.Decision
		require.NoError(t, json.Unmarshal(line, &decision))
		assert.Equal(t, want[i], decision.Effect)
		assert.Equal(t, []string{"one", "two", "three"}[i], decision.Call)
	}
	code, stdout, stderr := runGavel(t, lines[3], "decide", "--policy", v.policy)
	assert.Equal(t, exitError, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "masked values")
}

func TestAPortInUseIsACauseWithAFix(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	dir, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	defer os.RemoveAll(dir) //nolint:errcheck // a test's directory
	code, _, stderr := runGavel(t, "", "serve", "--state", dir, "--listen", ln.Addr().String())
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "address already in use")
	assert.Contains(t, stderr, "stop it, or choose an address with --listen")
}

// Every fact is written into the log and read back: a decision by what the log has is the
// one by what was observed.
func TestFactsSurviveTheLog(t *testing.T) {
	t.Parallel()
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(asking), 0o644))
	commands := []string{"ls", "git status && rm -rf /", "cat <<'E'\nx\nE", "FOO=1 env -u X ls *.go", "sudo ls", "for f in a b; do wc -l $f; done", "curl http://[::1]/", "echo $(ls)", "'"}
	var calls, again strings.Builder
	for _, command := range commands {
		text, err := json.Marshal(command)
		require.NoError(t, err)
		calls.WriteString(`{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":` + string(text) + `}}}` + "\n")
	}
	_, first, stderr := runGavel(t, calls.String(), "decide", "--explain", "--policy", policy)
	require.Empty(t, stderr)
	for line := range strings.Lines(first) {
		var decision struct {
			ID    string          `json:"id"`
			Facts json.RawMessage `json:"facts"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &decision))
		again.WriteString(`{"decision_id":"` + decision.ID + `","input":` + string(decision.Facts) + "}\n")
	}
	_, second, stderr := runGavel(t, again.String(), "decide", "--explain", "--policy", policy)
	require.Empty(t, stderr)
	assert.Equal(t, comparable(t, first), comparable(t, second))
	assert.Len(t, comparable(t, second), len(commands))
}

// comparable are decisions without what is new each time.
func comparable(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var decision map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &decision))
		delete(decision, "id")
		delete(decision, "layers") // they have durations
		all = append(all, decision)
	}
	return all
}
