package decisionlog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/redact"
)

// apart is the line of an event that is analyzed, whatever it contains.
func apart(t *testing.T, log *Log, event gavel.Event) string {
	t.Helper()
	cuts := &cuts{}
	if len(event.Facts.Tool.Params) > 0 {
		params, err := parameters(event.Facts.Tool.Params, "/input/tool/params", cuts)
		require.NoError(t, err)
		event.Facts.Tool.Params = params
	}
	doc, err := log.masked(context.Background(), event, cuts)
	require.NoError(t, err)
	line, err := fitted(new(bytes.Buffer), doc, cuts)
	require.NoError(t, err)
	return string(line)
}

// maker makes values of any type, from texts that are hard to write and texts that may
// hold secrets.
type maker struct{ *rand.Rand }

func (m maker) text() string {
	hard := []string{"", "a", "rg -n TODO src/", "it passes every step", "<&>\"\\/", "\x00\x1f\b\f\n\r\t\v\x7f", "é…\u2028\u2029\uFFFD😀", "\u009b31m\u202e\u00a0\ufeff\U000e0041", "monkey key", "curl", "-u", "me:hunter2",
		"https://example.com/a?b=c", "--path", "x", "mysql", "-e", "A=B", "set", "login", "login.sh", "session-key", "net", "zip", "/usr/bin/http", "pwd", "-P", "sig=abc"}
	rare := []string{"--password", "hunter2secret", "TOKEN=abc123", "Authorization: Bearer abcdef", "\xff", "a\xc3", strings.Repeat("long ", maxText), "https://u:p4ss@h/"}
	if m.IntN(400) == 0 {
		return rare[m.IntN(len(rare))]
	}
	if m.IntN(3) > 0 {
		return hard[m.IntN(3)]
	}
	return hard[m.IntN(len(hard))]
}

func (m maker) param(depth int) any {
	switch n := m.IntN(12); {
	case n == 0:
		return nil
	case n == 1:
		return m.IntN(2) == 0
	case n == 2:
		return json.Number([]string{"1", "-2.50", "1e9", "12345678901234567890"}[m.IntN(4)])
	case n == 3:
		return []float64{0, 1.5, 1e21, 1e-9, -3}[m.IntN(5)]
	case n == 4 && depth > 0:
		list := make([]any, m.IntN(4))
		for i := range list {
			list[i] = m.param(depth - 1)
		}
		return list
	case n == 5:
		return []any{m.text(), m.text(), m.text()}
	case n == 6 && depth > 0:
		return m.params(depth - 1)
	default:
		return m.text()
	}
}

func (m maker) params(depth int) map[string]any {
	names := []string{"command", "path", "content", "env", "Env", "old_text", "a/b~c", "", "key", "headers", "list", "é", "apiKey", "token", "x<y", "\u009bname", "name\xff", strings.Repeat("n", 300), "message", "cwd"}
	object := map[string]any{}
	for range m.IntN(6) {
		if n := names[m.IntN(len(names))]; m.IntN(8) == 0 || n == "command" || n == "path" || redact.Content(redact.Plain(n)) || redact.Plain(n) == "env" {
			object[n] = m.param(depth)
		}
	}
	return object
}

func (m maker) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(m.text())
	case reflect.Bool:
		v.SetBool(m.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(m.Int64() >> m.IntN(64))
	case reflect.Uint8:
		v.SetUint(uint64(m.IntN(3)))
	case reflect.Pointer:
		if depth > 0 && m.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			m.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if depth > 0 && m.IntN(3) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), m.IntN(3), 3))
			for i := range v.Len() {
				m.fill(v.Index(i), depth-1)
			}
		}
	case reflect.Map:
		if params, ok := v.Addr().Interface().(*map[string]any); ok {
			*params = m.params(3)
			return
		}
		if m.IntN(3) == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range m.IntN(3) {
				element := reflect.New(v.Type().Elem()).Elem()
				m.fill(element, depth-1)
				v.SetMapIndex(reflect.ValueOf(m.text()), element)
			}
		}
	case reflect.Struct:
		if at, ok := v.Addr().Interface().(*time.Time); ok {
			*at = time.Unix(m.Int64N(1<<33), m.Int64N(1e9)).UTC()
			return
		}
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() { // no other is written
				m.fill(field, depth)
			}
		}
	}
}

// The two ways to write an event must not differ, or a secret that one hides would be in
// a line of the other.
func TestAnEventIsTheSameByteForByteWrittenDirectlyOrFromItsParts(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memory{}, Labels: map[string]string{"a<b": "\xff\u2028"}})
	require.NoError(t, err)
	atOnce, masked := 0, 0
	for seed := range uint64(1000) {
		m := maker{rand.New(rand.NewPCG(seed, 1))}
		event := gavel.Event{RequestedBy: m.text(), Timestamp: time.Unix(int64(seed), 1).UTC(), Analysis: 5, Evaluation: 7}
		depth := m.IntN(5)
		m.fill(reflect.ValueOf(&event.Facts).Elem(), depth)
		m.fill(reflect.ValueOf(&event.Decision).Elem(), depth)
		s := &sheet{masker: log.masker}
		if !log.plain(s, &event) {
			continue
		}
		atOnce++
		if len(s.masked) > 0 {
			masked++
		}
		require.Equal(t, apart(t, log, event), string(s.line), "seed %d", seed)
		assert.Empty(t, s.facts, "nothing of an event is kept")
	}
	assert.Greater(t, atOnce, 200, "of 1000 events")
	assert.Greater(t, masked, 20, "of 1000 events")
}

func TestAnAuditEventIsTheSameByteForByteWrittenDirectlyOrFromItsParts(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memory{}, Labels: map[string]string{"a<b": "é\u2028"}})
	require.NoError(t, err)
	atOnce, apart := 0, 0
	for seed := range uint64(2000) {
		m := maker{rand.New(rand.NewPCG(seed, 2))}
		event := gavel.AuditEvent{Kind: m.text(), By: m.text(), From: m.text(), Agent: m.text(), Approval: m.text(), Timestamp: time.Unix(int64(seed), 1), Detail: m.params(3)}
		s := &sheet{masker: log.masker}
		if !log.plainAudit(s, &event) {
			apart++
			continue
		}
		atOnce++
		require.Equal(t, string(log.auditApart(event)), string(s.line), "seed %d", seed)
	}
	assert.Greater(t, atOnce, 500, "of 2000 events")
	assert.Greater(t, apart, 100, "of 2000 events")
}

func TestAQuestionToAVerifierIsWrittenAtOnce(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memory{}})
	require.NoError(t, err)
	event := gavel.AuditEvent{Kind: gavel.AuditVerifierAnswered, Agent: "main", Detail: map[string]any{"verifier": "webhook", "endpoint": "tools.verifier.webhook",
		"requestId": "5f0c", "digest": strings.Repeat("0a", 32), "tool": "exec", "session": "agent:main:main", "revision": strings.Repeat("f", 64),
		"outcome": "allowed", "detail": "", "status": "200", "attempts": "1", "latencyMs": "51"}}
	assert.True(t, log.plainAudit(&sheet{masker: log.masker}, &event))
}

func TestEveryTypeOfAnEventCanBeWrittenDirectly(t *testing.T) {
	t.Parallel()
	known := shapes{}
	known.of(reflect.TypeFor[gavel.Facts]())
	known.of(reflect.TypeFor[gavel.Decision]())
	for typ, made := range known {
		assert.NotEqual(t, reflect.ValueOf(encoder(unknown)).Pointer(), reflect.ValueOf(*made).Pointer(), fmt.Sprint(typ))
	}
}

func TestNoMemberOfALineHasTheNameOfASecret(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memory{}})
	require.NoError(t, err)
	for _, name := range []string{"decision_id", "timestamp", "input", "argv", "revision", "reasons", "timer_analysis_ns", "key"} {
		s := sheet{masker: log.masker}
		require.True(t, s.quote(name))
		assert.False(t, s.secretName(name, 0), name)
	}
	for _, name := range []string{"password", "api_key", "Authorization", "httpHeaders", "token"} {
		s := sheet{masker: log.masker}
		require.True(t, s.quote(name))
		assert.True(t, s.secretName(name, 0), name)
	}
}
