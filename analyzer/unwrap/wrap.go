package unwrap

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// runs reports whether the words of a builtin make it a wrapper, as those of exec do if there are
// any.
func (u *unwrapper) runs(own builtin, argv []string) bool {
	_, wraps := u.Wrappers.programs[argv[0]]
	return wraps && own.Words == "none" && len(argv) > 1
}

// unwrapKnown unwraps a wrapper, if its words say what it would run.
func (u *unwrapper) unwrapKnown(c call, executable gavel.Executable, wrapper *wrapper, p wrapperWords) node {
	argv, _ := c.argv()
	if p.opaque == "" {
		p.opaque = u.whyOpaqueNow(c, wrapper, executable.Name, p)
	}
	if c.inputNames = c.inputNames.throughXargs(executable, argv[:min(p.own, len(argv))]); c.inputNames != nil && c.inputNames.zeros {
		for i := range p.made {
			p.made[i].MayBeginWithDash = false // each name is one word, and begins with a starting point of find
		}
	}
	if c.words, c.follow = remakeAll(c, p.made); p.opaque == "" && wrapper.Assignments && u.looksLikeAssignment(argv[p.own], c.dir) {
		p.opaque = executable.Name + " with a program whose path contains ="
	}
	if p.opaque == "" && p.script {
		return u.file(c, executable, p.own)
	}
	if p.opaque == "" && wrapper.Kind == kindShell && len(argv) > p.own+1 {
		if at := passedOn(argv[p.own:]); at > 0 && u.isPlainProgram(c.words[p.own+at], c.dir) {
			return u.wrap(c, executable, kindDispatcher, p.own+at)
		}
		// What is refused in the text is refused with and without parameters, and so are its
		// constructs. A text that does not mention the parameters does not use them.
		for _, construct := range u.parse(c, executable.Name, argv[p.own]).Constructs {
			u.refuse(c, construct.Kind, construct.Construct+" in the text of "+executable.Name+" -c")
		}
		p.opaque = executable.Name + " -c with positional parameters"
	}
	if p.opaque != "" {
		return u.segment(c, executable, p.opaque)
	}
	if wrapper.Kind == kindBuiltin {
		executable = u.notFound(executable.Name)
	}
	if wrapper.JoinsWords {
		return u.unwrapJoined(c, executable, wrapper.Kind, p.own)
	}
	u.recordWrapperVariables(c.words[:p.own], p.names)
	return u.wrap(c, executable, wrapper.Kind, p.own)
}

// remakeAll returns the words of a command with those that a wrapper changes or adds.
func remakeAll(c call, list []shell.InsertedWord) ([]shell.Word, *shell.Word) {
	words, follow := shell.Insert(c.words, list)
	if follow == nil {
		follow = c.follow
	}
	return words, follow
}

// runtime reports whether one of a wrapper's own words is produced at run time. If a shell reads
// the words of the command, those count too. The value of an assignment may be produced at run
// time.
func (w *wrapper) runtime(words []shell.Word, p wrapperWords) bool {
	for i := range words {
		name, _, assigns := strings.Cut(words[i].Prefix, "=")
		assigns = assigns && w.Assignments && !words[i].MayBeMany && spelling.Portable(name)
		read := i == p.own || w.JoinsWords || w.Kind == kindShell && !p.script
		if words[i].Dynamic && (i < p.own && !assigns || i >= p.own && read) {
			return true
		}
	}
	return slices.ContainsFunc(p.made, func(m shell.InsertedWord) bool { return m.Index == p.own })
}

// wrap makes a wrapper of the first words of a command, which are its own, and unwraps the
// others.
func (u *unwrapper) wrap(c call, executable gavel.Executable, kind string, own int) node {
	argv, _ := c.argv()
	layer := gavel.Wrapper{Executable: executable, Kind: kind, Argv: argv[:own], Hazards: []gavel.Hazard{}}
	if u.Wrappers.programs[executable.Name].Kind != kindShell { // the words of a builtin were read exactly
		layer.Hazards, _ = u.Hazards.Of(argv[:own], [][]string{argv[:own]}, executable, "", u.surroundings(c))
	}
	n := node{kind: kind, real: executable.Real, words: c.words[1:own]}
	if c.within != nil {
		n.name = argv[0]
	}
	inner, ok := u.inner(c, layer)
	if !ok {
		return n
	}
	inner.words, inner.follow, inner.names = c.words[own:], c.follow, c.inputNames
	if c.inputNames == nil && c.names != nil && c.names.variable != "" {
		inner.names = c.names
	}
	switch {
	case kind == kindBuiltin:
		inner.direct = false
		return u.call(inner) // run by its path, it needs no shell
	case kind == kindShell:
		outer, namedShell, searched := u.shell, u.namedShell, u.SearchPath
		u.shell, u.namedShell, u.exportsAll = executable.Name, executable.Name, u.exportsAll || u.Wrappers.programs[executable.Name].exporting(argv[:own])
		n.script = u.script(u.parse(c, executable.Name, argv[own]), inner)
		if u.shell, u.namedShell = outer, namedShell; len(searched) != len(u.SearchPath) {
			u.setSearchPath(searched)
		}
	case kind != kindMultiplexer:
		n.inner = []node{u.call(inner)}
	case slices.Contains(u.Wrappers.programs[executable.Name].Shells, argv[own]):
		inner.within = &layer.Executable
		n.inner = []node{u.call(inner)}
	default: // names the program of the multiplexer, which runs it
		n.inner = []node{u.call(inner)}
		n.inner[0].name = argv[own]
	}
	return n
}

// inner returns the command that a wrapper runs, without its words. A shell that reads start-up
// files first has a kind of its own.
func (u *unwrapper) inner(c call, layer gavel.Wrapper) (call, bool) {
	if len(c.wrappers) == maxWrappers {
		u.refuse(c, shell.KindLimit, fmt.Sprintf("more than %d nested wrappers", maxWrappers))
		return call{}, false
	}
	if layer.OptionsKnown == "" && len(layer.Argv) > 0 {
		line := u.line([][]string{layer.Argv}, layer.Executable, c.dir)
		layer.Commands, layer.CommandsKnown, layer.Options = line.Commands, line.CommandsKnown, line.Options
		layer.OptionsKnown, layer.Operands = line.OptionsKnown, line.Operands
	}
	if layer.Kind == kindShell && u.Wrappers.programs[layer.Executable.Name].login(layer.Argv) {
		layer.Kind = kindLogin
	}
	return call{wrappers: append(slices.Clone(c.wrappers), layer), start: c.start, end: c.end, dir: c.dir, piped: c.piped, notTyped: c.notTyped}, true
}

// isPlainProgram reports whether a parameter names a program that a shell text may run: one that was found,
// that is not a wrapper itself (EXEC-5), and whose path is one word without quotes.
func (u *unwrapper) isPlainProgram(name shell.Word, dir string) bool {
	program, found := u.Resolve(name.Text, dir)
	called, file := spelling.Base(name.Text), spelling.Base(program.Real)
	_, known, opaque := u.Wrappers.find(called, file, u.Hazards.Names.Both(called, file))
	return found && !name.Dynamic && !known && opaque == "" && spelling.Ordinary(program.Real)
}

// parse reads the text of a shell by the grammar of that shell. A refusal inside it refuses the
// whole command.
func (u *unwrapper) parse(c call, shell, text string) shell.Script {
	s := u.parsers.Parse(text, shell)
	if r := s.Refusal; r != nil {
		u.refuse(c, r.Kind, r.Construct+" in the text of "+shell+" -c")
	}
	return s
}

// looksLikeAssignment reports whether the path of a program looks like an assignment.
func (u *unwrapper) looksLikeAssignment(word, dir string) bool {
	program, _ := u.Resolve(word, dir)
	return strings.Contains(program.Real, "=")
}
