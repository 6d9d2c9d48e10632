package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer/directive"
	"gavel/bundles"
	"gavel/internal/strictjson"
)

// defaultRow is an entry of testdata/defaults.yaml, which explains the members.
type defaultRow struct {
	Key         string
	At          []string
	Config      map[string]any
	List        any // the list entry that holds the key
	Calls       []map[string]any
	Messages    []string
	Other, Same []any
	People      string
	Verifier    string
	Here        map[string]any
	Rego        string
	Tools       bool
}

// TestEveryDocumentedDefaultAppliesWithoutTheKey decides calls without a key and with the default
// that the schema states for it, which must be the same; and with other values, which must not.
func TestEveryDocumentedDefaultAppliesWithoutTheKey(t *testing.T) {
	t.Parallel()
	stated, rows := schemaDefaults(t), defaultRows(t)
	tested := map[string]bool{}
	for _, row := range rows {
		tested[row.Key] = true
		require.Contains(t, stated, row.Key, "the schema states no such default")
		for _, at := range row.At {
			t.Run(row.Key+" at "+at, func(t *testing.T) {
				t.Parallel()
				testDefault(t, row, at, stated[row.Key])
			})
		}
	}
	assert.Equal(t, slices.Sorted(maps.Keys(stated)), slices.Sorted(maps.Keys(tested)), "every default of the schema has a row")
}

func testDefault(t *testing.T, row defaultRow, at string, stated schemaDefault) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	row.write(t, dir)
	without := row.observe(t, dir, at, nil)
	require.Equal(t, without, row.observe(t, dir, at, &stated.value), "the default decides as no value does")
	require.NotEmpty(t, row.Other)
	for _, value := range row.Other {
		assert.False(t, assert.ObjectsAreEqual(without, row.observe(t, dir, at, &value)), "%v decides otherwise", value)
	}
	for _, value := range row.Same {
		assert.Equal(t, without, row.observe(t, dir, at, &value), "%v decides the same", value)
	}
	covered := append(append([]any{stated.value}, row.Other...), row.Same...)
	for _, value := range stated.values {
		assert.Contains(t, covered, value, "every value of a few is tried")
	}
}

// observed is everything that a policy says in a row.
type observed struct {
	Refused    string // why the policy cannot be used
	Decisions  []gavel.Decision
	Directives []gavel.DirectiveOutcome
	Visible    []string
	Verifiers  gavel.VerifierSettings
}

// observe decides the calls of a row, with a value at a path or without one.
func (row defaultRow) observe(t *testing.T, dir, at string, value *any) (seen observed) {
	t.Helper()
	pdp, err := row.load(t, dir, at, value)
	if err != nil {
		return observed{Refused: err.Error()}
	}
	if row.People == "silent" {
		pdp.Approvals = silentPeople{}
	}
	if row.Verifier != "" {
		pdp.Verifiers = fixedVerifier(row.Verifier)
	}
	var calls []gavel.Call
	for _, call := range row.Calls {
		calls = append(calls, row.call(t, dir, call))
	}
	for _, d := range pdp.DecideAll(t.Context(), calls, gavel.Options{}) {
		seen.Decisions = append(seen.Decisions, compared(d))
	}
	for _, message := range row.Messages {
		call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Session: gavel.Session{Key: "s"}, Sender: &gavel.Sender{Channel: "discord", ID: "1"}}
		answer := pdp.CarryOutDirectives(t.Context(), gavel.DirectiveServices{Read: directive.Read, Sessions: discardingStore{}, Answers: answering}, gavel.IncomingMessage{Text: message, Call: call}, gavel.Options{})
		for _, outcome := range answer.Directives {
			outcome.Reason = unplaced(outcome.Reason)
			seen.Directives = append(seen.Directives, outcome)
		}
	}
	snapshot, ok := pdp.Policy.Current().(*bundles.Snapshot)
	require.True(t, ok)
	if row.Tools {
		for _, tool := range pdp.Tools(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}}).Tools {
			if tool.Visible {
				seen.Visible = append(seen.Visible, tool.Name)
			}
		}
	}
	seen.Verifiers, err = snapshot.VerifierSettings(t.Context())
	require.NoError(t, err)
	for path, webhook := range seen.Verifiers.Webhooks {
		webhook.AllowAddresses = append([]string{}, webhook.AllowAddresses...) // no list is an empty one
		seen.Verifiers.Webhooks[path] = webhook
	}
	return seen
}

// write writes the files of a row.
func (row defaultRow) write(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "policy"), 0o755))
	if row.Rego != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "policy", "custom.rego"), []byte(row.Rego), 0o600))
	}
	for name, content := range row.Here {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		if size, ok := content.(int); ok {
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			require.NoError(t, os.Truncate(file, int64(size)))
			continue
		}
		require.NoError(t, os.WriteFile(file, []byte(fmt.Sprint(content)), 0o755))
	}
}

// load writes and loads the policy of a row.
func (row defaultRow) load(t *testing.T, dir, at string, value *any) (*gavel.PDP, error) {
	t.Helper()
	config := copied(t, row.Config)
	section(config, "agents", "main")
	put(config, at, row.List, value)
	text, err := json.Marshal(config)
	require.NoError(t, err)
	policy := filepath.Join(dir, "policy")
	require.NoError(t, os.WriteFile(filepath.Join(policy, "config.json"), text, 0o600))
	a, _, _ := testApp("")
	a.now = func() time.Time { return time.Date(2026, 7, 15, 7, 45, 0, 0, time.UTC) }
	return a.load(t.Context(), policy)
}

// call completes the call of a row: agent main, and a machine with the usual programs.
func (row defaultRow) call(t *testing.T, dir string, short map[string]any) gavel.Call {
	t.Helper()
	call := copied(t, short)
	params := section(call, "params")
	delete(call, "params")
	if command, ok := call["command"]; ok {
		params["command"], call["tool"] = command, "exec"
		delete(call, "command")
	}
	call["tool"] = map[string]any{"name": call["tool"], "params": params}
	if _, ok := call["agent"]; !ok {
		call["agent"] = map[string]any{"id": "main"}
	}
	environment := map[string]any{"cwd": "/srv/app", "home": "/home/u", "path": []any{"/usr/bin"}, "platform": "linux", "executables": map[string]any{}}
	for _, name := range []string{"cat", "cut", "git", "head", "ls", "mine", "python3", "rev", "rg", "rm", "sort", "tail", "tr", "uniq", "wc"} {
		section(environment, "executables")[name] = "/usr/bin/" + name
	}
	if row.Here != nil {
		environment = map[string]any{"cwd": dir}
	}
	maps.Copy(environment, section(call, "environment"))
	call["environment"] = environment
	text, err := json.Marshal(call)
	require.NoError(t, err)
	decoded, err := strictjson.DecodeCall([]byte(strings.ReplaceAll(string(text), "DIR", dir)), true)
	require.NoError(t, err)
	return decoded
}

// compared leaves out what says where a setting stands.
func compared(d gavel.Decision) gavel.Decision {
	d.ID, d.Revision = "", ""
	d.Reasons = unplaced(d.Reasons)
	if d.Asks != nil {
		asks := *d.Asks
		asks.Reasons = unplaced(asks.Reasons)
		d.Asks = &asks
	}
	return d
}

func unplaced(reasons []gavel.Reason) []gavel.Reason {
	reasons = slices.Clone(reasons)
	for i := range reasons {
		reasons[i].Source, reasons[i].Fix = gavel.Source{}, ""
	}
	return reasons
}

// section returns the object at a path of keys, and makes it.
func section(of map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		below, ok := of[key].(map[string]any)
		if !ok {
			below = map[string]any{}
			of[key] = below
		}
		of = below
	}
	return of
}

// put writes a value at a dotted path, or only what surrounds it. A key with [0] is a list with
// one entry.
func put(config map[string]any, at string, entry any, value *any) {
	keys := strings.Split(at, ".")
	for _, key := range keys[:len(keys)-1] {
		name, inList := strings.CutSuffix(key, "[0]")
		if !inList {
			config = section(config, key)
			continue
		}
		inside := maps.Clone(entry.(map[string]any))
		config[name] = []any{inside}
		config = inside
	}
	if value != nil {
		config[keys[len(keys)-1]] = *value
	}
}

func copied(t *testing.T, from map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(from)
	require.NoError(t, err)
	into := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &into))
	if into == nil {
		return map[string]any{}
	}
	return into
}
