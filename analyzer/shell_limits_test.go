package analyzer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHugeTexts passes when nothing crashes: a stack that overflows ends the
// process. The deadline is generous; it catches only what never comes back.
func TestHugeTexts(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"(", "$(", "{ ", "{", "if ", "while ", "for i do ", "case x in x) ", "[[ (", "[[ ! ", "((", "$((", "$((-",
		"'", "\"", "\"$(", "`", "\\`", "${a-", "\"${a-", "a[", "a=(", "<(", "<<a ", "<<a\n", "f()", "f() {", "time ", "! ", "coproc ",
		"a|", "a&&", "a;", "a ", "(')' ", "$(')' ", "@(", "\\\n", " \\\n", "#", "\xff", "é", "elif ", "'' ", "((1?", "[[ a&&"} {
		for _, size := range []int{200_000 * len(unit), 65_536} {
			for _, head := range []string{"", "((", "[[ "} {
				text := head + strings.Repeat(unit, size/len(unit))
				done := make(chan bool, 1)
				go func() { done <- analyze(t, claims("bash", "a"), text).Parsed }()
				select {
				case parsed := <-done:
					assert.False(t, parsed && len(text) > 65_536, "%q is longer than the limit", unit)
				case <-time.After(time.Minute):
					require.Fail(t, "no answer", "%q", head+unit)
				}
			}
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ command, kind string }{
		"a text of 64 KiB is read":                   {"a " + strings.Repeat("x", 65_534), ""},
		"a longer text is refused":                   {"a " + strings.Repeat("x", 65_535), "limit"},
		"64 openings are read":                       {"a '" + strings.Repeat("(", 64) + "'", ""},
		"65 openings are refused, in quotes as well": {"a '" + strings.Repeat("(", 65) + "'", "limit"},
		"closings in quotes buy no depth forever":    {strings.Repeat("( ')' ", 2049), "limit"},
		"256 commands are read":                      {strings.Repeat("a;", 256), ""},
		"1025 commands are refused":                  {strings.Repeat("a;", 1025), "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exec := analyze(t, claims("bash", "a"), tc.command)
			if tc.kind == "" {
				assert.Nil(t, exec.Refusal)
				return
			}
			require.NotNil(t, exec.Refusal)
			assert.Equal(t, tc.kind, exec.Refusal.Kind)
		})
	}
}
