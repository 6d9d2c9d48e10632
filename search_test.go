package gavel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestSearchDirectoriesDependOnTheAgentAndTheHost(t *testing.T) {
	t.Parallel()
	nowhere := gavel.Search{First: []string{""}, Workspace: "?"}
	searches := &gavel.Searches{
		Agents: map[string]gavel.AgentSearch{
			"own":    {First: []string{"~/bin", "/opt/a"}, Hosts: map[string]bool{"": true, "node": false}, Workspace: "~/w"},
			"silent": {Hosts: map[string]bool{"": true}, Workspace: "/w"},
			"broken": {},
		},
		Others: gavel.AgentSearch{First: []string{"/opt/all"}, Hosts: map[string]bool{"": true}},
	}
	for name, tc := range map[string]struct {
		agent, host, home string
		want              gavel.Search
	}{
		"its own directories, with its home":               {"own", "", "/h", gavel.Search{First: []string{"/h/bin", "/opt/a"}, Workspace: "/h/w"}},
		"a home that is not known stays a tilde":           {"own", "", "", gavel.Search{First: []string{"~/bin", "/opt/a"}, Workspace: "~/w"}},
		"none on a node, and the same workspace":           {"own", "node", "/h", gavel.Search{Workspace: "/h/w"}},
		"no program is found on a host that is refused":    {"own", "moon", "/h", nowhere},
		"an agent without directories has none anywhere":   {"silent", "moon", "/h", gavel.Search{Workspace: "/w"}},
		"no program is found where nothing is known":       {"broken", "", "/h", nowhere},
		"any other agent has what holds for all":           {"other", "", "/h", gavel.Search{First: []string{"/opt/all"}}},
		"a host that is refused is so for any other agent": {"other", "node", "/h", nowhere},
	} {
		assert.Equal(t, tc.want, searches.Of(tc.agent, tc.host, tc.home), name)
	}
	var none *gavel.Searches
	assert.Equal(t, gavel.Search{}, none.Of("main", "", "/h"), "a policy that says nothing")
	assert.Equal(t, nowhere, new(gavel.Searches).Of("main", "", "/h"), "a policy that was asked and knows nothing")
}
