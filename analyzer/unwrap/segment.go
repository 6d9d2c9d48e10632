package unwrap

import (
	"fmt"
	"slices"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// segment keeps a command that is judged as it is.
func (u *unwrapper) segment(c call, executable gavel.Executable, opaque string) node {
	if len(u.list) == shell.MaxCommands {
		u.refuse(c, shell.KindLimit, fmt.Sprintf("more than %d commands", shell.MaxCommands))
		return node{}
	}
	if (opaque != "" || u.Effects.RunsText(spelling.Base(c.words[0].Text)) || u.Effects.Sources(spelling.Base(c.words[0].Text))) && shell.SetsSearchPath(c.words) {
		u.names = append(u.names, shell.SearchPath)
	}
	wrappers := c.wrappers
	if wrappers == nil {
		wrappers = []gavel.Wrapper{}
	}
	argv, dynamic := c.argv()
	may := shell.Reading(argv, c.words, c.follow)
	readings := shell.Readings(may, c.words)
	hazards, command := u.Hazards.Of(argv, readings, executable, opaque, u.surroundings(c))
	patterns := u.patterns(c.words, executable.Programs)
	u.fits = []gavel.Fitting{}
	for _, h := range u.globHazards(c, argv, may, hazards, executable, opaque) {
		if !slices.Contains(hazards, h) {
			hazards = append(hazards, h)
		}
	}
	hazards = append(hazards, u.nameHazards(c, argv, may, slices.Clone(hazards), executable, opaque)...)
	line := u.line(readings, executable, c.dir)
	u.operands(line.Operands, c, patterns)
	u.list = append(u.list, gavel.Segment{Argv: argv, Executable: executable, Start: c.start, End: c.end,
		Wrappers: wrappers, Opaque: opaque, SubCommand: command, Hazards: hazards,
		Commands: line.Commands, CommandsKnown: line.CommandsKnown, Options: line.Options, OptionsKnown: line.OptionsKnown, Operands: line.Operands,
		Dynamic: dynamic, Numbered: shell.PIDIndexes(c.words), Homed: u.homed(c.words), Patterns: patterns, Fits: u.fits, Made: parameterWords(c.words), Scripts: []gavel.Script{},
		Cwd: host.Absolute(c.dir), Known: u.isKnown(executable), Class: u.SafeBins.Class(argv, executable)})
	u.findCode(len(u.list)-1, c)
	u.resolveHazards(u.list[len(u.list)-1].Hazards, c.dir)
	u.repository(c, &u.list[len(u.list)-1])
	u.touchWords(c, &u.list[len(u.list)-1], may, readings)
	u.checkUnpacked(c, &u.list[len(u.list)-1], readings)
	u.recordReader(c, &u.list[len(u.list)-1], readings)
	n := node{real: executable.Real, words: c.words[1:]}
	if c.within != nil {
		n.name = argv[0]
	}
	return n
}

// homed returns the positions of the words that are paths below the home directory, if that is known.
func (u *unwrapper) homed(words []shell.Word) []int {
	if u.Facts.Home == "" {
		return []int{}
	}
	return shell.HomeIndexes(words)
}

// line returns how a program reads its words; it is empty if they are not read. A sub-command
// that no grammar lists is a program of its own if only root can replace that program.
func (u *unwrapper) line(readings [][]string, executable gavel.Executable, dir string) hazard.Line {
	if u.withoutWords {
		return hazard.UnreadLine()
	}
	line := u.Hazards.Line(readings, executable, dir)
	if line.External != "" {
		if own, found := u.Resolve(line.External, dir); found && len(u.writable(own))+len(own.LinkWritable) == 0 {
			line.MarkExternal()
		}
	}
	return line
}

// surroundings returns what is needed to interpret the words of a command.
func (u *unwrapper) surroundings(c call) hazard.Surroundings {
	at := u.Surroundings(c.dir)
	at.Terminal, at.Typed, at.Piped = u.terminal && !c.piped, u.terminal && !c.notTyped, c.fromPipe
	return at
}

// writable returns the ways in which users other than root could replace a program, and "workspace"
// for a file of the workspace, which the agent could, even if it belongs to root, because the agent
// may be root. It is never nil; it is empty for a program that was not looked up.
func (u *unwrapper) writable(program host.Program) []string {
	at := u.Surroundings("")
	list := append([]string{}, program.Writable...)
	if !u.Facts.Claimed && (at.InRealWorkspace(program.Real) || at.InRealWorkspace(program.Path) || at.InRealWorkspace(program.Link)) {
		list = append(list, "workspace")
	}
	return spelling.Tidy(list)
}

// executableOf returns what is known about the program that a word names.
func (u *unwrapper) executableOf(word string, program host.Program, found bool) gavel.Executable {
	e := gavel.Executable{Name: spelling.Base(word), Path: program.Path, Real: program.Real,
		RealName: spelling.Base(program.Real), Found: found,
		Device: program.Device, Inode: program.Inode, Writable: u.writable(program), LinkOfRoot: program.LinkOfRoot}
	e.Programs = u.Hazards.Names.Both(e.Name, e.RealName)
	return e
}

// notFound returns a name that has no file.
func (u *unwrapper) notFound(name string) gavel.Executable {
	return gavel.Executable{Name: name, Programs: u.Hazards.Names.Of(name), Writable: []string{}}
}

// programOf turns an executable back into the program that was found.
func programOf(e gavel.Executable) host.Program {
	return host.Program{Path: e.Path, Real: e.Real, Device: e.Device, Inode: e.Inode, Writable: e.Writable}
}
