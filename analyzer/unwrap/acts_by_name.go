package unwrap

import (
	"path"
	"slices"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// executableNamed returns what is known about the program that a word names. If a program acts by the name
// of the link, the link is what runs and what is judged. opaque is not "" if it is unknown what the program does under
// this name.
func (u *unwrapper) executableNamed(word string, program host.Program, found bool) (e gavel.Executable, opaque string) {
	file := spelling.Base(program.Real)
	name := spelling.Base(word)
	acts, known := u.actsByName(file)
	link := ""
	switch {
	case !found || program.Link == "" || !known || u.sameName(name, file) && !u.actsByLocation(acts, program.Link):
	case u.sameName(name, file), slices.Contains(acts.Names, "*"), slices.ContainsFunc(u.Hazards.Names.Of(name), func(known string) bool { return slices.Contains(acts.Names, known) }):
		link, program.Real, program.Writable = program.Real, program.Link, program.LinkWritable
	default:
		opaque = shell.Excerpt(name + ", which is " + file)
	}
	e = u.executableOf(word, program, found)
	e.Link = link
	return e, opaque
}

// actsByName finds a program whose behaviour depends on its name.
func (u *unwrapper) actsByName(file string) (*programs.ActsByName, bool) {
	if acts, ok := u.Wrappers.named[file]; ok || programs.WholeName(file) {
		return acts, ok
	}
	for _, known := range u.Hazards.Names.Of(file) {
		if acts, ok := u.Wrappers.named[known]; ok {
			return acts, true
		}
	}
	return nil, false
}

// sameName reports whether a link has the same name as the file behind it, apart from the version. A
// cross tool determines its target by its name.
func (u *unwrapper) sameName(name, file string) bool {
	if name == file {
		return true
	}
	names, files := u.Hazards.Names.Of(name), u.Hazards.Names.Of(file)
	return !u.Hazards.Names.Target(name) && names[len(names)-1] == files[len(files)-1]
}

// actsByLocation reports whether a program acts by the location of a link.
func (u *unwrapper) actsByLocation(acts *programs.ActsByName, link string) bool {
	dir := path.Dir(link)
	return acts.MarkerFile != "" && !u.Host.Absent(acts.MarkerFile, []string{dir, path.Dir(dir)})
}
