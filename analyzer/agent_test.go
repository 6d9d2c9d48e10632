package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestAModelHasOneSpelling(t *testing.T) {
	t.Parallel()
	for about, c := range map[string]struct {
		given gavel.Model
		want  gavel.ModelFacts
	}{
		"both are said":             {gavel.Model{Provider: " OpenAI ", ID: "GPT-5"}, gavel.ModelFacts{Provider: "openai", ID: "gpt-5"}},
		"the id names the provider": {gavel.Model{ID: "openai/gpt-5"}, gavel.ModelFacts{Provider: "openai", ID: "openai/gpt-5"}},
		"the provider has it all":   {gavel.Model{Provider: "openai/gpt-5"}, gavel.ModelFacts{Provider: "openai", ID: "gpt-5"}},
		"a router keeps its name":   {gavel.Model{Provider: "router", ID: "openai/gpt-5"}, gavel.ModelFacts{Provider: "router", ID: "openai/gpt-5"}},
		"nothing is said":           {gavel.Model{}, gavel.ModelFacts{}},
	} {
		assert.Equal(t, c.want, facts(t, gavel.Call{Model: c.given}).Model, about)
	}
}
