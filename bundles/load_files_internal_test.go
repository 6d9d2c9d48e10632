package bundles

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnUnreadableFileIsNamed(t *testing.T) {
	t.Parallel()
	found := Problems(explainPermission(fmt.Errorf("read policy: %w", &fs.PathError{Op: "open", Path: "p/config.yaml", Err: syscall.EACCES})))
	assert.Equal(t, "p/config.yaml: this user may not read it", found[0].String())
	assert.Contains(t, found[0].Fix, "let the user that runs gavel read it")

	other := &fs.PathError{Op: "read", Path: "p", Err: syscall.EIO}
	assert.Equal(t, error(other), explainPermission(other))
}
