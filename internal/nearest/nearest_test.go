package nearest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/internal/nearest"
)

func TestTheNearestNameIsSuggested(t *testing.T) {
	t.Parallel()
	candidates := []string{"allow", "alsoAllow", "ask", "deny", "sandboxing", "on-miss"}
	for name, want := range map[string]string{
		"dney": "deny", "DENY": "deny", "denny": "deny", "aks": "ask", "alow": "allow", "also_allow": "alsoAllow",
		"onmiss": "on-miss", "sandbox": "sandboxing", "allowlist": "", "dxxy": "", "as": "ask", "": "", "x": "",
		strings.Repeat("a", 1000): "",
	} {
		assert.Equal(t, want, nearest.Name(name, candidates), name)
	}
	assert.Empty(t, nearest.Name("deny", nil))
	assert.Equal(t, "status", nearest.Name("statsu", []string{"stash", "status"}), "a swap is nearer than two edits")
}
