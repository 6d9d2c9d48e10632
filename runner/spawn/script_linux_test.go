package spawn

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAShellMaySpellTheNameOfItsScriptDifferently(t *testing.T) {
	s := &Script{Dir: "/w"}
	for path, want := range map[string]bool{"x.sh": true, "./x.sh": true, "/w/x.sh": true, "/w/../w//x.sh": true, "": false, ".": false, "/x.sh": false, "x.sh.old": false, "/w/a/x.sh": false} {
		assert.Equal(t, want, s.named(path, "x.sh"), path)
		assert.Equal(t, want, s.named(path, "/w/x.sh"), path)
	}
}
