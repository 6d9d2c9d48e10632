package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAReusedWalkerHoldsNothingOfThePreviousText(t *testing.T) {
	t.Parallel()
	texts := []string{
		"ls -l", "", "A=1 ls $A", "export B=2; for x in *.c; do cc \"$x\"; done", "f() { ls; }; f | wc", "cd /srv && ls > out 2>&1", "cat <<E\n$HOME\nE",
		"echo \"a\\b\" 'ä' $(date) `id`", "ls | grep x | head -1 &", "if true; then ls; fi", "ls;;", "(", "((x = 1)); echo $x", "diff <(ls a) <(ls b)",
		strings.Repeat("ls a b c; ", 100), "wc",
	}
	for _, shell := range []string{"bash", "sh", "mksh", "zsh"} {
		reused, err := NewParsers(&Effects{})
		require.NoError(t, err)
		for range 2 {
			for _, text := range texts {
				fresh, err := NewParsers(&Effects{})
				require.NoError(t, err)
				assert.Equal(t, fresh.read(text, shell), reused.read(text, shell), "%s reads %.40q", shell, text)
			}
		}
	}
	parsers, err := NewParsers(&Effects{})
	require.NoError(t, err)
	w := parsers.walker()
	w.text, w.Names, w.spans = "secret", []string{"A"}, append(w.spans, Span{1, 2})
	parsers.release(w)
	assert.Equal(t, walker{spans: []Span{}}, *w)
}

func TestATextIsCachedTheSecondTimeItIsSeen(t *testing.T) {
	t.Parallel()
	parsers, err := NewParsers(&Effects{})
	require.NoError(t, err)
	for _, c := range []struct {
		text, shell string
		cached      int
	}{
		{"ls a", "bash", 0}, {"ls a", "bash", 1}, {"ls a", "bash", 1},
		{"ls a", "sh", 1}, {"ls a", "sh", 2}, // another shell may read it otherwise
		{"ls b", "bash", 2},
		{strings.Repeat("a", maxCachedText+1), "bash", 2}, {strings.Repeat("a", maxCachedText+1), "bash", 2},
	} {
		fresh, err := NewParsers(&Effects{})
		require.NoError(t, err)
		assert.Equal(t, fresh.Parse(c.text, c.shell), parsers.Parse(c.text, c.shell))
		assert.Equal(t, c.cached, parsers.scripts.Len(), "%s reads %.40q", c.shell, c.text)
	}
}
