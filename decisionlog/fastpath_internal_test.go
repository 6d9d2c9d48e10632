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

// encodeSlow returns the line that the slow path writes for an event.
func encodeSlow(t *testing.T, log *Log, event gavel.Event) string {
	t.Helper()
	cuts := &truncations{}
	if len(event.Facts.Tool.Params) > 0 {
		params, err := copyParams(event.Facts.Tool.Params, "/input/tool/params", cuts)
		require.NoError(t, err)
		event.Facts.Tool.Params = params
	}
	doc, err := log.maskedDocument(context.Background(), event, cuts)
	require.NoError(t, err)
	line, err := fit(new(bytes.Buffer), doc, cuts)
	require.NoError(t, err)
	return string(line)
}

// generator generates random values of any type. Its strings need escaping, or may contain secrets.
type generator struct{ *rand.Rand }

func (m generator) text() string {
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

func (m generator) param(depth int) any {
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

func (m generator) params(depth int) map[string]any {
	names := []string{"command", "path", "content", "env", "Env", "old_text", "a/b~c", "", "key", "headers", "list", "é", "apiKey", "token", "x<y", "\u009bname", "name\xff", strings.Repeat("n", 300), "message", "cwd"}
	object := map[string]any{}
	for range m.IntN(6) {
		if n := names[m.IntN(len(names))]; m.IntN(8) == 0 || n == "command" || n == "path" || redact.Content(redact.Plain(n)) || redact.Plain(n) == "env" {
			object[n] = m.param(depth)
		}
	}
	return object
}

func (m generator) fill(v reflect.Value, depth int) {
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
			if field := v.Field(i); field.CanSet() { // unexported fields are not logged
				m.fill(field, depth)
			}
		}
	}
}

// If the two paths differed, one might log a secret that the other redacts.
func TestFastAndSlowPathEncodeAnEventIdentically(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memoryWriter{}, Labels: map[string]string{"a<b": "\xff\u2028"}})
	require.NoError(t, err)
	fast, masked := 0, 0
	for seed := range uint64(1000) {
		m := generator{rand.New(rand.NewPCG(seed, 1))}
		event := gavel.Event{RequestedBy: m.text(), Timestamp: time.Unix(int64(seed), 1).UTC(), Analysis: 5, Evaluation: 7}
		depth := m.IntN(5)
		m.fill(reflect.ValueOf(&event.Facts).Elem(), depth)
		m.fill(reflect.ValueOf(&event.Decision).Elem(), depth)
		s := &encodeState{masker: log.masker}
		if !log.encodeFast(s, &event) {
			continue
		}
		fast++
		if len(s.masked) > 0 {
			masked++
		}
		require.Equal(t, encodeSlow(t, log, event), string(s.line), "seed %d", seed)
		assert.Empty(t, s.facts, "a state keeps nothing of an event")
	}
	assert.Greater(t, fast, 200, "of 1000 events")
	assert.Greater(t, masked, 20, "of 1000 events")
}

func TestFastAndSlowPathEncodeAnAuditEventIdentically(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memoryWriter{}, Labels: map[string]string{"a<b": "é\u2028"}})
	require.NoError(t, err)
	fast, slow := 0, 0
	for seed := range uint64(2000) {
		m := generator{rand.New(rand.NewPCG(seed, 2))}
		event := gavel.AuditEvent{Kind: m.text(), By: m.text(), From: m.text(), Agent: m.text(), Approval: m.text(), Timestamp: time.Unix(int64(seed), 1), Detail: m.params(3)}
		s := &encodeState{masker: log.masker}
		if !log.encodeAuditFast(s, &event) {
			slow++
			continue
		}
		fast++
		require.Equal(t, string(log.encodeAuditSlow(event)), string(s.line), "seed %d", seed)
	}
	assert.Greater(t, fast, 500, "of 2000 events")
	assert.Greater(t, slow, 100, "of 2000 events")
}

func TestVerifierEventTakesTheFastPath(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memoryWriter{}})
	require.NoError(t, err)
	event := gavel.AuditEvent{Kind: gavel.AuditVerifierAnswered, Agent: "main", Detail: map[string]any{"verifier": "webhook", "endpoint": "tools.verifier.webhook",
		"requestId": "5f0c", "digest": strings.Repeat("0a", 32), "tool": "exec", "session": "agent:main:main", "revision": strings.Repeat("f", 64),
		"outcome": "allowed", "detail": "", "status": "200", "attempts": "1", "latencyMs": "51"}}
	assert.True(t, log.encodeAuditFast(&encodeState{masker: log.masker}, &event))
}

func TestFastPathSupportsEveryTypeInAnEvent(t *testing.T) {
	t.Parallel()
	known := encoderTable{}
	known.encoderOf(reflect.TypeFor[gavel.Facts]())
	known.encoderOf(reflect.TypeFor[gavel.Decision]())
	for typ, made := range known {
		assert.NotEqual(t, reflect.ValueOf(encodeFunc(unsupported)).Pointer(), reflect.ValueOf(*made).Pointer(), fmt.Sprint(typ))
	}
}

func TestMemberNamesOfALineAreNotSecretNames(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memoryWriter{}})
	require.NoError(t, err)
	for _, name := range []string{"decision_id", "timestamp", "input", "argv", "revision", "reasons", "timer_analysis_ns", "key"} {
		s := encodeState{masker: log.masker}
		require.True(t, s.quote(name))
		assert.False(t, s.secretName(name, 0), name)
	}
	for _, name := range []string{"password", "api_key", "Authorization", "httpHeaders", "token"} {
		s := encodeState{masker: log.masker}
		require.True(t, s.quote(name))
		assert.True(t, s.secretName(name, 0), name)
	}
}
