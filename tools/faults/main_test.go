package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryFaultApplies(t *testing.T) {
	t.Chdir("../..")
	faults, err := readFaults("internal/regoir")
	require.NoError(t, err)
	for _, f := range faults {
		text, err := os.ReadFile("internal/regoir/" + f.File)
		require.NoError(t, err)
		faulty, err := f.apply("internal/regoir")
		require.NoError(t, err)
		assert.NotEqual(t, string(text), faulty, f.Fault)
	}
}

func TestAFaultThatDoesNotApplyIsAnError(t *testing.T) {
	t.Chdir("../..")
	_, err := fault{Fault: "f", File: "doc.go", From: "no such text", To: ""}.apply("internal/regoir")
	assert.ErrorContains(t, err, "0 times instead of once")
}

func TestABuildFailureFindsNoFault(t *testing.T) {
	name, err := failingTest([]byte("=== x\n--- FAIL: TestThis (0.1s)\n    --- FAIL: TestThis/that\nFAIL\n"))
	assert.NoError(t, err)
	assert.Equal(t, "TestThis", name)
	_, err = failingTest([]byte("./x.go:1: undefined: y\nFAIL gavel/internal/regoir [build failed]\n"))
	assert.ErrorContains(t, err, "undefined: y")
}

func TestAHangingTestFindsTheFault(t *testing.T) {
	name, err := failingTest([]byte("panic: test timed out after 2m0s\n\trunning tests:\n\t\tTestThis (1m59s)\n\ngoroutine 7 [running]:\n"))
	assert.NoError(t, err)
	assert.Equal(t, "TestThis, which still ran after 2m0s", name)
	name, err = failingTest([]byte("panic: test timed out after 2m0s\n\ngoroutine 7 [running]:\n"))
	assert.NoError(t, err)
	assert.Equal(t, "a test, which still ran after 2m0s", name)
}
