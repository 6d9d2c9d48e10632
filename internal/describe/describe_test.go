package describe_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/internal/describe"
)

func TestADescriptionSpeaksOfJSON(t *testing.T) {
	t.Parallel()
	members := map[string]string{"Waiting": "waiting", "MaxDepth": "maxDepth", "Start": "start", "End": "end"}
	for _, c := range []struct{ name, comment, want string }{
		{"Waiting", "Waiting is true if it waits.", "True if it waits."},
		{"Waiting", "Waiting says why it waits.", "Says why it waits."},
		{"Start", "Start and End are byte offsets.", "start and end are byte offsets."},
		{"Waiting", "Waiting is what End waits for.", "What end waits for."},
		{"MaxDepth", `MaxDepth is a depth. Nil means "not stated".`, `A depth. Missing or null means "not stated".`},
		{"Waiting", "Waiting is nil if it was not looked up.", "Null if it was not looked up."},
		{"Waiting", "as Git has it", "as Git has it"},
		{"Waiting", "", ""},
	} {
		assert.Equal(t, c.want, describe.Description(c.comment, c.name, members))
	}
}
