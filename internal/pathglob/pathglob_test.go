package pathglob_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/internal/pathglob"
)

func TestTheFirstMatchingPatternIsFound(t *testing.T) {
	x := pathglob.New([]string{"rg", "/usr/bin/r*", "/usr/bin/rg", "~/bin/**", "/opt/**/tool", "~root/x", "/a[b]"})
	for name, c := range map[string]struct {
		path string
		want int
	}{
		"a glob before the exact path":         {"/usr/bin/rg", 1},
		"a star stays inside a directory":      {"/usr/bin/r/x", -1},
		"two stars cross them":                 {"/opt/a/b/tool", 4},
		"the home directory":                   {"/home/u/bin/a/b", 3},
		"a bracket is itself":                  {"/a[b]", 6},
		"and no class":                         {"/ab", -1},
		"a bare name matches nothing":          {"/bin/rg", -1},
		"another user's home matches nothing":  {"/root/x", -1},
		"a path that begins like the home one": {"/home/user/bin/a", -1},
	} {
		got, ok := x.First(c.path, "/home/u")
		if !ok {
			got = -1
		}
		assert.Equal(t, c.want, got, name)
	}
	anything, ok := pathglob.New([]string{"/x", "*"}).First("/y", "")
	assert.True(t, ok)
	assert.Equal(t, 1, anything)
}

func TestEveryPatternThatFitsIsFound(t *testing.T) {
	x := pathglob.New([]string{"/usr/bin/r*", "/usr/bin/rg", "~/bin/**", "/**", "/home/u/bin/a", "/usr/bin/rg"})
	assert.ElementsMatch(t, []int{0, 1, 3}, x.All("/usr/bin/rg", "/home/u"))
	assert.ElementsMatch(t, []int{2, 3, 4}, x.All("/home/u/bin/a", "/home/u"))
	assert.Empty(t, pathglob.New([]string{"rg", "/usr/bin/x"}).All("/usr/bin/rg", ""))
}
