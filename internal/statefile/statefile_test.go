//go:build unix

package statefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/statefile"
)

type document struct {
	Words []string `json:"words"`
}

func open(path string) *statefile.File[document] {
	return statefile.New(statefile.Config[document]{Path: path, Limit: 100, What: "words", Fix: "repair it", Check: func(d *document) error {
		if len(d.Words) > 3 {
			return errors.New("too many")
		}
		return nil
	}})
}

func add(t *testing.T, f *statefile.File[document], word string) error {
	t.Helper()
	return f.Edit(t.Context(), func(d *document) error { d.Words = append(d.Words, word); return nil })
}

func words(t *testing.T, f *statefile.File[document]) []string {
	t.Helper()
	d, _, err := f.Look()
	require.NoError(t, err)
	return d.Words
}

func TestAChangeByAnotherProcessIsSeenAtTheNextLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "words.json")
	here, there := open(path), open(path)
	assert.Empty(t, words(t, here), "there need be no file")
	require.NoError(t, add(t, here, "a"))
	require.NoError(t, add(t, there, "b"))
	assert.Equal(t, []string{"a", "b"}, words(t, here))
	require.NoError(t, add(t, here, "c"))
	assert.Equal(t, []string{"a", "b", "c"}, words(t, there))
	require.NoError(t, os.Remove(path))
	assert.Empty(t, words(t, here))
}

func TestAnUnusableFileIsAnErrorAndIsNotChanged(t *testing.T) {
	for name, c := range map[string]struct {
		text, problem string
		mode          os.FileMode
	}{
		"no JSON":          {"{", "repair it", 0o600},
		"unknown keys":     {`{"words":[],"x":1}`, "repair it", 0o600},
		"an invalid value": {`{"words":["a","b","c","d"]}`, "too many; repair it", 0o600},
		"too large":        {`{"words":["` + strings.Repeat("x", 100) + `"]}`, "larger than 100 bytes", 0o600},
		"open for reading": {`{"words":[]}`, "chmod 600", 0o644},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "words.json")
			require.NoError(t, os.WriteFile(path, []byte(c.text), c.mode))
			require.NoError(t, os.Chmod(path, c.mode)) // whatever the umask
			f := open(path)
			d, _, err := f.Look()
			require.ErrorContains(t, err, c.problem)
			assert.Empty(t, d.Words, "nothing of it is used")
			require.ErrorContains(t, add(t, f, "e"), c.problem)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, c.text, string(after))
		})
	}
}

func TestAFileThatWouldBeRefusedIsNotWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words.json")
	f := open(path)
	require.ErrorContains(t, add(t, f, strings.Repeat("x", 100)), "more than 100 bytes")
	for _, word := range []string{"a", "b", "c"} {
		require.NoError(t, add(t, f, word))
	}
	require.ErrorContains(t, add(t, f, "d"), "too many")
	assert.Equal(t, []string{"a", "b", "c"}, words(t, f))
}

func TestADirectoryThatOthersCanWriteToIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Chmod(dir, 0o777))
	require.ErrorContains(t, add(t, open(filepath.Join(dir, "words.json")), "a"), "others can replace")
}
