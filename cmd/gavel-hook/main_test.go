package main

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const payload = `{"session_id":"s","transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`

// A library that does much when a program starts would make every call of every host slow.
func TestTheSmallProgramLinksFewPackages(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	found := 0
	for path := range strings.FieldsSeq(string(out)) {
		if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") && first != "gavel" {
			continue // the standard library
		}
		found++
		known := false
		for _, prefix := range []string{"gavel", "gavel/hook", "gavel/hosts", "gavel/internal/jsonsize", "gavel/internal/private", "gavel/cmd/gavel-hook", "github.com/go-json-experiment/json",
			"go.yaml.in/yaml/v3", "golang.org/x/sys/unix"} {
			known = known || path == prefix || prefix != "gavel" && strings.HasPrefix(path, prefix+"/")
		}
		assert.True(t, known, "%s is linked into gavel-hook", path)
	}
	assert.NotZero(t, found)
}

func TestWithoutAServerItBecomesGavel(t *testing.T) {
	var stdout, stderr bytes.Buffer
	var became []string
	p := process{stdin: strings.NewReader(payload), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" },
		become: func(args []string) error { became = args; return errors.New("no such file") }}
	assert.Equal(t, 2, p.run(t.Context(), []string{"claude-code", "--agent", "a"}))
	assert.Equal(t, []string{"claude-code", "--agent", "a"}, became)
	assert.Empty(t, stdout.String())
	assert.Contains(t, stderr.String(), "no such file")
}

func TestAMistakeOnTheCommandLineDenies(t *testing.T) {
	var stdout, stderr bytes.Buffer
	p := process{stdin: strings.NewReader(payload), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" },
		become: func([]string) error { t.Error("it became another program"); return nil }}
	assert.Equal(t, 2, p.run(t.Context(), []string{"claude-code", "--agnt", "a"}))
	assert.Contains(t, stderr.String(), "agnt")
}

func TestAServerThatIsGoneDenies(t *testing.T) {
	var stdout, stderr bytes.Buffer
	p := process{stdin: strings.NewReader(payload), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" },
		become: func([]string) error { t.Error("it became another program"); return nil }}
	assert.Equal(t, 2, p.run(t.Context(), []string{"--socket", "/gone.sock"}))
	assert.Contains(t, stderr.String(), "denied")
}
