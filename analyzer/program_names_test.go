package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What looks a program up that forbids something finds it by every name that it may go by;
// what permits something only by its own.
func TestEveryLookupOfAProgramFoldsItsNameInTheSameWay(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]string{
		"python3.exe": "python", "Python3.12": "python", "node.exe": "node", "NODE20.EXE": "node", "ruby3.2": "ruby",
	} {
		exec := observe(t, claims("bash", name), "'"+name+"' ./x")
		require.Nil(t, exec.Refusal, name)
		segment := exec.Segments[0]
		assert.Contains(t, segment.Executable.Programs, program, "names of %s", name)
		assert.NotEmpty(t, segment.Hazards, "hazards of %s", name)
		assert.Positive(t, len(segment.Unbound)+len(segment.Scripts), "code of %s", name)
	}
	exec := observe(t, claims("bash", "git.exe"), "git.exe status")
	assert.Equal(t, "status", exec.Segments[0].SubCommand)
}
