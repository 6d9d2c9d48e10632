package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestSegmentsSayThroughWhatTheyRun(t *testing.T) {
	t.Parallel()
	exec := analyze(t, wrapped(), `ls; nice -n 5 env A=1 bash -ec 'cat f; id'`)
	require.Len(t, exec.Segments, 3)
	assert.Equal(t, []gavel.Wrapper{}, exec.Segments[0].Wrappers)
	for _, segment := range exec.Segments[1:] {
		kinds := []string{}
		for _, wrapper := range segment.Wrappers {
			kinds = append(kinds, wrapper.Kind+" "+wrapper.Executable.Real+" "+strings.Join(wrapper.Argv, " "))
		}
		assert.Equal(t, []string{"dispatcher /usr/bin/nice nice -n 5", "dispatcher /usr/bin/env env A=1", "shell /usr/bin/bash bash -ec"}, kinds)
		assert.Equal(t, 4, segment.Start, "the place is the wrapper's, in the command as given")
		assert.Equal(t, len(exec.Command), segment.End)
	}
	assert.Equal(t, `'/usr/bin/ls'; '/usr/bin/nice' '-n' '5' '/usr/bin/env' 'A=1' '/usr/bin/bash' '-ec' ''\''/usr/bin/cat'\'' '\''f'\''; '\''/usr/bin/id'\'''`, exec.Rendered)
	exec = analyze(t, wrapped(), `busybox sh -c 'ls'; busybox cat f`)
	assert.Equal(t, `'/usr/bin/busybox' 'sh' '-c' ''\''/usr/bin/ls'\'''; '/usr/bin/busybox' 'cat' 'f'`, exec.Rendered)
}

func TestVariablesOfWrappersAreFacts(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"env -i PATH=/usr/bin bash -c ls":           {"PATH"},
		"env -u ld_preload -uB --unset C D=1 e= ls": {"B", "C", "D", "E", "LD_PRELOAD"},
		"bash -c 'nice env A=1 ls; env B=1 ls'":     {"A", "B"},
		"nice -n A=1 ls":                            {},
		"ls A=1":                                    {},
	} {
		assert.Equal(t, want, analyze(t, wrapped(), command).Env, command)
	}
}

func TestFilesBehindTheNamesOfWrappers(t *testing.T) {
	t.Parallel()
	for about, tc := range map[string]struct{ word, real, opaque string }{
		"sh is dash":                       {"sh", "/usr/bin/dash", ""},
		"env is all of coreutils":          {"env", "/usr/bin/coreutils", ""},
		"timeout is busybox":               {"timeout", "/bin/busybox", "timeout, which is busybox"},
		"sh is zsh":                        {"sh", "/usr/bin/zsh", "sh, which is zsh"},
		"a link to bash by any other name": {"mytool", "/usr/bin/bash", "mytool, another name for bash"},
		"finding 30: a program of busybox": {"ls", "/bin/busybox", ""},
	} {
		environment := wrapped()
		environment.Executables["/usr/bin/"+tc.word] = tc.real
		command := map[bool]string{true: "-c ls", false: "5 ls"}[tc.word == "sh"]
		exec := analyze(t, environment, "/usr/bin/"+tc.word+" "+command)
		require.NotEmpty(t, exec.Segments, "%s: %+v", about, exec.Refusal)
		assert.Equal(t, tc.opaque, exec.Segments[0].Opaque, about)
	}
}
