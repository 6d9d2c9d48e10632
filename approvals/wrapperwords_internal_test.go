package approvals

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestAMultiplexerAndItsAppletAreShownAsOneWrapper(t *testing.T) {
	t.Parallel()
	wrappers := []gavel.Wrapper{{Kind: "dispatcher", Argv: []string{"env"}}, {Kind: "multiplexer", Argv: []string{"busybox"}},
		{Kind: "shell", Argv: []string{"sh", "-c"}}}
	bound := [][]string{{"dispatcher", "/usr/bin/env"}, {"multiplexer", "/usr/bin/busybox"}, {"shell", "/usr/bin/busybox", "-c"}}
	assert.Equal(t, [][]string{{"/usr/bin/env"}, {"/usr/bin/busybox", "sh", "-c"}}, wrapperWords(wrappers, bound))
	assert.Equal(t, []string{"multiplexer", "/usr/bin/busybox"}, bound[1], "what is bound is left unchanged")
	assert.Nil(t, wrapperWords(nil, nil))
}
