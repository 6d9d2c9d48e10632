package analyzer

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
)

// maxWrappers is how many wrappers may stand around one another.
const maxWrappers = 8

// node is one command with what its words would run: nothing for a plain
// program, a command for a dispatcher or a multiplexer, commands for a shell.
type node struct {
	kind    string // of the wrapper; "" for a plain program
	program Program
	name    string   // what to write in the program's place, or ""
	words   []string // after the program's name; of a wrapper its own
	inner   []node
	joint   string // the operator after it
}

// unfolder takes the wrappers off the commands of a script, and looks up what is
// inside. Every simple command becomes a segment; nothing is judged.
type unfolder struct {
	place
	dir     string
	text    string // of the outermost command
	names   []string
	list    []gavel.Segment
	refusal *gavel.Refusal
}

// call is one simple command on its way to become a segment.
type call struct {
	argv       []string
	wrappers   []gavel.Wrapper
	start, end int // in the outermost command
	// within is the multiplexer that the first word is a program of.
	within *gavel.Executable
}

// script unfolds the commands of a script.
func (u *unfolder) script(s script, wrappers []gavel.Wrapper, from call) []node {
	nodes := make([]node, 0, len(s.commands))
	for _, c := range s.commands {
		if u.refusal != nil {
			return nil
		}
		one := call{argv: c.argv, wrappers: wrappers, start: c.start, end: c.end}
		if len(wrappers) > 0 { // offsets into a text inside mean nothing outside
			one.start, one.end = from.start, from.end
		}
		n := u.call(one)
		n.joint = c.joint
		nodes = append(nodes, n)
	}
	return nodes
}

// call unfolds one simple command.
func (u *unfolder) call(c call) node {
	program, found := u.resolve(c.argv[0], u.dir)
	if c.within != nil {
		program, found = Program{Path: c.within.Path, Real: c.within.Real}, c.within.Found
	}
	executable := gavel.Executable{Name: baseName(c.argv[0]), Path: program.Path, Real: program.Real,
		RealName: baseName(program.Real), Found: found}
	realName := executable.RealName
	if c.within != nil {
		realName = executable.Name // it is what the multiplexer takes it for
	}
	wrapper, known, opaque := u.wrappers.find(executable.Name, realName)
	if !known {
		return u.segment(c, executable, program, opaque)
	}
	p := wrapper.peel(c.argv)
	if p.opaque == "" && wrapper.Assignments && u.assigns(c.argv[p.own]) {
		p.opaque = executable.Name + " with a program whose path holds ="
	}
	if p.opaque == "" && wrapper.Kind == kindShell && len(c.argv) > p.own+1 {
		if at := carries(c.argv[p.own:]); at > 0 && u.carried(c.argv[p.own+at]) {
			return u.wrap(c, executable, program, kindDispatcher, p.own+at)
		}
		// What the text says is refused as it is without parameters. A text that
		// says nothing about them has no use for them.
		u.parse(c, executable.Name, c.argv[p.own])
		p.opaque = executable.Name + " -c with positional parameters"
	}
	if p.opaque != "" {
		return u.segment(c, executable, program, p.opaque)
	}
	u.names = append(u.names, p.names...)
	return u.wrap(c, executable, program, wrapper.Kind, p.own)
}

// wrap makes a wrapper of a command's first own words, and unfolds the others.
func (u *unfolder) wrap(c call, executable gavel.Executable, program Program, kind string, own int) node {
	if len(c.wrappers) == maxWrappers {
		u.refuse(c, kindLimit, fmt.Sprintf("more than %d wrappers around one another", maxWrappers))
		return node{}
	}
	layer := gavel.Wrapper{Executable: executable, Kind: kind, Argv: c.argv[:own]}
	n := node{kind: kind, program: program, words: c.argv[1:own]}
	if c.within != nil {
		n.name = c.argv[0]
	}
	n.inner = u.inside(c, layer, c.argv[own:])
	return n
}

// carried reports whether a shell may run a program as its parameter: one that was
// found, is no wrapper itself (document 000 §09), and has a path that is one word
// without quotes.
func (u *unfolder) carried(word string) bool {
	program, found := u.resolve(word, u.dir)
	_, known, opaque := u.wrappers.find(baseName(word), baseName(program.Real))
	return found && !known && opaque == "" && ordinary(program.Real)
}

// inside unfolds what a wrapper would run: a command, or the text of a shell.
func (u *unfolder) inside(c call, layer gavel.Wrapper, words []string) []node {
	wrappers := append(slices.Clone(c.wrappers), layer)
	switch layer.Kind {
	case kindShell:
		return u.script(u.parse(c, layer.Executable.Name, words[0]), wrappers, c)
	case kindMultiplexer:
		inner := call{argv: words, wrappers: wrappers, start: c.start, end: c.end}
		if slices.Contains(u.wrappers[layer.Executable.Name].Shells, words[0]) {
			inner.within = &layer.Executable
			return []node{u.call(inner)}
		}
		n := u.call(inner) // stands for the program of that name; the multiplexer runs it
		n.name = words[0]
		return []node{n}
	default:
		return []node{u.call(call{argv: words, wrappers: wrappers, start: c.start, end: c.end})}
	}
}

// parse reads the text of a shell by the grammar of that shell. What is refused
// in it refuses the whole command.
func (u *unfolder) parse(c call, shell, text string) script {
	s := parse(text, shell)
	if r := s.refusal; r != nil {
		u.refuse(c, r.Kind, r.Construct+" in the text of "+shell+" -c")
	}
	return s
}

// segment keeps a command that is judged as it is.
func (u *unfolder) segment(c call, executable gavel.Executable, program Program, opaque string) node {
	if len(u.list) == maxCommands {
		u.refuse(c, kindLimit, fmt.Sprintf("more than %d commands", maxCommands))
		return node{}
	}
	wrappers := c.wrappers
	if wrappers == nil {
		wrappers = []gavel.Wrapper{}
	}
	u.list = append(u.list, gavel.Segment{Argv: c.argv, Executable: executable, Start: c.start, End: c.end,
		Wrappers: wrappers, Opaque: opaque, Hazards: u.hazards.of(c.argv, executable)})
	n := node{program: program, words: c.argv[1:]}
	if c.within != nil {
		n.name = c.argv[0]
	}
	return n
}

// assigns reports whether the path of a program would pass for an assignment.
func (u *unfolder) assigns(word string) bool {
	program, _ := u.resolve(word, u.dir)
	return strings.Contains(program.Real, "=")
}

// refuse keeps the first refusal.
func (u *unfolder) refuse(c call, kind, construct string) {
	if u.refusal == nil {
		u.refusal = refusal(u.text, kind, construct, c.start, c.end)
	}
}
