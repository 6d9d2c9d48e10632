package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer/host"
)

func TestAPathIsReadInADirectory(t *testing.T) {
	for name, c := range map[string]struct{ dir, path, want string }{
		"a relative path is behind the directory":         {"/srv/app", "src/x", "/srv/app/src/x"},
		"what it is written with stays":                   {"/srv/app", "../x/", "/srv/app/../x/"},
		"an empty path is the directory":                  {"/srv/app", "", "/srv/app/"},
		"an absolute path stands for itself":              {"/srv/app", "/etc/x", "/etc/x"},
		"an absolute path needs no directory":             {"", "/etc/x", "/etc/x"},
		"a relative path in an unknown directory is none": {"", "x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, host.In(c.dir, c.path))
		})
	}
}
