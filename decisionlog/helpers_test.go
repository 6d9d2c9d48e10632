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

const patience = 20 * time.Second

// maskFunc is a snapshot that only masks.
type maskFunc func(ctx context.Context, event map[string]any) ([]gavel.MaskRule, error)

func (maskFunc) Revision() string { return "rev-1" }

func (maskFunc) Decide(context.Context, gavel.Facts, bool) gavel.Decision { return gavel.Decision{} }

func (maskFunc) Tools(context.Context, gavel.Facts) gavel.ToolReport { return gavel.ToolReport{} }

func (maskFunc) Searches() *gavel.Searches { return nil }
func (maskFunc) Overrides() []string       { return nil }

func (maskFunc) Masks() bool { return true }

func (f maskFunc) Mask(ctx context.Context, event map[string]any) ([]gavel.MaskRule, error) {
	return f(ctx, event)
}

func rules(rules ...gavel.MaskRule) gavel.Snapshot {
	return maskFunc(func(context.Context, map[string]any) ([]gavel.MaskRule, error) { return rules, nil })
}

// memory collects lines; it can be told to fail, to take less, or to wait.
type memory struct {
	mu     sync.Mutex
	text   bytes.Buffer
	err    error
	most   int           // bytes taken by one write; 0 means all
	gate   chan struct{} // when not nil, each write waits for one token
	waits  atomic.Int64  // writes that have begun to wait
	writes int
}

func (m *memory) Write(p []byte) (int, error) {
	if m.gate != nil {
		m.waits.Add(1)
		<-m.gate
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	if m.most > 0 && len(p) > m.most {
		m.text.Write(p[:m.most])
		return m.most, m.err
	}
	if m.err != nil {
		return 0, m.err
	}
	return m.text.Write(p)
}

func (m *memory) set(err error, most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err, m.most = err, most
}

func (m *memory) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.String()
}

func open(t *testing.T, cfg Config) *Log {
	t.Helper()
	log, err := New(cfg)
	require.NoError(t, err)
	require.NoError(t, log.Open())
	return log
}

func shut(t *testing.T, log *Log) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(t, log.Close(ctx))
}

// written records events and returns the lines.
func written(t *testing.T, events ...gavel.Event) []map[string]any {
	t.Helper()
	out := &memory{}
	log := open(t, Config{Writer: out})
	for _, event := range events {
		require.NoError(t, log.Record(context.Background(), event))
	}
	shut(t, log)
	return decoded(t, out.String())
}

func decoded(t *testing.T, text string) (lines []map[string]any) {
	t.Helper()
	require.True(t, text == "" || strings.HasSuffix(text, "\n"), "the last line is not complete")
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

func eventOf(id string, params map[string]any) gavel.Event {
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

// dig follows object names and array indices.
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
