package bundles_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// writeArchive writes a bundle.
func writeArchive(t *testing.T, archive string, files map[string]string) {
	t.Helper()
	var raw bytes.Buffer
	compressed := gzip.NewWriter(&raw)
	w := tar.NewWriter(compressed)
	for name, content := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}))
		_, err := w.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, compressed.Close())
	require.NoError(t, os.WriteFile(archive, raw.Bytes(), 0o644))
}

func TestABundleArchiveIsAPolicy(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "policy.tar.gz")
	write := func(files map[string]string) { writeArchive(t, archive, files) }
	write(map[string]string{"/config.yaml": plainConfig, "/custom/x.rego": "package custom.x\n\ndeny contains \"x\" if input.tool.name == \"edit\"\n"})
	s := load(t, archive)
	assert.Equal(t, gavel.Allow, decide(t, s, toolCall("main", "read")).Effect)
	assert.Equal(t, gavel.Deny, decide(t, s, toolCall("main", "edit")).Effect)

	write(map[string]string{"/data.json": `{"config":{"tools":{"deny":["read"]},"agents":{"main":{}}}}`})
	assert.Equal(t, gavel.Deny, decide(t, load(t, archive), toolCall("main", "read")).Effect,
		"what opa build writes has its configuration in data.json")

	write(map[string]string{"/data.json": "{}", "/p/custom/x.rego": "package custom"})
	found := problemsOf(t, archive)[0]
	assert.Contains(t, found.Message, "opa build packs only Rego, data.json and data.yaml")
	assert.Contains(t, found.Fix, "below the key config")

	write(map[string]string{"/config.yaml": plainConfig, "/.signatures.json": "{}"})
	assert.Contains(t, problemsOf(t, archive)[0].Message, "the policy is signed, but no key is named")

	write(map[string]string{"/config.yaml": plainConfig})
	full, err := os.ReadFile(archive)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(archive, full[:len(full)/2], 0o644))
	assert.Contains(t, problemsOf(t, archive)[0].Message, "the bundle is")
}
