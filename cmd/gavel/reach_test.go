package main

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/identity"
)

// A token of another scope, or one that has expired, answers no question.
func TestOnlyCurrentTokensForAnsweringCount(t *testing.T) {
	t.Parallel()
	state, now := t.TempDir(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	store := identity.Open(state, func() time.Time { return now }, slog.New(slog.DiscardHandler), nil)
	for _, c := range []identity.Credential{
		{Name: "alice", Scope: gavel.ScopeApprove, Person: "alice"},
		{Name: "alice-laptop", Scope: gavel.ScopeApprove, Person: "alice"},
		{Name: "bob", Scope: gavel.ScopeApprove, Person: "bob", Expires: now.Add(time.Hour)},
		{Name: "carol", Scope: gavel.ScopeAdmin, Person: "carol"},
	} {
		_, err := store.Create(t.Context(), c)
		require.NoError(t, err)
	}
	for at, want := range map[time.Duration][]string{0: {"alice", "bob"}, 2 * time.Hour: {"alice"}} {
		found, err := (&app{now: func() time.Time { return now.Add(at) }}).readReach(state)
		require.NoError(t, err)
		assert.Equal(t, want, found.People, "after %s", at)
	}
}
