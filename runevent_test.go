package gavel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestARunEventHasWhatItsKindNeeds(t *testing.T) {
	code := 0
	started := gavel.RunEvent{Kind: gavel.AuditRunStarted, Agent: "main", Decision: "d"}
	require.NoError(t, started.Check())
	for path, change := range map[string]func(*gavel.RunEvent){
		"/agent":      func(e *gavel.RunEvent) { e.Agent = "" },
		"/decision":   func(e *gavel.RunEvent) { e.Decision = "" },
		"/durationMs": func(e *gavel.RunEvent) { e.DurationMs = -1 },
		"/code":       func(e *gavel.RunEvent) { e.Kind = gavel.AuditRunRefused },
		"/exitCode":   func(e *gavel.RunEvent) { e.Kind = gavel.AuditRunEnded },
		"/kind":       func(e *gavel.RunEvent) { e.Kind = gavel.AuditTokenCreated },
	} {
		event := started
		change(&event)
		var wrong *gavel.InputError
		if assert.ErrorAs(t, event.Check(), &wrong, path) {
			assert.Equal(t, path, wrong.Path)
		}
	}
	refused, ended := started, started
	refused.Kind, refused.Code = gavel.AuditRunRefused, "runner.directory_changed"
	ended.Kind, ended.ExitCode = gavel.AuditRunEnded, &code
	require.NoError(t, refused.Check())
	require.NoError(t, ended.Check())
}
