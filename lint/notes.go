package lint

import (
	"slices"

	"gavel"
	"gavel/bundles/config"
)

// Notes returns remarks about settings that do more than their name says. They are not mistakes.
func Notes(document *config.Document) []gavel.Problem {
	f := findings{document: document}
	tools, _ := document.Data["tools"].(map[string]any)
	f.noteCommands(tools, "tools")
	section, _ := document.Data["agents"].(map[string]any)
	for id, value := range section {
		agent, _ := value.(map[string]any)
		own, _ := agent["tools"].(map[string]any)
		f.noteCommands(own, "agents."+id+".tools")
	}
	slices.SortFunc(f.list, func(a, b gavel.Problem) int { return a.Line - b.Line })
	return f.list
}

// noteCommands adds a note if a section of tools limits the files to write: the list is not only about
// file tools.
func (f *findings) noteCommands(tools map[string]any, path string) {
	if len(allowedFiles(tools, "write")) == 0 {
		return
	}
	f.add(path+".write.allow", "", "this list also limits what commands write: rm, touch, cp, tar, git checkout and others are denied, or a person is asked, for any file that it does not match")
}
