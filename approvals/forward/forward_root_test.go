//go:build unix && root

package forward

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// Only root gives files away: make adds the tag root where root runs the tests.
func TestAFileOfAnotherUserIsNotUsed(t *testing.T) {
	f, _ := running(t, map[string]string{"webhook.json": `{"url":"https://x.example"}`})
	target := gavel.Target{Channel: "webhook", To: "ops"}
	require.True(t, f.Reachable(target))
	require.NoError(t, os.Chown(filepath.Join(f.cfg.Dir, "webhook.json"), 65534, 65534))
	assert.False(t, f.Reachable(target))
}
