package wrappers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wrappers"
)

// every says that the options of each program are known, and that no variable is denied.
func every() wrappers.Catalog {
	return wrappers.Catalog{Known: func(string) bool { return true }, Denied: func(string) bool { return false }}
}

func TestARuleForSingleArgumentsOfAnUnknownProgramIsWarnedAbout(t *testing.T) {
	known := func(program string) bool { return program == "/bin/sleep" }
	for name, c := range map[string]struct {
		tool  string
		warns bool
	}{
		"one argument":                  {"binary: /bin/true, mode: allowlist, allowed_args: [{pattern: ^list$}]", true},
		"one argument, beside others":   {"binary: /bin/true, mode: allowlist, allowed_args: [{match: argv, argv: [x]}, {match: arg, pattern: x}]", true},
		"the whole line":                {"binary: /bin/true, mode: allowlist, allowed_args: [{match: command, pattern: ^list$}]", false},
		"each argument":                 {"binary: /bin/true, mode: allowlist, allowed_args: [{match: argv, argv: [list]}]", false},
		"what blocks matches any word":  {"binary: /bin/true, blocked_args: [{pattern: ^list$}]", false},
		"a program of the catalog":      {"binary: /bin/sleep, mode: allowlist, allowed_args: [{pattern: ^list$}]", false},
		"nothing is said of the syntax": {"binary: /bin/true", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wrappers.yaml")
			require.NoError(t, os.WriteFile(path, []byte("tools:\n  t: {"+c.tool+"}\n"), 0o600))
			config, err := wrappers.Load(path, wrappers.Catalog{Known: known, Denied: every().Denied})
			require.NoError(t, err)
			if !c.warns {
				assert.Empty(t, config.Warnings)
				return
			}
			require.Len(t, config.Warnings, 1)
			assert.Contains(t, config.Warnings[0].String(), path+":2:")
			assert.Contains(t, config.Warnings[0].Message, "true is not in the catalog of programs")
		})
	}
}
