package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// credential are the facts about arguments for a program with credentials.
func credential(t *testing.T, binary string, change map[string]any, args ...string) *gavel.CredentialFacts {
	t.Helper()
	words := make([]any, len(args))
	for i, arg := range args {
		words[i] = arg
	}
	params := map[string]any{"tool": "t", "binary": binary, "args": words, "cwd": "/w", "uid": 1000.0, "caller": "/usr/bin/gavel", "env": []any{}, "dropped": []any{},
		"pty": false, "credentials": []any{"token"}, "allowlist": false, "blocked": []any{}, "allowed": []any{}}
	for name, value := range change {
		params[name] = value
		if value == nil {
			delete(params, name)
		}
	}
	observed := facts(t, gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "credential", Params: params}})
	require.NotNil(t, observed.Credential)
	return observed.Credential
}

func TestEveryFormOfAnArgumentIsReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"a value behind an equals sign": {[]string{"--method=DELETE"}, []string{"--method", "DELETE", "--method DELETE"}},
		"a value in the next word":      {[]string{"--method", "DELETE"}, []string{"--method=DELETE", "--method DELETE"}},
		"a cluster":                     {[]string{"-rf"}, []string{"-r", "-f", "f"}},
		"a value in a cluster":          {[]string{"-sXDELETE"}, []string{"-X", "DELETE", "-X=DELETE", "-X DELETE"}},
		"a value behind a cluster":      {[]string{"-sX", "DELETE"}, []string{"-X", "-X=DELETE"}},
		"an equals sign in a cluster":   {[]string{"-X=DELETE"}, []string{"-X", "DELETE"}},
		"a word behind two dashes":      {[]string{"--", "delete"}, []string{"delete"}},
		"an assignment":                 {[]string{"if=/dev/sda"}, []string{"if", "/dev/sda"}},
		"a single dash before a name":   {[]string{"-auto-approve"}, []string{"-auto-approve", "--auto-approve", "-a"}},
		"one dash, and a value":         {[]string{"-force=true"}, []string{"--force", "--force=true", "true"}},
		"two dashes for one":            {[]string{"--x=1"}, []string{"-x", "-x=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := credential(t, "/opt/unknown", nil, c.args...)
			assert.True(t, facts.Complete)
			assert.Subset(t, facts.Words, c.want)
			assert.Subset(t, facts.Words, c.args)
		})
	}
}

func TestEveryFormOfTheCommandLineIsReported(t *testing.T) {
	t.Parallel()
	facts := credential(t, "/opt/unknown", nil, "--verbose", "repo", "--", "delete", "x")
	assert.Contains(t, facts.Lines, "repo delete x")
	facts = credential(t, "/opt/unknown", nil, "-R", "o/r", "repo", "--yes", "delete")
	assert.Contains(t, facts.Lines, "repo")
	assert.Contains(t, facts.Lines, "o/r repo delete")
	facts = credential(t, "/opt/unknown", nil, "pr", "merge", "--method", "squash")
	assert.Contains(t, facts.Lines, "pr merge --method=squash")
	assert.Equal(t, []string{"pr", "merge"}, facts.Leading)
	assert.Equal(t, []string{"--method"}, facts.Unlisted)
	assert.Equal(t, []string{}, credential(t, "/opt/unknown", nil).Lines)
}

func TestAnArgumentThatLooksLikeTwoIsQuoted(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `pr view 'a b' '' 'it'\''s'`, credential(t, "/opt/unknown", nil, "pr", "view", "a b", "", "it's").Quoted)
}

func TestArgumentsThatCannotBeReadAreIncomplete(t *testing.T) {
	t.Parallel()
	long := make([]byte, 70)
	for i := range long {
		long[i] = 'a'
	}
	assert.False(t, credential(t, "/opt/unknown", nil, "-"+string(long)+"XDELETE").Complete)
	assert.True(t, credential(t, "/opt/unknown", nil, `-d{"title": "`+string(long)+string(long)+`"}`).Complete)
	for name, change := range map[string]map[string]any{
		"no tool": {"tool": nil}, "an empty tool": {"tool": ""}, "a relative program": {"binary": "gh"}, "no arguments": {"args": nil}, "other arguments": {"args": "x"},
		"no rules": {"blocked": nil}, "a rule of another shape": {"blocked": []any{"x"}}, "a rule with another key": {"allowed": []any{map[string]any{"patern": "x"}}},
		"something unknown": {"extra": true}, "no directory": {"cwd": nil}, "no mode": {"allowlist": nil},
	} {
		assert.False(t, credential(t, "/opt/unknown", change, "x").Complete, name)
	}
	assert.Equal(t, 0, credential(t, "/opt/unknown", map[string]any{"uid": 0.0}).UID)
	assert.True(t, credential(t, "/opt/unknown", map[string]any{"uid": 0.0}).Complete)
}

func TestAPatternNamesItsLongOptions(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string][]string{
		"--force": {"--force"}, "^--force$": {"--force"}, "--(force|delete-branch)": {"--delete-branch", "--force"}, "^(--admin|-f)(=.*)?$": {"--admin"},
		"(?i)--Force": {"--force"}, "delete": {}, "--[a-z]+": {}, ".*": {}, "--forc[eé]": {"--forc", "--force"}, "(": {},
	} {
		rule := map[string]any{"match": "arg", "pattern": pattern, "argv": []any{}, "message": ""}
		facts := credential(t, "/opt/unknown", map[string]any{"blocked": []any{rule}})
		require.Len(t, facts.Blocked, 1)
		assert.Equal(t, want, facts.Blocked[0].Options, pattern)
	}
}
