package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
)

// The name of the builtin that reads a file in the shell itself, as every shell has it, and as rules
// call it.
const (
	dotBuiltin = "."
	sourceName = "source"
)

// changesNothing reports whether a script changes nothing in the shell that reads it: no variable, no
// function, no positional parameter and no option but those that stop or show commands. A file that
// the shell reads then finds what a program of its own would find.
func (u *unwrapper) changesNothing(s *shell.Script) bool {
	return len(s.Names)+len(s.Values)+len(s.Functions) == 0 && !slices.ContainsFunc(s.Commands, func(c shell.SimpleCommand) bool {
		name := c.Words[0].Text
		own, known := u.Builtins.commands[name]
		switch {
		case c.Words[0].Dynamic:
			return true
		case u.Effects.Sources(name), !u.Builtins.names[name]:
			return false
		case known:
			return !own.keepsShell(c.Words)
		default:
			return !u.PathEffects.programs[name] || u.Effects.Affects(name)
		}
	})
}

// keepsShell reports whether the words of a builtin change nothing that a file read later could find.
func (b builtin) keepsShell(words []shell.Word) bool {
	switch b.Words {
	case "any", "directory", wordsQuery:
		return true
	case "parameters":
		options := b.readOptions(words)
		return options.wrong == "" && options.next == len(words) && len(options.names) == 0 && !slices.ContainsFunc(words, func(w shell.Word) bool {
			return strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "afkC") || w.Text == "allexport" || w.Text == "noglob" || w.Text == "noclobber"
		})
	default:
		return false
	}
}

// unwrapSourced unwraps a shell that reads a file of commands itself, as . does. The file is judged as
// if it were run, and that the shell reads it is judged with the wrapper: the commands after it are
// judged as they are written, because a policy that permits the file also permits what it does to
// them. This holds only where the text gives the file nothing that a program would not get, and
// names it by a path, because a shell would search for a bare name.
func (u *unwrapper) unwrapSourced(c call) (node, bool) {
	if !c.unchangedShell || !u.Effects.Sources(c.words[0].Text) || len(c.words) != 2 || c.follow != nil {
		return node{}, false
	}
	word := c.words[1]
	if word.Dynamic || !strings.Contains(word.Text, "/") || strings.HasPrefix(word.Text, "-") {
		return node{}, false
	}
	script, found := u.look(word.Text, c.dir)
	named := word.Text
	if found {
		named = script.Real
	}
	n := node{kind: kindBuiltin, name: dotBuiltin, sources: true}
	inner, ok := u.inner(c, gavel.Wrapper{Executable: u.notFound(sourceName), Kind: kindBuiltin, Argv: []string{sourceName, named}, Hazards: []gavel.Hazard{}})
	if !ok {
		return n, true
	}
	inner.words = c.words[1:]
	at := len(u.list)
	n.inner = []node{u.segment(inner, u.executableOf(word.Text, script.Program, found), "")}
	if u.refusal == nil {
		u.list[at].Scripts = append([]gavel.Script{scriptOf(script, found, roleScript)}, u.list[at].Scripts...)
		u.deniedScript(at, word.Text, c.dir, found)
		u.followActivation(script.Real)
	}
	return n, true
}

// followActivation follows the activation of a virtual environment: the programs beside the file come first
// from then on.
func (u *unwrapper) followActivation(real string) {
	dir, name := path.Split(real)
	if dir = path.Clean(dir); name != "activate" || path.Base(dir) != "bin" {
		return
	}
	if u.Facts.Claimed || u.Host.Kind(host.Join(path.Dir(dir), "pyvenv.cfg")) == host.KindFile {
		u.setSearchPath(append([]string{dir}, u.SearchPath...))
	}
}

// setSearchPath sets where the programs of the following commands are searched for.
func (u *unwrapper) setSearchPath(dirs []string) {
	site := *u.Site
	site.SearchPath = dirs
	u.Site = &site
}

// shellEnd is where a shell ends that has a search path of its own: before a command of the script, by index.
type shellEnd struct {
	at   int
	path []string // of the shell around it
}

// endOfShell returns the index of the first command after the innermost shell in which a command runs; 0 if
// that is the shell of the script.
func endOfShell(apart []shell.Span, command int) (end int) {
	for _, s := range apart {
		if s.Start <= command && command < s.End && (end == 0 || s.End < end) {
			end = s.End
		}
	}
	return end
}

// leaveShells restores the search path of the shell in which a command of the script runs, by index, and
// returns the shells that have not ended.
func (u *unwrapper) leaveShells(list []shellEnd, command int) []shellEnd {
	for len(list) > 0 && list[len(list)-1].at <= command {
		u.setSearchPath(list[len(list)-1].path)
		list = list[:len(list)-1]
	}
	return list
}
