package unwrap

import (
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/shell"
)

// builtin unwraps a builtin.
func (u *unwrapper) builtin(c call, own builtin) node {
	argv, _ := c.argv()
	executable := u.notFound(argv[0])
	read := own.read(c.words)
	n := node{name: argv[0], words: c.words[1:], builtin: true}
	if read.opaque != "" {
		set, _ := u.Effects.VariablesSet(c.words)
		u.recordBuiltinVariables(set, shell.FormDynamic)
		return u.segment(c, executable, read.opaque)
	}
	u.recordBuiltinVariables(read.names, own.form())
	if read.own == 0 {
		at := len(u.list)
		u.segment(c, executable, "")
		to := u.target(c, own)
		if at < len(u.list) {
			u.list[at].Builtin, u.list[at].Directory = argv[0], to
		}
		if to != "" { // no variable then sends cd elsewhere
			n.words = append(slices.Clone(n.words[:len(n.words)-1]), shell.Word{Text: to})
		}
		return n
	}
	inner, ok := u.inner(c, gavel.Wrapper{Executable: executable, Kind: kindBuiltin, Argv: argv[:read.own], Hazards: []gavel.Hazard{}})
	if !ok {
		return n
	}
	inner.dir, inner.later = "", true // and perhaps elsewhere
	s := u.parsers.Parse(read.text, u.shell)
	if r := s.Refusal; r != nil {
		u.refuse(c, r.Kind, r.Construct+" in the text of "+argv[0])
	}
	return node{kind: kindBuiltin, builtin: true, name: argv[0], words: c.words[1:read.own], script: u.script(s, inner), after: c.words[read.after:]}
}

// target returns the real path of the directory that a builtin changes to, or "".
func (u *unwrapper) target(c call, own builtin) string {
	last := c.words[len(c.words)-1]
	if own.Words != "directory" || len(c.words) == 1 {
		return ""
	}
	if home := last.PathBelowHome(); home != "" && len(c.words) == 2 {
		return u.directoryOf(shell.Directory{Last: &shell.Step{To: home, Home: true}}, c.dir)
	}
	if last.Dynamic || strings.HasPrefix(last.Text, "-") {
		return ""
	}
	return u.directoryOf(shell.Directory{Last: &shell.Step{To: last.Text}}, c.dir)
}
