package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/rego"
)

// schemaDefault is a key of the schema that states a default.
type schemaDefault struct {
	value  any
	values []any // all values, if there are few
}

func defaultRows(t *testing.T) []defaultRow {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "defaults.yaml"))
	require.NoError(t, err)
	var rows []defaultRow
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&rows))
	return rows
}

// schemaDefaults finds every key of the schema that states a default.
func schemaDefaults(t *testing.T) map[string]schemaDefault {
	t.Helper()
	var schema map[string]any
	require.NoError(t, yaml.Unmarshal(rego.ConfigSchema, &schema)) // as the table is, so that numbers are alike
	found := map[string]schemaDefault{}
	collectDefaults(schema, nil, found)
	require.Greater(t, len(found), 70)
	return found
}

func collectDefaults(node any, path []string, found map[string]schemaDefault) {
	switch node := node.(type) {
	case []any:
		for i, element := range node {
			collectDefaults(element, append(path, strconv.Itoa(i)), found)
		}
	case map[string]any:
		inProperties := len(path) > 0 && path[len(path)-1] == "properties"
		if value, ok := node["default"]; ok && !inProperties {
			known := schemaDefault{value: value}
			known.values, _ = node["enum"].([]any)
			if node["type"] == "boolean" {
				known.values = []any{true, false}
			}
			found[shortKey(path)] = known
		}
		for key, below := range node {
			if inProperties || !slices.Contains([]string{"default", "examples", "enum"}, key) {
				collectDefaults(below, append(slices.Clone(path), key), found)
			}
		}
	}
}

func shortKey(path []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(path), func(part string) bool { return part == "definitions" || part == "properties" }), ".")
}

// silentPeople never answer a question.
type silentPeople struct{}

func (silentPeople) Look(context.Context, gavel.Question) (gavel.ApprovalFacts, error) {
	return gavel.ApprovalFacts{Looked: true, Bound: strings.Repeat("0", 64)}, nil
}

func (silentPeople) Open(context.Context, gavel.Question) (gavel.Approval, error) {
	return gavel.Approval{ID: "a", State: gavel.ApprovalExpired, Expired: gavel.ExpiredTimeout}, nil
}

func (silentPeople) Consume(context.Context, string, string, *gavel.Exec) (gavel.Approval, *gavel.Grant, error) {
	return gavel.Approval{}, nil, assert.AnError
}

// fixedVerifier is the answer of every verifier.
type fixedVerifier string

func (s fixedVerifier) Ask(_ context.Context, d *gavel.Decision, _ *gavel.Facts) []gavel.VerifierAnswer {
	answers := make([]gavel.VerifierAnswer, len(d.Asks.Verifiers))
	for i, asked := range d.Asks.Verifiers {
		answers[i] = gavel.VerifierAnswer{Verifier: asked.Name, Outcome: string(s)}
	}
	return answers
}

// discardingStore stores nothing, and reports what it was given.
type discardingStore struct{}

func (discardingStore) Observe(*gavel.Call) gavel.SessionValuesFacts {
	return gavel.SessionValuesFacts{State: gavel.SessionsRead}
}

func (discardingStore) Set(_ context.Context, set gavel.StoredSession) (gavel.StoredSession, error) {
	return set, nil
}

func answering(_ context.Context, answer gavel.AnswerRequest) (id, state string, err error) {
	return answer.ID, answer.Answer, nil
}
