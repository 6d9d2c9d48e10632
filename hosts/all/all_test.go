package all_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/hosts"
	"gavel/hosts/all"
)

// recorded are all recorded payloads, by file.
func recorded(t *testing.T) map[string]hosts.Payload {
	t.Helper()
	list := map[string]hosts.Payload{}
	for _, pattern := range []string{"../*/testdata/payloads/*.json", "../*/testdata/golden/*.json"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var golden struct {
				Stdin string `json:"stdin_raw"`
			}
			require.NoError(t, json.Unmarshal(text, &golden))
			if golden.Stdin != "" {
				text = []byte(golden.Stdin)
			} else if filepath.Base(filepath.Dir(file)) == "golden" {
				continue
			}
			p, err := hosts.ReadPayload(text)
			require.NoError(t, err, file)
			list[file] = p
		}
	}
	return list
}

func TestAPayloadBelongsToOneHost(t *testing.T) {
	for file, p := range recorded(t) {
		var names []string
		for _, h := range all.Hosts() {
			if h.Detect(p) {
				names = append(names, h.Name)
			}
		}
		assert.Len(t, names, 1, "%s: %v", file, names)
	}
}

func TestANameOnTheCommandLineMustAgree(t *testing.T) {
	for file, p := range recorded(t) {
		host, err := all.Detect(p, "")
		require.NoError(t, err, file)
		for _, name := range all.Names() {
			got, err := all.Detect(p, name)
			assert.Equal(t, name != host.Name, err != nil, "%s as %s", file, name)
			assert.Equal(t, host.Name, got.Name, "whoever sent it knows best how it is denied")
		}
	}
	p, err := hosts.ReadPayload([]byte(`{"a":1}`))
	require.NoError(t, err)
	h, err := all.Detect(p, "codex")
	assert.ErrorIs(t, err, hosts.ErrUnknownHost)
	assert.Equal(t, "codex", h.Name)
	_, err = all.Detect(p, "")
	assert.ErrorIs(t, err, hosts.ErrUnknownHost)
	_, err = all.Detect(p, "claude")
	assert.ErrorContains(t, err, "claude-code")
}
