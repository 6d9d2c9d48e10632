package lint

import (
	"slices"

	"gavel"
	"gavel/bundles/config"
)

// Notes are about settings that mean more than their name says. Nothing is wrong with them.
func Notes(document *config.Document) []gavel.Problem {
	f := findings{document: document}
	tools, _ := document.Data["tools"].(map[string]any)
	f.programsToo(tools, "tools")
	section, _ := document.Data["agents"].(map[string]any)
	for id, value := range section {
		agent, _ := value.(map[string]any)
		own, _ := agent["tools"].(map[string]any)
		f.programsToo(own, "agents."+id+".tools")
	}
	slices.SortFunc(f.list, func(a, b gavel.Problem) int { return a.Line - b.Line })
	return f.list
}

// programsToo says of a list of files to write that it is not about file tools only.
func (f *findings) programsToo(tools map[string]any, path string) {
	if len(listed(tools, "write")) == 0 {
		return
	}
	f.add(path+".write.allow", "", "this list also limits what commands write: rm, touch, cp, tar, git checkout and others are refused, or asked about, for any file that is not on it")
}
