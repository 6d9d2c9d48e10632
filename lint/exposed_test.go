//go:build unix

package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/lint"
)

func TestAPolicyThatOthersMayChangeIsAWarning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chmod map[string]os.FileMode
		want  map[string]string
	}{
		"nobody else":                 {},
		"everybody may write a file":  {map[string]os.FileMode{"p/config.yaml": 0o666}, map[string]string{"p/config.yaml": "everybody"}},
		"a group may write a file":    {map[string]os.FileMode{"p/custom/x.rego": 0o664}, map[string]string{"p/custom/x.rego": "a group"}},
		"everybody may add files":     {map[string]os.FileMode{"p/custom": 0o777}, map[string]string{"p/custom": "everybody"}},
		"the directory above":         {map[string]os.FileMode{".": 0o777}, map[string]string{".": "everybody"}},
		"only owners replace there":   {map[string]os.FileMode{".": 0o777 | os.ModeSticky}, nil},
		"several of them":             {map[string]os.FileMode{"p": 0o775, "p/config.yaml": 0o622}, map[string]string{"p": "a group", "p/config.yaml": "everybody"}},
		"others may read all of them": {map[string]os.FileMode{"p/config.yaml": 0o644, "p": 0o755}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "r")
			require.NoError(t, os.MkdirAll(filepath.Join(root, "p", "custom"), 0o700))
			for _, file := range []string{"p/config.yaml", "p/custom/x.rego"} {
				require.NoError(t, os.WriteFile(filepath.Join(root, file), nil, 0o600))
			}
			for file, mode := range c.chmod {
				require.NoError(t, os.Chmod(filepath.Join(root, file), mode))
			}
			found := map[string]string{}
			for _, p := range lint.Exposed(filepath.Join(root, "p")) {
				file, err := filepath.Rel(root, p.File)
				require.NoError(t, err)
				if file == ".." || filepath.Dir(file) == ".." || len(file) > 2 && file[:3] == "../" {
					continue // the directories of the test itself
				}
				for _, who := range []string{"everybody", "a group"} {
					if len(p.Message) > len(who) && p.Message[:len(who)] == who {
						found[file] = who
					}
				}
				assert.Contains(t, p.Fix, "chmod go-w")
			}
			if c.want == nil {
				c.want = map[string]string{}
			}
			assert.Equal(t, c.want, found)
		})
	}
}
