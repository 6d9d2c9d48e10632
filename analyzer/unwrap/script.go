package unwrap

import (
	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
)

// scriptRule is the name, in the hazard tables, of rules about the operand that is a file of
// commands.
const scriptRule = "SCRIPT"

// file unwraps a shell that runs a file of commands. The file is judged, and the shell is its
// wrapper (EXEC-4). The shell gets the real path, because it might look elsewhere for a name
// without a slash.
func (u *unwrapper) file(c call, executable gavel.Executable, own int) node {
	argv, _ := c.argv()
	word := argv[own]
	script, found := u.look(word, c.dir)
	n := node{kind: kindDispatcher, real: executable.Real, words: c.words[1:own]}
	if c.within != nil {
		n.name = argv[0]
	}
	inner, ok := u.inner(c, gavel.Wrapper{Executable: executable, Kind: kindShell, Argv: argv[:own], Hazards: []gavel.Hazard{}})
	if !ok {
		return n
	}
	inner.words = c.words[own:]
	at := len(u.list)
	n.inner = []node{u.segment(inner, u.executableOf(word, script.Program, found), "")}
	if u.refusal == nil {
		u.list[at].Scripts = append([]gavel.Script{scriptOf(script, found, roleScript)}, u.list[at].Scripts...)
		u.deniedScript(at, word, c.dir, found)
	}
	return n
}

// deniedScript adds a hazard to the segment of a script that was not found but leads to a file which the policy
// denies to read: whoever runs the command may be able to read it.
func (u *unwrapper) deniedScript(segment int, word, dir string, found bool) {
	full := host.In(dir, word)
	if found || full == "" {
		return
	}
	if real, ok := u.Host.Resolve(full); ok && u.Scanner.Denies(real) {
		s := &u.list[segment]
		s.Hazards = addHazard(s.Hazards, gavel.Hazard{Kind: "reads", Option: hazard.OptionDenied, Argument: word, Index: 0, Real: real})
	}
}

// look finds a file of commands by its name, relative to the working directory.
func (u *unwrapper) look(word, dir string) (host.Script, bool) {
	full := host.In(dir, word)
	if word == "" || full == "" {
		return host.Script{}, false
	}
	return u.Host.Script(full)
}

func scriptOf(s host.Script, found bool, role string) gavel.Script {
	return gavel.Script{Role: role, Path: s.Path, Real: s.Real, Device: s.Device, Inode: s.Inode, SHA256: s.SHA256, Found: found}
}
