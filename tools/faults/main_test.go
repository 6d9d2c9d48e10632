package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryFaultCanBePlanted(t *testing.T) {
	t.Chdir("../..")
	faults, err := read("internal/regoir")
	require.NoError(t, err)
	for _, f := range faults {
		text, err := os.ReadFile("internal/regoir/" + f.File)
		require.NoError(t, err)
		changed, err := f.changed("internal/regoir")
		require.NoError(t, err)
		assert.NotEqual(t, string(text), changed, f.Fault)
	}
}

func TestAFaultThatIsNowhereIsAnError(t *testing.T) {
	t.Chdir("../..")
	_, err := fault{Fault: "f", File: "doc.go", From: "no such text", To: ""}.changed("internal/regoir")
	assert.ErrorContains(t, err, "0 times instead of once")
}

func TestOnlyTestsThatRanFindFaults(t *testing.T) {
	name, err := failed([]byte("=== x\n--- FAIL: TestThis (0.1s)\n    --- FAIL: TestThis/that\nFAIL\n"))
	assert.NoError(t, err)
	assert.Equal(t, "TestThis", name)
	_, err = failed([]byte("./x.go:1: undefined: y\nFAIL gavel/internal/regoir [build failed]\n"))
	assert.ErrorContains(t, err, "undefined: y")
}

func TestTestsThatHangFindTheFault(t *testing.T) {
	name, err := failed([]byte("panic: test timed out after 2m0s\n\trunning tests:\n\t\tTestThis (1m59s)\n\ngoroutine 7 [running]:\n"))
	assert.NoError(t, err)
	assert.Equal(t, "TestThis, which still ran after 2m0s", name)
	name, err = failed([]byte("panic: test timed out after 2m0s\n\ngoroutine 7 [running]:\n"))
	assert.NoError(t, err)
	assert.Equal(t, "a test, which still ran after 2m0s", name)
}
