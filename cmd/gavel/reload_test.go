package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

// While a policy is rewritten again and again, no request fails, and every answer is
// the one of the policy whose revision it carries.
func TestEachAnswerMatchesItsRevisionWhileThePolicyChanges(t *testing.T) {
	t.Parallel()
	versions := map[gavel.Effect]string{
		gavel.Allow: "agents: {coder: {}}\n",
		gavel.Deny:  "tools: {deny: [read]}\nagents: {coder: {}}\n",
	}
	policy := filepath.Join(t.TempDir(), "config.yaml")
	a, _, _ := testApp("")
	want := map[string]gavel.Effect{}
	for effect, text := range versions {
		require.NoError(t, os.WriteFile(policy, []byte(text), 0o600))
		snapshot, err := bundles.Load(t.Context(), a.source(policy, nil))
		require.NoError(t, err)
		want[snapshot.Revision()] = effect
	}
	n, stop := serving(t, "--state", t.TempDir(), "--socket", "off", "--log", "off", "--policy", policy)
	token, err := os.ReadFile(filepath.Join(n.Tokens, "decide.token"))
	require.NoError(t, err)

	var done atomic.Bool
	var seen sync.Map
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for !done.Load() {
				d := ask(t, client, n.Listen, strings.TrimSpace(string(token)))
				effect, known := want[d.Revision]
				if !assert.True(t, known, d.Revision) || !assert.Equal(t, effect, d.Effect, d.Reasons) {
					return
				}
				seen.Store(d.Revision, true)
			}
		})
	}
	for range 3 {
		for revision, effect := range want {
			seen.Delete(revision)
			require.NoError(t, os.WriteFile(policy, []byte(versions[effect]), 0o600))
			require.Eventually(t, func() bool { _, ok := seen.Load(revision); return ok }, time.Minute, 10*time.Millisecond)
		}
	}
	done.Store(true)
	asking.Wait()
	assert.Equal(t, exitOK, stop())
}
