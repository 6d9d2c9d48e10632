package host_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gavel/analyzer/host"
)

// record is a line of testdata/tree.jsonl, or of testdata/paths.jsonl: a path below a tree, and
// where the kernel leads it. kind is exists, new for a file that can be created there, or none.
type record struct{ Kind, Path, To, Real string }

func records(t testing.TB, name string) (list []record) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // it was only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one record
		require.NoError(t, json.Unmarshal(lines.Bytes(), &one))
		list = append(list, one)
	}
	return list
}

// planted makes the tree in a directory of its own, and returns its real path.
func planted(t testing.TB) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, record := range records(t, "tree.jsonl") {
		at := filepath.Join(root, record.Path)
		switch record.Kind {
		case "dir":
			err = os.Mkdir(at, 0o700)
		case "file":
			err = os.WriteFile(at, nil, 0o600)
		case "link":
			err = os.Symlink(record.To, at)
		default:
			err = os.Link(filepath.Join(root, record.To), at)
		}
		require.NoError(t, err, record.Path)
	}
	return root
}

// opened returns where the kernel opens a path, or creates it.
func opened(t testing.TB, path string) (kind, real string) {
	t.Helper()
	kind = "exists"
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		kind = "new"
		fd, err = unix.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	}
	if err != nil {
		return "none", ""
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	real, err = os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	require.NoError(t, err)
	if kind == "new" {
		require.NoError(t, os.Remove(real))
	}
	return kind, real
}

func TestPathsLeadWhereTheKernelLeadsThem(t *testing.T) {
	t.Parallel()
	root := planted(t)
	local, cases := host.Local(), records(t, "paths.jsonl")
	require.Greater(t, len(cases), 200)
	for _, c := range cases {
		full := root + "/" + c.Path
		kind, real := opened(t, full)
		assert.Equal(t, c.Kind, kind, "the kernel has changed: %q", c.Path)
		if real != "" && (c.Real == "." || !strings.HasPrefix(c.Real, "^")) {
			assert.Equal(t, filepath.Join(root, c.Real), real, "%q", c.Path)
		}
		got, ok := local.Resolve(full)
		switch kind {
		case "exists":
			assert.True(t, ok, "%q", c.Path)
			assert.Equal(t, real, got, "%q", c.Path)
		case "new":
			assert.True(t, !ok || got == real, "%q: %s, the kernel creates %s", c.Path, got, real)
		}
	}
}

func FuzzPathsLeadWhereTheKernelLeadsThem(f *testing.F) {
	for _, c := range records(f, "paths.jsonl") {
		f.Add(c.Path)
	}
	root, local := planted(f), host.Local()
	f.Fuzz(func(t *testing.T, path string) {
		if strings.Count(path, "..") > 0 || strings.ContainsRune(path, 0) {
			return // a found path must not create files outside the tree
		}
		kind, real := opened(t, root+"/"+path)
		if got, ok := local.Resolve(root + "/" + path); ok && kind != "none" {
			require.Equal(t, real, got)
		}
	})
}

func TestAPathWithANULByteLeadsNowhere(t *testing.T) {
	t.Parallel()
	_, ok := host.Local().Resolve(planted(t) + "/f\x00/../a")
	assert.False(t, ok)
}
