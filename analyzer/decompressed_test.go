package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

func TestTheFileThatDecompressingCreatesIsTouched(t *testing.T) {
	t.Parallel()
	root := project(t)
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: root + "/home", Cwd: root + "/ws", Path: []string{root + "/bin"}, Platform: "linux"})
	require.NoError(t, err)
	for command, want := range map[string]bool{
		"gunzip .mcp.json.gz":                          true,
		"gunzip -k .mcp.json.GZ":                       true,
		"gunzip -S n .mcp.jsonn":                       true,
		"gunzip --suffix=n .mcp.jsonn":                 true,
		"gunzip src/.mcp.json.z":                       true,
		"gzip -d .mcp.json-gz":                         true,
		"uncompress .mcp.json.Z":                       true,
		"bunzip2 .mcp.json.bz2":                        true,
		"lbzip2 -d .mcp.json.bz2":                      true,
		"lbunzip2 .mcp.json.bz2":                       true,
		"pigz -d .mcp.json.zz":                         true,
		"xz -d .mcp.json.xz":                           true,
		"unxz .mcp.json.xz":                            true,
		"unlzma .mcp.json.lzma":                        true,
		"lzip -d .mcp.json.lz":                         true,
		"zstd -d .mcp.json.zst":                        true,
		"unzstd .mcp.json.zst":                         true,
		"lz4 -d .mcp.json.lz4":                         true,
		"brotli -d .mcp.json.br":                       true,
		"gzip .mcp.json":                               true, // it is removed
		"find . -name x -exec gunzip .mcp.json.gz \\;": true,
		"gunzip -c .mcp.json.gz":                       false,
		"gunzip a.json.gz":                             false,
		"cp .mcp.json.gz a":                            false,
	} {
		facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, nil)
		assert.Equal(t, want, len(facts.Touches) > 0, command)
		for _, touch := range facts.Touches {
			assert.Equal(t, "write", touch.Access, command)
		}
	}
}

func TestNamesThatOnlyRunningDecidesAreHazardsOfDecompressing(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string]string{"gunzip -N a.gz": "-N", "gunzip --name a.gz": "--name", "gunzip -r src": "-r", "zstd -dr src": "-r", "lz4 -dr src": "-r"} {
		assert.Contains(t, hazardsIn(t, root, command), want, command)
	}
}
