package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"gavel/internal/private"
)

// TestMain lets scripts run this very binary as gavel. The collector runs only when a command
// needs more than half a gigabyte, because most of what a script's commands do is to compile the
// policy once and end; servers set its pace themselves.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gavel": func() {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(512 << 20)
		main()
	}})
}

// TestScripts runs the command line as a person would.
func TestScripts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "script")
	found, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, found, "there is no script")
	program, err := exec.LookPath("gavel")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return private.PrintOfTarget(program).Settled() }, time.Minute, time.Millisecond,
		"what is kept for the next process belongs to a program that was not just written")
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{Dir: dir, Cmds: httpCommands(), Setup: func(env *testscript.Env) error {
		sockets, err := os.MkdirTemp("", "gavel") // the path of a socket is short
		if err != nil {
			return err
		}
		env.Defer(func() { _ = os.RemoveAll(sockets) })
		env.Setenv("REPO", repository)
		env.Setenv("SOCKETS", sockets)
		address, err := freeAddress()
		env.Setenv("ADDRESS", address)
		return err
	}})
}

// freeAddress is an address at which nothing listens. Its port is not one that a system gives to
// connections, so that no other test gets it before the script.
func freeAddress() (address string, err error) {
	for range 100 {
		var free net.Listener
		if free, err = net.Listen("tcp", fmt.Sprint("127.0.0.1:", 20_000+rand.IntN(12_000))); err == nil {
			return free.Addr().String(), free.Close()
		}
	}
	return "", err
}
