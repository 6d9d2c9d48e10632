//go:build linux

package main

import (
	"bytes"
	"strings"

	"gavel"
	"gavel/runner"
)

// held stands for the descriptors of gavel run: the programs have other paths below it.
const held = "/held"

// copied is what gavel run makes of a decision's text if others could replace every program.
func (w world) copied(plan *gavel.Exec) string {
	return runner.Rewritten(*plan, func(program string) (string, bool) {
		name, ok := strings.CutPrefix(program, w.view+"/usr/bin/")
		return w.view + held + "/" + name, ok && !linked("/usr/bin/"+name)
	})
}

// named replaces the names of copies in the words by the names that the decision uses.
func (w world) named(did *outcome) {
	for _, ran := range did.ran {
		for i := range ran.Argv {
			if name, ok := bytes.CutPrefix(ran.Argv[i], []byte(w.view+held+"/")); ok {
				ran.Argv[i] = append([]byte(w.view+"/usr/bin/"), name...)
			}
		}
	}
}
