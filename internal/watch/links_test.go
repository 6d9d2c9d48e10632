package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// mount is a directory as Kubernetes mounts a ConfigMap, with version 1.
func mount(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	version(t, dir, "..2026_01", "one")
	require.NoError(t, os.Symlink("..2026_01", filepath.Join(dir, "..data")))
	require.NoError(t, os.Symlink("..data/config.yaml", filepath.Join(dir, "config.yaml")))
	return dir
}

func version(t *testing.T, dir, name, text string) {
	t.Helper()
	write(t, filepath.Join(mkdir(t, filepath.Join(dir, name)), "config.yaml"), text)
}

// swap makes ..data point to another version, as the kubelet does.
func swap(t *testing.T, dir, to, old string) {
	t.Helper()
	require.NoError(t, os.Symlink(to, filepath.Join(dir, "..data_tmp")))
	require.NoError(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, old)))
}

func TestKubernetesSwapsAreNoticed(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"the mount is watched": ".", "one file of it is watched": "config.yaml"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := mount(t)
			w := start(t, eventsOnly(filepath.Join(dir, path)))
			version(t, dir, "..2026_02", "two")
			swap(t, dir, "..2026_02", "..2026_01")
			w.told(t)
			version(t, dir, "..2026_03", "three")
			swap(t, dir, "..2026_03", "..2026_02")
			w.told(t)
		})
	}
}

func TestALinkOnTheWayIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(mkdir(t, filepath.Join(dir, "v1", "policy")), "config.yaml"), "one")
	write(t, filepath.Join(mkdir(t, filepath.Join(dir, "v2", "policy")), "config.yaml"), "two")
	require.NoError(t, os.Symlink("v1", filepath.Join(dir, "current")))
	w := start(t, eventsOnly(filepath.Join(dir, "current", "policy")))
	require.NoError(t, os.Symlink("v2", filepath.Join(dir, "next")))
	require.NoError(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "current")))
	w.told(t)
}

func TestALinkBehindALinkIsReplaced(t *testing.T) {
	t.Parallel()
	for name, links := range map[string][][2]string{
		"the policy leads to what is replaced": {{"current", "v1"}, {"link", "current/policy"}},
		"a link behind a link":                 {{"current", "v1"}, {"stable", "current"}, {"link", "stable/policy"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(mkdir(t, filepath.Join(dir, "v1", "policy")), "config.yaml"), "one")
			write(t, filepath.Join(mkdir(t, filepath.Join(dir, "v2", "policy")), "config.yaml"), "two")
			for _, link := range links {
				require.NoError(t, os.Symlink(link[1], filepath.Join(dir, link[0])))
			}
			w := start(t, eventsOnly(filepath.Join(dir, "link")))
			require.NoError(t, os.Symlink("v2", filepath.Join(dir, "next")))
			require.NoError(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "current")))
			w.told(t)
		})
	}
}
