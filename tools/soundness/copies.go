//go:build linux

package main

import (
	"bytes"
	"strings"

	"gavel"
	"gavel/runner"
)

// copiesDir is a link to the directory of programs. Paths below it take the place of the descriptors
// from which gavel run starts copies of programs.
const copiesDir = "/held"

// withCopies returns the text that gavel run makes of a decision if users other than root can replace
// every program, so that all programs must run from copies.
func (w world) withCopies(plan *gavel.Exec) string {
	return runner.Rewritten(*plan, func(program string) (string, bool) {
		name, ok := strings.CutPrefix(program, w.view+"/usr/bin/")
		return w.view + copiesDir + "/" + name, ok && !isMulticallLink("/usr/bin/"+name)
	})
}

// restoreNames replaces the paths of copies in the words that ran by the paths in the decision.
func (w world) restoreNames(did *outcome) {
	for _, ran := range did.ran {
		for i := range ran.Argv {
			if name, ok := bytes.CutPrefix(ran.Argv[i], []byte(w.view+copiesDir+"/")); ok {
				ran.Argv[i] = append([]byte(w.view+"/usr/bin/"), name...)
			}
		}
	}
}
