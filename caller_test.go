package gavel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestACredentialSpeaksForItsAgentsInItsSessions(t *testing.T) {
	var nobody *gavel.CallerFacts
	assert.False(t, nobody.SpeaksFor("main", ""))
	assert.False(t, (&gavel.CallerFacts{}).SpeaksFor("main", ""))
	assert.True(t, gavel.Trusted().SpeaksFor("anyone", "any"))
	bound := &gavel.CallerFacts{Agents: []string{"coder*"}, Sessions: []string{"agent:coder:"}}
	assert.True(t, bound.SpeaksFor(" Coder-2 ", "Agent:coder:main"))
	assert.False(t, bound.SpeaksFor("coder", ""), "no session is none of its sessions")
	assert.False(t, bound.SpeaksFor("coder", "agent:main:main"))
	assert.False(t, bound.SpeaksFor("main", "agent:coder:main"))
	assert.False(t, (&gavel.CallerFacts{Agents: []string{"["}}).SpeaksFor("[", ""), "a pattern that is none fits nothing")
}
