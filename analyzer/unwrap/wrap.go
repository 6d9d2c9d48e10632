package unwrap

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// runs reports whether the words of a command of the shell are for its kind as a
// wrapper, as those of exec are when there are any.
func (u *unfolder) runs(own builtin, argv []string) bool {
	_, wraps := u.Wrappers.programs[argv[0]]
	return wraps && own.Words == "none" && len(argv) > 1
}

// peeled unfolds a wrapper, if its words say what it would run.
func (u *unfolder) peeled(c call, executable gavel.Executable, wrapper *wrapper, p peeled) node {
	argv, _ := c.argv()
	if p.opaque == "" {
		p.opaque = u.unknowable(c, wrapper, executable.Name, p)
	}
	if c.words, c.follow = remakeAll(c, p.made); p.opaque == "" && wrapper.Assignments && u.assigns(argv[p.own], c.dir) {
		p.opaque = executable.Name + " with a program whose path contains ="
	}
	if p.opaque == "" && p.script {
		return u.file(c, executable, p.own)
	}
	if p.opaque == "" && wrapper.Kind == kindShell && len(argv) > p.own+1 {
		if at := carries(argv[p.own:]); at > 0 && u.carried(c.words[p.own+at], c.dir) {
			return u.wrap(c, executable, kindDispatcher, p.own+at)
		}
		// What the text says is refused as it is without parameters, and so is what
		// policy would decide about. A text that says nothing about them has no use
		// for them.
		for _, construct := range u.parse(c, executable.Name, argv[p.own]).Constructs {
			u.refuse(c, construct.Kind, construct.Construct+" in the text of "+executable.Name+" -c")
		}
		p.opaque = executable.Name + " -c with positional parameters"
	}
	if p.opaque != "" {
		return u.segment(c, executable, p.opaque)
	}
	if wrapper.Kind == kindBuiltin {
		executable = u.unfound(executable.Name)
	}
	if wrapper.JoinsWords {
		return u.joined(c, executable, wrapper.Kind, p.own)
	}
	u.wrapped(c.words[:p.own], p.names)
	return u.wrap(c, executable, wrapper.Kind, p.own)
}

// remakeAll returns the words of a command with those that a wrapper makes of them.
func remakeAll(c call, list []shell.Made) ([]shell.Word, *shell.Word) {
	words, follow := shell.Remake(c.words, list)
	if follow == nil {
		follow = c.follow
	}
	return words, follow
}

// runtime reports whether a word of a wrapper's own is made at run time, or one of
// what it would run where those are read by a shell. The value of an assignment may be.
func (w *wrapper) runtime(words []shell.Word, p peeled) bool {
	for i := range words {
		name, _, assigns := strings.Cut(words[i].Prefix, "=")
		assigns = assigns && w.Assignments && !words[i].Many && spelling.Portable(name)
		read := i == p.own || w.JoinsWords || w.Kind == kindShell && !p.script
		if words[i].Dynamic && (i < p.own && !assigns || i >= p.own && read) {
			return true
		}
	}
	return slices.ContainsFunc(p.made, func(m shell.Made) bool { return m.At == p.own })
}

// wrap makes a wrapper of a command's first own words, and unfolds the others.
func (u *unfolder) wrap(c call, executable gavel.Executable, kind string, own int) node {
	argv, _ := c.argv()
	layer := gavel.Wrapper{Executable: executable, Kind: kind, Argv: argv[:own], Hazards: []gavel.Hazard{}}
	if u.Wrappers.programs[executable.Name].Kind != kindShell { // a shell's own words were understood to the last letter
		layer.Hazards, _ = u.Hazards.Of(argv[:own], [][]string{argv[:own]}, executable, "", u.around(c))
	}
	n := node{kind: kind, real: executable.Real, words: c.words[1:own]}
	if c.within != nil {
		n.name = argv[0]
	}
	inner, ok := u.inner(c, layer)
	if !ok {
		return n
	}
	inner.words, inner.follow = c.words[own:], c.follow
	switch {
	case kind == kindBuiltin:
		inner.direct = false
		return u.call(inner) // by its path it runs without the shell's help
	case kind == kindShell:
		outer, told := u.shell, u.told
		u.shell, u.told, u.exportsAll = executable.Name, executable.Name, u.exportsAll || u.Wrappers.programs[executable.Name].exporting(argv[:own])
		n.script = u.script(u.parse(c, executable.Name, argv[own]), inner)
		u.shell, u.told = outer, told
	case kind != kindMultiplexer:
		n.inner = []node{u.call(inner)}
	case slices.Contains(u.Wrappers.programs[executable.Name].Shells, argv[own]):
		inner.within = &layer.Executable
		n.inner = []node{u.call(inner)}
	default: // stands for the program of that name; the multiplexer runs it
		n.inner = []node{u.call(inner)}
		n.inner[0].name = argv[own]
	}
	return n
}

// inner returns what a wrapper runs of a command, without its words. A shell that reads
// start-up files first is a wrapper of its own kind.
func (u *unfolder) inner(c call, layer gavel.Wrapper) (call, bool) {
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
	return call{wrappers: append(slices.Clone(c.wrappers), layer), start: c.start, end: c.end, dir: c.dir, piped: c.piped, fed: c.fed}, true
}

// carried reports whether a shell may run a program as its parameter: one that was
// found, is not a wrapper itself (EXEC-5), and has a path that is one word
// without quotes.
func (u *unfolder) carried(name shell.Word, dir string) bool {
	program, found := u.Resolve(name.Text, dir)
	called, file := spelling.Base(name.Text), spelling.Base(program.Real)
	_, known, opaque := u.Wrappers.find(called, file, u.Hazards.Names.Both(called, file))
	return found && !name.Dynamic && !known && opaque == "" && spelling.Ordinary(program.Real)
}

// parse reads the text of a shell by the grammar of that shell. What is refused
// in it refuses the whole command.
func (u *unfolder) parse(c call, shell, text string) shell.Script {
	s := u.parsers.Parse(text, shell)
	if r := s.Refusal; r != nil {
		u.refuse(c, r.Kind, r.Construct+" in the text of "+shell+" -c")
	}
	return s
}

// assigns reports whether the path of a program would pass for an assignment.
func (u *unfolder) assigns(word, dir string) bool {
	program, _ := u.Resolve(word, dir)
	return strings.Contains(program.Real, "=")
}
