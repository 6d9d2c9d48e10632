//go:build linux

package sessions_test

import (
	"crypto/ed25519"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/grant"
	"gavel/runner"
	"gavel/runner/sessions"
)

// Each command has a supervisor of its own, which has seen no grant before.
func TestAGrantThatIsShownASecondTimeRunsNothing(t *testing.T) {
	public, key, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	used := filepath.Join(t.TempDir(), "used-grants.json")
	f := open(t, func(c *sessions.Config) { c.Order.Keys, c.Order.Used = [][]byte{public}, used })
	bound := grant.Bound{Tool: "exec", Agent: "main", Host: "gateway", Cwd: f.dir, Shell: "bash", Command: "echo ran", Params: "{}"}
	binding := bound.Hash()
	token, err := grant.Sign(key, grant.Claims{ID: "g", Approval: "a", IssuedAt: time.Now().Unix(), Expires: time.Now().Unix() + 60,
		Binding: binding.Hash, Parts: binding.Parts, Agent: "main", Host: "gateway"})
	require.NoError(t, err)
	f.changed = func(d *gavel.Decision) { d.Approval = &gavel.Pending{ID: "a", Grant: &gavel.Grant{Token: token}} }

	assert.Equal(t, "ran\n", f.exec(t, "echo ran").Output)
	shown := f.exec(t, "echo ran")
	assert.Equal(t, sessions.StatusDenied, shown.Status)
	require.NotNil(t, shown.Reason)
	assert.Equal(t, runner.CodeGrant, shown.Reason.Code)
	assert.Contains(t, shown.Reason.Message, "already been used")
}
