//go:build unix

package bundles_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bundles"
	"gavel/rego"
)

// endsSoon fails the test if f does not return.
func endsSoon(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it does not return")
	}
}

func TestRT11AFileThatIsNotRegularIsAnErrorAndNeverBlocks(t *testing.T) {
	pipe := func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) }
	device := func(t *testing.T, path string) { require.NoError(t, os.Symlink("/dev/zero", path)) }
	for name, put := range map[string]func(*testing.T, string){"a pipe": pipe, "a link to a device": device,
		"a link to a pipe": func(t *testing.T, path string) {
			pipe(t, path+".pipe")
			require.NoError(t, os.Symlink(path+".pipe", path))
		},
		"a socket": func(t *testing.T, path string) {
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			require.NoError(t, err)
			t.Cleanup(func() { _ = syscall.Close(fd) })
			t.Chdir(filepath.Dir(path)) // the path of a socket must be short
			require.NoError(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Base(path)}))
		},
	} {
		for _, place := range []string{"gavel.yaml", "policy.tar.gz", "dir/config.yaml", "dir/custom/x.rego", "dir/data.yaml", "dir/.manifest"} {
			t.Run(name+" as "+place, func(t *testing.T) {
				root := policyDir(t, "dir/custom/y.rego", "package custom.y\n")
				if place != "dir/config.yaml" {
					writeFile(t, filepath.Join(root, "dir/config.yaml"), plainConfig)
				}
				put(t, filepath.Join(root, place))
				policy := filepath.Join(root, "dir")
				if filepath.Dir(place) == "." {
					policy = filepath.Join(root, place)
				}
				endsSoon(t, func() { assert.Contains(t, problemsOf(t, policy)[0].Message, "not a regular file") })
			})
		}
	}
}

func TestRT11ALinkInABundleIsRefused(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	require.NoError(t, archive.WriteHeader(&tar.Header{Name: "config.yaml", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}))
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	path := filepath.Join(t.TempDir(), "policy.tar.gz")
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	assert.Contains(t, problemsOf(t, path)[0].Message, "not a regular file")
}

func TestRT11APolicyThatBecomesAPipeIsStaleUntilItIsAFileAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(policyDir(t, "gavel.yaml", plainConfig), "gavel.yaml")
	store, err := bundles.Open(t.Context(), shipped(path))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	watched := make(chan error, 1)
	go func() { watched <- store.Watch(ctx) }()
	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	require.Eventually(t, func() bool { return !store.Status().StaleSince.IsZero() }, time.Minute, 10*time.Millisecond)
	require.NoError(t, os.Remove(path))
	writeFile(t, path, "tools: {profile: minimal}\nagents: {main: {}}\n")
	require.Eventually(t, func() bool { return store.Status().Reloads == 2 }, time.Minute, 10*time.Millisecond)
	assert.True(t, store.Status().StaleSince.IsZero())
	stop()
	endsSoon(t, func() { require.NoError(t, <-watched) })
}

// hangingFS is a shipped policy on a disk that does not respond until release is closed.
type hangingFS struct {
	fs.FS
	opened, release chan struct{}
}

func (s hangingFS) Open(name string) (fs.File, error) {
	select {
	case s.opened <- struct{}{}:
	default:
	}
	<-s.release
	return s.FS.Open(name)
}

// storeOnHangingDisk returns an open store whose policy has changed, and whose disk hangs from now
// on. It has no compile cache, because nothing outside a bubble of synctest can wait for Rego that is
// compiled in it.
func storeOnHangingDisk(t *testing.T, limit time.Duration) (*bundles.Store, *hangingFS) {
	t.Helper()
	dir := policyDir(t, "config.yaml", plainConfig)
	cfg := shipped(dir)
	answers := make(chan struct{})
	close(answers)
	disk := &hangingFS{FS: rego.Policy, opened: make(chan struct{}, 1), release: answers}
	cfg.Builtin, cfg.LoadTime, cfg.CompileCache = disk, limit, nil
	store, err := bundles.Open(t.Context(), cfg)
	require.NoError(t, err)
	disk.release = make(chan struct{})
	writeFile(t, filepath.Join(dir, "config.yaml"), "tools: {profile: minimal}\nagents: {main: {}}\n")
	return store, disk
}

func TestRT11AHangingLoadLeavesThePolicyStaleAndIsRepeated(t *testing.T) {
	t.Parallel()
	store, disk := storeOnHangingDisk(t, time.Minute)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- store.Reload(ctx) }()
	stop()
	endsSoon(t, func() { require.ErrorIs(t, <-ended, context.Canceled, "stopping does not wait for the disk") })
	endsSoon(t, func() { require.ErrorContains(t, store.Reload(t.Context()), "has not finished") })
	assert.False(t, store.Status().StaleSince.IsZero(), "stale")
	close(disk.release)
}

// The test has a fake clock, so that it does not wait for two minutes.
func TestRT11ALoadHasADeadlineAndIsRepeatedWhenItEnds(t *testing.T) {
	for name, c := range map[string]struct{ limit, want time.Duration }{
		"two minutes by default": {0, 2 * time.Minute},
		"as long as is said":     {3 * time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, disk := storeOnHangingDisk(t, c.limit)
				good := store.Status().Revision
				began := time.Now()
				require.ErrorContains(t, store.Reload(t.Context()), "within "+c.want.String())
				assert.Equal(t, c.want, time.Since(began))
				assert.False(t, store.Status().StaleSince.IsZero(), "stale")
				assert.Equal(t, good, store.Status().Revision, "the last good one stays")

				close(disk.release)
				synctest.Wait()
				assert.True(t, store.Status().StaleSince.IsZero(), "the load that ended too late is made again")
				assert.NotEqual(t, good, store.Status().Revision)
			})
		})
	}
}
