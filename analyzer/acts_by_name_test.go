package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// linked is a directory of programs and of links to them.
func linked(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"bin", "lib/ccache", "venv/bin", "alternatives", "other"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, file := range []string{"zstd", "busybox", "python3.12", "clang-15", "vim.basic", "pg_wrapper", "ccache", "rustup", "tool", "dash"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", file), nil, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "venv/pyvenv.cfg"), nil, 0o644))
	for link, target := range map[string]string{
		"bin/zstdcat": "zstd", "bin/frobcat": "zstd", "bin/ls": "busybox", "bin/wget": "busybox", "bin/sh": "dash",
		"bin/python3": "python3.12", "venv/bin/python": "../../bin/python3.12", "other/python3": "../bin/python3.12",
		"bin/vi": "../alternatives/vi", "alternatives/vi": "../bin/vim.basic", "bin/vim": "vim.basic",
		"bin/psql": "pg_wrapper", "lib/ccache/gcc": "../../bin/ccache", "bin/cargo": "rustup", "bin/link": "tool",
		"bin/clang": "clang-15", "bin/clang++-15": "clang-15", "bin/x86_64-linux-gnu-clang": "clang-15",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	return root
}

// TestProgramsWhoseNameDecidesRunByTheLink: the link that was named is what runs
// and what is judged.
func TestProgramsWhoseNameDecidesRunByTheLink(t *testing.T) {
	t.Parallel()
	root := linked(t)
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Cwd: root, Path: []string{root + "/bin"}})
	require.NoError(t, err)
	for _, c := range []struct{ name, word, real, opaque string }{
		{"zstdcat decompresses", "zstdcat", "bin/zstdcat", ""},
		{"an unknown name of a known program", "frobcat", "bin/zstd", "frobcat, which is zstd"},
		{"an applet of busybox", "ls", "bin/ls", ""},
		{"an applet whose options nobody read", "wget", "bin/busybox", "wget, another name for busybox"},
		{"a python of the same directory is that python", "python3", "bin/python3.12", ""},
		{"a python of a virtual environment", "venv/bin/python", "venv/bin/python", ""},
		{"a python elsewhere without one", "other/python3", "bin/python3.12", ""},
		{"vi, by two links", "vi", "bin/vi", ""},
		{"vim, which is that vim", "vim", "bin/vim.basic", ""},
		{"Debian's psql", "psql", "bin/psql", ""},
		{"a compiler of ccache's", "lib/ccache/gcc", "lib/ccache/gcc", ""},
		{"a program of rustup's", "cargo", "bin/cargo", ""},
		{"clang, with a version behind it", "clang", "bin/clang-15", ""},
		{"clang for another language", "clang++-15", "bin/clang++-15", ""},
		{"clang for another target", "x86_64-linux-gnu-clang", "bin/x86_64-linux-gnu-clang", ""},
		{"any other link is the file behind it", "link", "bin/tool", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			exec := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": c.word + " x"}}}, nil).Exec
			require.Len(t, exec.Segments, 1)
			got := exec.Segments[0]
			assert.Equal(t, root+"/"+c.real, got.Executable.Real)
			assert.Equal(t, filepath.Base(c.real), got.Executable.RealName)
			assert.Equal(t, c.opaque, got.Opaque)
			assert.Equal(t, "'"+root+"/"+c.real+"' 'x'", exec.Rendered)
		})
	}
}

// TestALinkThatOthersCanChangeIsWritable looks at every directory on the way.
func TestALinkThatOthersCanChangeIsWritable(t *testing.T) {
	t.Parallel()
	root := linked(t)
	require.NoError(t, os.Chmod(filepath.Join(root, "alternatives"), 0o777))
	program, found := host.Local().Named("vi", []string{root + "/bin"})
	require.True(t, found)
	assert.Equal(t, root+"/bin/vi", program.Link)
	assert.Contains(t, program.LinkWritable, "directory")
	assert.False(t, program.LinkOfRoot)
}

// TestAClaimedLinkIsRunByItsName is the same of what a gateway says.
func TestAClaimedLinkIsRunByItsName(t *testing.T) {
	t.Parallel()
	environment := claims("bash")
	environment.Executables = map[string]string{"zstdcat": "/usr/bin/zstdcat", "/usr/bin/zstdcat": "/usr/bin/zstd", "sh": "/bin/sh", "/bin/sh": "/bin/busybox", "id": "/usr/bin/id"}
	assert.Equal(t, "'/usr/bin/zstdcat' 'a.zst'", observe(t, environment, "zstdcat a.zst").Rendered)
	shell := observe(t, environment, "sh -c id")
	assert.Equal(t, `'/bin/sh' '-c' ''\''/usr/bin/id'\'''`, shell.Rendered)
	assert.Equal(t, "/usr/bin/id", shell.Segments[0].Executable.Real)
}
