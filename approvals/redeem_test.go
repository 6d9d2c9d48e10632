package approvals_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/grant"
)

// granted is a desk, and a grant for a call of the agent helper, which coder spawned.
type granted struct {
	*desk
	keys  *approvals.Keys
	bound grant.Bound
	token string
}

func newGranted(t *testing.T, change func(*approvals.Config)) granted {
	t.Helper()
	keys, err := approvals.OpenKeys(t.TempDir(), func() string { return "one" })
	require.NoError(t, err)
	g := granted{desk: newDesk(t, change), keys: keys, bound: grant.Vectors()[1].Bound}
	hash := g.bound.Hash()
	a := record("a", "helper")
	a.Binding, a.Parts, a.Request.Agent, a.Parents = hash.Hash, hash.Parts, "helper", []string{"coder"}
	_, _, err = g.store.Create(t.Context(), a)
	require.NoError(t, err)
	signed, err := keys.Sign(a, nil, g.clock.Now())
	require.NoError(t, err)
	g.token = signed.Token
	return g
}

func (g *granted) redeem(t *testing.T) string {
	t.Helper()
	_, err := g.Redeem(t.Context(), g.keys.Verifier(g.clock.Now), g.token, &g.bound)
	return code(err)
}

func TestAGrantIsRedeemedOnceForItsOwnCall(t *testing.T) {
	g := newGranted(t, nil)
	own := g.bound
	g.bound.Command += " -rf"
	assert.Equal(t, gavel.CodeGrantMismatch, g.redeem(t))
	g.bound = own
	assert.Equal(t, "<nil>", g.redeem(t))
	assert.Equal(t, gavel.CodeGrantUsed, g.redeem(t))
}

func TestAnExpiredGrantIsNotRedeemed(t *testing.T) {
	g := newGranted(t, nil)
	g.clock.step(approvals.GrantLife)
	assert.Equal(t, gavel.CodeGrantExpired, g.redeem(t))
	g.clock.step(-time.Second)
	assert.Equal(t, "<nil>", g.redeem(t))
}

func TestAGrantOfAPausedAgentIsNotRedeemed(t *testing.T) {
	for _, paused := range []string{"helper", "coder"} {
		for _, state := range []string{gavel.PausePaused, gavel.PauseUnknown} {
			agents := &halted{states: map[string]string{paused: state}}
			g := newGranted(t, func(c *approvals.Config) { c.Pauses = agents })
			assert.Equal(t, gavel.CodeGrantInvalid, g.redeem(t), "%s of %s", state, paused)
			agents.set(paused, "")
			assert.Equal(t, "<nil>", g.redeem(t), "resumed, it can still be used")
		}
	}
}

func TestAGrantWhoseUseCannotBeRecordedPermitsNothing(t *testing.T) {
	log := &recorder{full: true}
	g := newGranted(t, func(c *approvals.Config) { c.Audit = log })
	assert.NotEqual(t, "<nil>", g.redeem(t))
}
