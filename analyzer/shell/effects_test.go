package shell_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
	"gavel/rego"
)

func effects(t *testing.T) *shell.Effects {
	t.Helper()
	catalog, err := programs.Read(rego.Policy)
	require.NoError(t, err)
	return shell.NewEffects(catalog)
}

func TestBuiltinsSetTheVariablesThatTheirWordsName(t *testing.T) {
	t.Parallel()
	e := effects(t)
	for command, want := range map[string][]string{
		"read a b":             {"a", "b"},
		"/usr/bin/read a":      {"a"},
		"command builtin read": nil,
		"builtin unset PATH":   {"PATH"},
		"printf -v a %s":       {"a"},
		"printf -va %s":        {"a"},
		"printf %s -v a":       nil,
		"wait -n -p a":         {"a"},
		"wait a":               nil,
		"set +A a b":           {"a", "b"},
		"set a":                nil,
		"rg a":                 nil,
	} {
		var words []shell.Word
		for _, text := range strings.Fields(command) {
			words = append(words, shell.Word{Text: text})
		}
		names, unknown := e.VariablesSet(words)
		for _, name := range want {
			assert.Contains(t, names, name, command)
		}
		assert.Equal(t, want == nil, len(names) == 0, "%s sets %v", command, names)
		assert.False(t, unknown, command)
	}
}

func TestTheDirectoryIsKnownOnlyAfterCdWithOneOperand(t *testing.T) {
	t.Parallel()
	parsers, err := shell.NewParsers(effects(t))
	require.NoError(t, err)
	for text, unknown := range map[string]bool{
		"cd a && rg x":         false,
		"cd a b && rg x":       true,
		"chdir a && rg x":      true,
		"pushd a && rg x":      true,
		"eval 'cd a' && rg x":  true,
		"command cd && rg x":   true,
		"cd a || exit; rg x":   false,
		"cd a || return; rg x": true,
		"type cd && rg x":      false,
	} {
		s := parsers.Parse(text, "bash")
		require.NotEmpty(t, s.Commands, "%s: %v", text, s.Refusal)
		assert.Equal(t, unknown, s.Commands[len(s.Commands)-1].Dir.Unknown, text)
	}
}

func TestOnlyListedOptionsOfADeclarationAreUnderstood(t *testing.T) {
	t.Parallel()
	parsers, err := shell.NewParsers(effects(t))
	require.NoError(t, err)
	for text, want := range map[string]struct{ understood, exported bool }{
		"declare a=1":     {true, false},
		"declare -gx a=1": {true, true},
		"declare -n a=b":  {false, false},
		"local -x a=1":    {false, false},
		"declare +x a=1":  {false, false},
		"export a=1":      {true, true},
		"nameref a=b":     {false, false},
	} {
		s := parsers.Parse(text, "bash")
		assert.Equal(t, want.understood, s.Refusal == nil, "%s: %v", text, s.Refusal)
		if want.understood {
			require.NotEmpty(t, s.Values, text)
			assert.Equal(t, want.exported, s.Values[0].Exported, text)
		}
	}
}
