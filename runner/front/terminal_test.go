//go:build linux

package front_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// types is a command that tries to type for the person at the terminal, and says how that went.
func types() int {
	for _, path := range []string{"/dev/stdin", "/dev/tty"} {
		terminal, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
		if err == nil {
			err = unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSTI, 'x')
		}
		fmt.Println(path, err)
	}
	return 0
}

// started is a command whose terminal is a new one. connect says which of its descriptors are.
func started(t *testing.T, cmd *exec.Cmd, connect func(terminal *os.File)) (person *os.File) {
	t.Helper()
	person, terminal, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, person.Close()) })
	connect(terminal)
	cmd.ExtraFiles = []*os.File{terminal}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	require.NoError(t, cmd.Start())
	require.NoError(t, terminal.Close())
	return person
}

func TestACommandTypesNothingForThePersonAtTheTerminal(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	words := []string{"-c", "FRONT_TEST=types '" + self + "'"}

	cmd := command(t, "run", words...)
	person := started(t, cmd, func(terminal *os.File) { cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal })
	var out bytes.Buffer
	_, _ = out.ReadFrom(person) // a terminal ends with an error
	require.NoError(t, cmd.Wait())
	assert.Contains(t, out.String(), "/dev/stdin operation not permitted", "in the foreground")
	assert.Contains(t, out.String(), "/dev/tty operation not permitted", "in the foreground")

	cmd = command(t, "run", words...)
	var piped bytes.Buffer
	started(t, cmd, func(terminal *os.File) { cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, &piped, &piped })
	require.NoError(t, cmd.Wait())
	assert.Contains(t, piped.String(), "/dev/stdin operation not permitted", "of a pipeline")
	assert.Contains(t, piped.String(), "/dev/tty open /dev/tty: "+unix.ENXIO.Error(), "of a pipeline, which has no terminal of its own")
}

func TestACommandOfAPipelineReadsWhatAPersonTypes(t *testing.T) {
	cmd := command(t, "run", "-c", "read x; echo got $x")
	var piped bytes.Buffer
	person := started(t, cmd, func(terminal *os.File) { cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, &piped, &piped })
	_, err := person.WriteString("word\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	assert.Equal(t, "got word", strings.TrimSpace(piped.String()))
}
