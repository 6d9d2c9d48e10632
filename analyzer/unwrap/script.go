package unwrap

import (
	"gavel"
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
	}
	return n
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
