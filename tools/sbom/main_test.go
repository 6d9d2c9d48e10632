package main

import (
	"bytes"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestABinarySaysWhatItIsMadeOf(t *testing.T) {
	t.Parallel()
	d := documentOf(&debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Path: "gavel", Version: "v1"},
		Deps: []*debug.Module{{Path: "example.com/a", Version: "v1.2.3", Sum: "h1:x"}, {Path: "example.com/b", Version: "v1", Replace: &debug.Module{Path: "example.com/c", Version: "v2"}}}})
	assert.Equal(t, "CycloneDX", d.Format)
	assert.Equal(t, "gavel", d.Metadata.Component.Name)
	var purls []string
	for _, c := range d.Components {
		purls = append(purls, c.PURL)
	}
	assert.Equal(t, []string{"pkg:golang/std@go1.26", "pkg:golang/example.com/a@v1.2.3", "pkg:golang/example.com/c@v2"}, purls)
	assert.Equal(t, []property{{"go:sum", "h1:x"}}, d.Components[1].Properties)
}

func TestAFileThatIsNotABinaryIsRefused(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.Error(t, run(nil, &out))
	require.Error(t, run([]string{"main.go"}, &out))
	assert.Empty(t, out.String())
}
