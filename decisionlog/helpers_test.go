package decisionlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const testTimeout = time.Minute

// maskFunc is a snapshot that does nothing but mask.
type maskFunc func(ctx context.Context, event map[string]any) ([]gavel.MaskRule, error)

func (maskFunc) Revision() string { return "rev-1" }

func (maskFunc) Decide(context.Context, gavel.Facts, bool) gavel.Decision { return gavel.Decision{} }

func (maskFunc) Tools(context.Context, gavel.Facts) gavel.ToolReport { return gavel.ToolReport{} }

func (maskFunc) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (maskFunc) Overrides() []string                       { return nil }

func (maskFunc) Masks() bool { return true }

func (f maskFunc) Mask(ctx context.Context, event map[string]any) ([]gavel.MaskRule, error) {
	return f(ctx, event)
}

func snapshotWithRules(snapshotWithRules ...gavel.MaskRule) gavel.Snapshot {
	return maskFunc(func(context.Context, map[string]any) ([]gavel.MaskRule, error) { return snapshotWithRules, nil })
}

// memoryWriter collects lines. It can be made to fail, to write less than it is given, or to block.
type memoryWriter struct {
	mu       sync.Mutex
	text     bytes.Buffer
	err      error
	maxWrite int           // limits the bytes of one write; 0 means no limit
	gate     chan struct{} // if not nil, each write receives from it first
	waiting  atomic.Int64  // number of writes that have reached the gate
	writes   int
}

func (m *memoryWriter) Write(p []byte) (int, error) {
	if m.gate != nil {
		m.waiting.Add(1)
		<-m.gate
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	if m.maxWrite > 0 && len(p) > m.maxWrite {
		m.text.Write(p[:m.maxWrite])
		return m.maxWrite, m.err
	}
	if m.err != nil {
		return 0, m.err
	}
	return m.text.Write(p)
}

func (m *memoryWriter) fail(err error, most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err, m.maxWrite = err, most
}

func (m *memoryWriter) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.String()
}

func openLog(t *testing.T, cfg Config) *Log {
	t.Helper()
	log, err := New(cfg)
	require.NoError(t, err)
	require.NoError(t, log.Open())
	return log
}

func closeLog(t *testing.T, log *Log) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	require.NoError(t, log.Close(ctx))
}

// recordAll records events and returns their lines.
func recordAll(t *testing.T, events ...gavel.Event) []map[string]any {
	t.Helper()
	out := &memoryWriter{}
	log := openLog(t, Config{Writer: out})
	for _, event := range events {
		require.NoError(t, log.Record(context.Background(), event))
	}
	closeLog(t, log)
	return decodeLines(t, out.String())
}

func decodeLines(t *testing.T, text string) (lines []map[string]any) {
	t.Helper()
	require.True(t, text == "" || strings.HasSuffix(text, "\n"), "the last line is incomplete")
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		var line map[string]any
		err := decoder.Decode(&line)
		if errors.Is(err, io.EOF) {
			return lines
		}
		require.NoError(t, err)
		lines = append(lines, line)
	}
}

func newEvent(id string, params map[string]any) gavel.Event {
	return gavel.Event{
		Facts: gavel.Facts{
			Agent: gavel.AgentFacts{ID: "main", Depth: 1},
			Tool:  gavel.ToolFacts{Name: "exec", Given: "bash", Params: params},
		},
		Decision: gavel.Decision{ID: id, Call: "call-" + id, Effect: gavel.Allow, Revision: "rev-1",
			Reasons: []gavel.Reason{{Layer: "exec", Code: "exec.allowlisted", Message: "listed"}}},
		RequestedBy: "cli",
		Timestamp:   time.Date(2026, 3, 4, 5, 6, 7, 89, time.FixedZone("east", 3600)),
		Analysis:    1500 * time.Nanosecond,
		Evaluation:  2 * time.Millisecond,
	}
}

// dig returns a value inside node, by the names of members and indexes of elements.
func dig(t *testing.T, node any, tokens ...string) any {
	t.Helper()
	for _, token := range tokens {
		switch container := node.(type) {
		case map[string]any:
			require.Contains(t, container, token)
			node = container[token]
		case []any:
			index, ok := parseIndex(token)
			require.True(t, ok)
			require.Less(t, index, len(container))
			node = container[index]
		default:
			require.Failf(t, "no container", "at %q", token)
		}
	}
	return node
}

func valueOf(counter prometheus.Counter) float64 {
	var out dto.Metric
	if err := counter.Write(&out); err != nil {
		return -1
	}
	return out.GetCounter().GetValue()
}
