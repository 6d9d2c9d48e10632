package programs_test

import (
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/programs"
	"gavel/rego"
)

func TestTheGeneratedCatalogIsCurrent(t *testing.T) {
	t.Parallel()
	shipped, err := fs.ReadFile(rego.Policy, programs.Generated)
	require.NoError(t, err)
	var now bytes.Buffer
	require.NoError(t, programs.WriteGenerated(&now, rego.Policy))
	require.True(t, bytes.Equal(shipped, now.Bytes()), "run make generate")

	sources, err := programs.ReadSources(rego.Policy)
	require.NoError(t, err)
	read, err := programs.Read(rego.Policy)
	require.NoError(t, err)
	require.Equal(t, len(sources.Entries()), len(read.Entries()))
	for i, e := range sources.Entries() {
		require.Equal(t, e, read.Entries()[i])
	}
	assert.Equal(t, sources, read)
}

// editedEntry is the entry that the tests below edit.
const editedEntry = programs.Dir + "/files/x.yaml"

// generatedPolicy is a catalog of one entry with its generated file.
func generatedPolicy(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{
		programs.Dir + "/names.yaml":    {Data: []byte("targets: []\nvariants: []\nshell: {words: [if], builtins: []}\n")},
		programs.Dir + "/families.yaml": {Data: []byte("files: {about: files, source: manuals}\ntext: {about: text, source: manuals}\n")},
		editedEntry:                     {Data: []byte("name: x\npreserves_paths: true\n")},
	}
	var text bytes.Buffer
	require.NoError(t, programs.WriteGenerated(&text, files))
	files[programs.Generated] = &fstest.MapFile{Data: text.Bytes()}
	return files
}

// catalogEdits are edits after which the generated file does not count.
func catalogEdits() map[string]func(fstest.MapFS) {
	return map[string]func(fstest.MapFS){
		"an entry is edited": func(files fstest.MapFS) { files[editedEntry].Data = []byte("name: x\n") },
		"an entry is added": func(files fstest.MapFS) {
			files[programs.Dir+"/files/y.yaml"] = &fstest.MapFile{Data: []byte("name: y\n")}
		},
		"an entry moves to another family": func(files fstest.MapFS) {
			files[programs.Dir+"/text/x.yaml"] = files[editedEntry]
			delete(files, editedEntry)
		},
		"names.yaml is edited": func(files fstest.MapFS) {
			files[programs.Dir+"/names.yaml"].Data = []byte("targets: [a]\nvariants: []\n")
		},
		"families.yaml is edited": func(files fstest.MapFS) {
			files[programs.Dir+"/families.yaml"].Data = []byte("files: {about: files, source: somewhere else}\n")
		},
		"the generated file is cut": func(files fstest.MapFS) { g := files[programs.Generated]; g.Data = g.Data[:len(g.Data)/2] },
		"the generated file has no entry": func(files fstest.MapFS) {
			g := files[programs.Generated]
			g.Data = g.Data[:bytes.IndexByte(g.Data, '\n')+1]
		},
		"the generated file is empty": func(files fstest.MapFS) { files[programs.Generated].Data = nil },
		"the generated file has another key": func(files fstest.MapFS) {
			g := files[programs.Generated]
			g.Data = bytes.Replace(g.Data, []byte(`"preservesPaths"`), []byte(`"preservePaths"`), 1)
		},
		"the generated file is not there": func(files fstest.MapFS) { delete(files, programs.Generated) },
		"the generated file is of other ones": func(files fstest.MapFS) {
			g := files[programs.Generated]
			g.Data = bytes.Replace(g.Data, []byte(`"digest":"`), []byte(`"digest":"0`), 1)
		},
	}
}

func TestAnEditedEntryCountsEvenIfTheGeneratedFileIsOld(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, files fs.FS) *programs.Entry {
		t.Helper()
		catalog, err := programs.Read(files)
		require.NoError(t, err)
		return catalog.Exactly("x")
	}

	files := generatedPolicy(t)
	line := files[programs.Generated].Data
	files[programs.Generated].Data = bytes.Replace(line, []byte(`"family":"files"`), []byte(`"family":"seen"`), 1)
	require.Equal(t, "seen", read(t, files).Family, "as long as nothing is edited, what was generated is read")

	for name, edit := range catalogEdits() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := generatedPolicy(t)
			g := files[programs.Generated]
			g.Data = bytes.Replace(g.Data, []byte(`"family":"files"`), []byte(`"family":"seen"`), 1)
			edit(files)
			assert.NotEqual(t, "seen", read(t, files).Family)
		})
	}

	files = generatedPolicy(t)
	files[editedEntry].Data = []byte("name: x\nsteedy: true\n")
	_, err := programs.Read(files)
	assert.ErrorContains(t, err, "steedy", "what is wrong in an entry is told")
}
