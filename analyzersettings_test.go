package gavel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestSearchDirectoriesDependOnTheAgentAndTheHost(t *testing.T) {
	t.Parallel()
	nowhere := gavel.CallSettings{First: []string{""}, Workspace: "?"}
	settings := &gavel.AnalyzerSettings{
		Agents: map[string]gavel.AgentSettings{
			"own":    {First: []string{"~/bin", "/opt/a"}, Hosts: map[string]bool{"": true, "node": false}, Workspace: "~/w"},
			"silent": {Hosts: map[string]bool{"": true}, Workspace: "/w"},
			"broken": {},
		},
		Others: gavel.AgentSettings{First: []string{"/opt/all"}, Hosts: map[string]bool{"": true}},
	}
	for name, tc := range map[string]struct {
		agent, host, home string
		want              gavel.CallSettings
	}{
		"its own directories, with its home":               {"own", "", "/h", gavel.CallSettings{First: []string{"/h/bin", "/opt/a"}, Workspace: "/h/w"}},
		"a home that is not known stays a tilde":           {"own", "", "", gavel.CallSettings{First: []string{"~/bin", "/opt/a"}, Workspace: "~/w"}},
		"none on a node, and the same workspace":           {"own", "node", "/h", gavel.CallSettings{Workspace: "/h/w"}},
		"no program is found on a host that is refused":    {"own", "moon", "/h", nowhere},
		"an agent without directories has none anywhere":   {"silent", "moon", "/h", gavel.CallSettings{Workspace: "/w"}},
		"no program is found where nothing is known":       {"broken", "", "/h", nowhere},
		"any other agent has what holds for all":           {"other", "", "/h", gavel.CallSettings{First: []string{"/opt/all"}}},
		"a host that is refused is so for any other agent": {"other", "node", "/h", nowhere},
	} {
		assert.Equal(t, tc.want, settings.ForCall(tc.agent, tc.host, tc.home), name)
	}
	var none *gavel.AnalyzerSettings
	assert.Equal(t, gavel.CallSettings{}, none.ForCall("main", "", "/h"), "a policy that says nothing")
	assert.Equal(t, nowhere, new(gavel.AnalyzerSettings).ForCall("main", "", "/h"), "a policy that was asked and knows nothing")
}
