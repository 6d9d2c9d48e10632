package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer/host"
)

func TestAPathThroughADirectoryOfAProcessDependsOnTheProcess(t *testing.T) {
	for path, want := range map[string]bool{
		"/proc/self/root/x": true, "/proc": true, "/dev/fd/3": true, "/dev/fd/../cwd/x": true, "/dev/./fd/../cwd": true, "/x/../proc/1/cwd": true,
		"/dev//stdin": true, "/dev/tcp/host/1": true, "/dev/null": false, "/dev/shm/x": false, "/srv/proc/x": false, "/process": false, "/dev": false,
	} {
		assert.Equal(t, want, host.PerProcess(path), path)
		_, known := host.Claim(nil).Resolve(path)
		assert.Equal(t, !want, known, path)
	}
}

func TestWhatFollowsALinkOfAProcess(t *testing.T) {
	for path, want := range map[string]struct {
		rest       string
		rooted, ok bool
	}{
		"/proc/self/root/a/b":       {"/a/b", true, true},
		"/proc/self/root":           {"/", true, true},
		"/proc/1/task/7/root/a":     {"/a", true, true},
		"/proc/self/cwd/../a":       {"/a", false, true},
		"/proc/self/cwd/":           {"/", false, true},
		"/proc/self/fd/7/a":         {"/a", false, true},
		"/dev/fd/7/a":               {"/a", false, true},
		"/dev/fd/../root/a":         {"/a", true, true},
		"/x/../proc/./self//cwd/a":  {"/a", false, true},
		"/proc/self/status":         {},
		"/proc/self":                {},
		"/proc/self/../../srv/root": {},
		"/srv/proc/self/root/a":     {},
		"/":                         {},
	} {
		rest, rooted, ok := host.BehindProcess(path)
		assert.Equal(t, want.ok, ok, path)
		assert.Equal(t, want.rooted, rooted, path)
		assert.Equal(t, want.rest, rest, path)
	}
}
