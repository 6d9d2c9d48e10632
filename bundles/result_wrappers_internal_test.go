package bundles

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestWrappersAreReturnedAsTheyRun(t *testing.T) {
	t.Parallel()
	wrapper := func(kind, real string, argv ...string) gavel.Wrapper {
		return gavel.Wrapper{Kind: kind, Argv: argv, Executable: gavel.Executable{Real: real}}
	}
	busybox := wrapper("multiplexer", "/usr/bin/busybox", "busybox")
	shell := wrapper("shell", "/usr/bin/busybox", "sh", "-c")
	for name, test := range map[string]struct {
		given []gavel.Wrapper
		want  [][]string
	}{
		"none":                            {nil, nil},
		"a shell is run by its real path": {[]gavel.Wrapper{wrapper("shell", "/usr/bin/dash", "sh", "-c")}, [][]string{{"/usr/bin/dash", "-c"}}},
		"the shell of a multiplexer is one of its words": {[]gavel.Wrapper{busybox, shell}, [][]string{{"/usr/bin/busybox", "sh", "-c"}}},
		"so it is behind another wrapper": {[]gavel.Wrapper{wrapper("dispatcher", "/usr/bin/env", "env", "-i"), busybox, shell},
			[][]string{{"/usr/bin/env", "-i"}, {"/usr/bin/busybox", "sh", "-c"}}},
		"a multiplexer may run itself": {[]gavel.Wrapper{busybox, busybox, shell}, [][]string{{"/usr/bin/busybox", "busybox", "sh", "-c"}}},
		"builtins and runners do not run": {[]gavel.Wrapper{wrapper("builtin", "", "command"), wrapper("runner", "/usr/bin/npx", "npx"), busybox},
			[][]string{{"/usr/bin/busybox"}}},
	} {
		assert.Equal(t, test.want, wrapperCommands(test.given), name)
	}
}
