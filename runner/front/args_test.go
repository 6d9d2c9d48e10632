package front_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/runner/front"
)

func TestAWrongFlagIsNamedWithTheNearestOne(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"there is no flag --polcy; did you mean --policy?": {"--polcy", "x", "--", "ls"},
		"there is no flag --verbose; gavel run --help":     {"--verbose", "--", "ls"},
		"give either -c TEXT or the words":                 {"-c", "ls", "--", "ls"},
		"--timeout -1s is not a time limit":                {"--timeout", "-1s", "--", "ls"},
		"--policy and --server exclude one another":        {"--policy", "p", "--server", "s", "--", "ls"},
		"the text of -c is empty":                          {"-c", " "},
	} {
		_, err := front.ParseRun(args, func(string) string { return "" })
		assert.ErrorContains(t, err, want)
	}
	o, err := front.ParseRun([]string{"--policy", "p", "--", "ls", "--polcy"}, func(string) string { return "" })
	assert.NoError(t, err)
	assert.Equal(t, []string{"ls", "--polcy"}, o.Argv, "words of the command are not flags")
}
