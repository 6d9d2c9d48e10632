package decisionlog

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyNamesOfEveryLineAreTakenForHarmlessUnseen(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memory{}})
	require.NoError(t, err)
	for _, name := range []string{"decision_id", "timestamp", "input", "argv", "revision", "reasons", "timer_analysis_ns"} {
		assert.True(t, log.harmlessNames[name], name)
		assert.False(t, log.secretName([]byte(name)), name)
	}
	for name := range log.harmlessNames {
		bare := &Log{masker: log.masker}
		assert.False(t, bare.secretName([]byte(name)), "%s is a name that is looked at, and found to be no secret", name)
	}
	for _, name := range []string{"password", "api_key", "Authorization", "httpHeaders", "token"} {
		assert.False(t, log.harmlessNames[name], name)
		assert.True(t, log.secretName([]byte(name)), name)
	}
}
