package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wrappers"
)

// narrow takes so many bytes, and then no more.
type narrow struct {
	room int
	text strings.Builder
}

func (n *narrow) Write(p []byte) (int, error) {
	took := min(n.room, len(p))
	n.room -= took
	n.text.Write(p[:took])
	if took < len(p) {
		return took, syscall.ENOSPC
	}
	return took, nil
}

func TestEveryLineOfTheRecordIsWholeInItsFile(t *testing.T) {
	first, second := &narrow{room: 8}, &narrow{room: 100}
	var s sink
	s.turn(first)
	require.Error(t, s.write([]byte("one\ntwo-two\n")))
	s.turn(second)
	require.NoError(t, s.write([]byte("three\n")))
	assert.Equal(t, "two-two\nthree\n", second.text.String(), "the rest of a line alone says nothing")
	assert.NoError(t, s.lost("it"))
}

func TestALineThatIsWrittenInPartsIsWhole(t *testing.T) {
	to := &narrow{room: 5}
	var s sink
	s.turn(to)
	require.Error(t, s.write([]byte("one\ntwo\n")))
	to.room = 1
	require.Error(t, s.write([]byte("three\n")))
	assert.ErrorContains(t, s.lost("it"), "2 runs")
	to.room = 100
	require.NoError(t, s.write(nil))
	assert.Equal(t, "one\ntwo\nthree\n", to.text.String())
}

func TestRunsThatCouldNotBeRecordedAreReportedWhenTheFileIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	file := wrappers.Audit{Enabled: true, File: path}
	a, err := openAudit(file, nil)
	require.NoError(t, err)
	disk := &narrow{}
	a.file.turn(disk)
	require.Error(t, a.record(auditLine{Tool: "gh"}, time.Second))
	require.Error(t, a.usable())
	require.ErrorContains(t, a.reopen(wrappers.Audit{}), "1 runs could not be recorded in "+path)
	require.Error(t, a.usable(), "the settings that are refused are not in force")
	require.ErrorContains(t, a.close(), "1 runs could not be recorded in "+path)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Empty(t, text)

	a, err = openAudit(file, nil)
	require.NoError(t, err)
	require.NoError(t, a.record(auditLine{Tool: "gh"}, time.Second))
	require.NoError(t, a.close())
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), "\n"))
}

func TestAPartialLineOfAKilledDaemonIsTerminated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	require.NoError(t, os.WriteFile(path, []byte("{\"tool\":\"a\"}\n{\"to"), 0o600))
	a, err := openAudit(wrappers.Audit{Enabled: true, File: path}, nil)
	require.NoError(t, err)
	require.NoError(t, a.record(auditLine{Tool: "gh"}, time.Second))
	require.NoError(t, a.close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.Len(t, lines, 4)
	assert.True(t, strings.HasPrefix(lines[2], "{"), "the next line begins one of its own")
}
