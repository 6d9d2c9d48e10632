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
	assert.False(t, bound.SpeaksFor("\u212Aoder", "agent:coder:main"), "no letter looks like another one")
	assert.False(t, (&gavel.CallerFacts{Agents: []string{"["}}).SpeaksFor("[", ""), "a pattern that is none fits nothing")
}

func TestACredentialIsBoundToWholePartsOfASessionKey(t *testing.T) {
	for bound, sessions := range map[string]map[string]bool{
		"agent:coder:web": {"agent:coder:web": true, " Agent:Coder:WEB ": true, "agent:coder:web:7": true, "agent:coder:website": false, "agent:coder:web7": false,
			"agent:coder:we": false, "agent:coder:other:agent:coder:web": false, "": false, "agent:coder:\u03c9eb": false},
		"agent:coder:": {"agent:coder:web": true, "agent:coder:": true, "agent:coder": false, "agent:coders:web": false},
		"":             {"agent:coder:web": false, "": false},
	} {
		for session, want := range sessions {
			assert.Equal(t, want, (&gavel.CallerFacts{Sessions: []string{bound}}).Covers(session), "%q in %q", session, bound)
		}
	}
	assert.True(t, (&gavel.CallerFacts{}).Covers("any"))
}

func TestALookAlikeIsNotFoldedIntoTheNameThatItImitates(t *testing.T) {
	for given, want := range map[string]string{" Coder\n": "coder", "\u212Aoder": "\u212Aoder", "\u0130x": "\u0130x", "\u00c4B": "\u00e4b", "": ""} {
		assert.Equal(t, want, gavel.Fold(given))
		assert.Equal(t, want, gavel.Fold(want), "once is enough")
	}
}
