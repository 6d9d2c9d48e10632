package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestUnreadWordsAreNotKnown(t *testing.T) {
	t.Parallel()
	a, call := realAnalyzer(t), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "env A=b git push --force origin"}}}
	for _, without := range []bool{false, true} {
		facts := a.Analyze(t.Context(), call, &gavel.AnalyzerSettings{WithoutWords: without, Others: gavel.AgentSettings{Hosts: map[string]bool{}}})
		require.Len(t, facts.Exec.Segments, 1)
		segment := facts.Exec.Segments[0]
		require.Len(t, segment.Wrappers, 1)
		if !without {
			assert.Equal(t, "--force", segment.Options[0].Name)
			assert.Equal(t, "exact", segment.OptionsKnown)
			continue
		}
		assert.Empty(t, segment.Options)
		assert.Empty(t, segment.Operands)
		for _, known := range []string{segment.OptionsKnown, segment.CommandsKnown, segment.Wrappers[0].OptionsKnown, segment.Wrappers[0].CommandsKnown} {
			assert.Equal(t, "none", known)
		}
		assert.NotNil(t, segment.Options, "an empty list, and not null")
	}
}
