package lint

import (
	"gavel"
	"gavel/bundles/config"
)

// Unlisted warns that a policy admits no agent, so that every call is denied.
func Unlisted(document *config.Document) []gavel.Problem {
	found := findings{document: document}
	if agents, _ := document.Data["agents"].(map[string]any); len(agents) == 0 {
		found.add("agents", "list them, as in agents: {main: {}}, or add agents.defaults to admit agents that are not listed",
			"no agent is listed, so every call is denied")
	}
	return found.list
}
