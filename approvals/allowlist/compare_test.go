package allowlist_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/approvals/allowlist"
)

func TestRT04EditsThatLoosenAreRecognised(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		loosens       bool
		agents        []string
	}{
		"nothing":                            {`"main":{"allowlist":["/a"]}`, `"main":{"allowlist":["/a"]}`, false, nil},
		"an entry is removed":                {`"main":{"allowlist":["/a","/b"]}`, `"main":{"allowlist":["/b"]}`, false, []string{"main"}},
		"all of an agent is removed":         {`"main":{"allowlist":["/a"]}`, ``, false, []string{"main"}},
		"an entry is added":                  {`"main":{"allowlist":["/a"]}`, `"main":{"allowlist":["/a","/b"]}`, true, []string{"main"}},
		"an entry is another one":            {`"main":{"allowlist":["/a"]}`, `"main":{"allowlist":["/b"]}`, true, []string{"main"}},
		"an entry accepts more":              {`"main":{"allowlist":["/a"]}`, `"main":{"allowlist":[{"pattern":"/a","args":["runs"]}]}`, true, []string{"main"}},
		"an entry accepts less":              {`"main":{"allowlist":[{"pattern":"/a","args":["runs"]}]}`, `"main":{"allowlist":["/a"]}`, true, []string{"main"}},
		"an entry is no longer narrow":       {`"main":{"allowlist":[{"pattern":"/a","argPattern":"x"}]}`, `"main":{"allowlist":["/a"]}`, true, []string{"main"}},
		"entries change places":              {`"main":{"allowlist":["/a",{"pattern":"/a","args":["runs"]}]}`, `"main":{"allowlist":[{"pattern":"/a","args":["runs"]},"/a"]}`, true, []string{"main"}},
		"the first of two that fit goes":     {`"main":{"allowlist":["/a",{"pattern":"/a","args":["runs"]}]}`, `"main":{"allowlist":[{"pattern":"/a","args":["runs"]}]}`, true, []string{"main"}},
		"one of everybody's uncovers":        {`"*":{"allowlist":["/opt/*"]},"main":{"allowlist":[{"pattern":"/opt/x","args":["runs"]}]}`, `"main":{"allowlist":[{"pattern":"/opt/x","args":["runs"]}]}`, true, []string{"*"}},
		"how often it was used":              {`"main":{"allowlist":[{"pattern":"/a","lastUsedAt":1}]}`, `"main":{"allowlist":[{"pattern":"/a","lastUsedAt":2,"id":"x"}]}`, false, nil},
		"an agent is tightened":              {`"main":{"ask":"on-miss"}`, `"main":{"ask":"always"}`, false, []string{"main"}},
		"an agent is loosened":               {`"main":{"security":"deny"}`, `"main":{"security":"allowlist"}`, true, []string{"main"}},
		"what tightens is removed":           {`"main":{"security":"deny"}`, ``, true, []string{"main"}},
		"an agent is let out of everybody's": {`"*":{"security":"deny"}`, `"*":{"security":"deny"},"main":{"security":"full"}`, true, []string{"main"}},
		"skills":                             {``, `"main":{"autoAllowSkills":true}`, true, []string{"main"}},
	} {
		parse := func(agents string) *allowlist.Document {
			d, err := allowlist.Parse([]byte(`{"version":1,"agents":{` + agents + `}}`))
			require.NoError(t, err, name)
			return d
		}
		change := allowlist.Compare(parse(c.before), parse(c.after))
		assert.Equal(t, c.loosens, change.Loosens, "%s: %s", name, change.Summary)
		assert.Equal(t, c.agents, change.Agents, name)
	}
}
