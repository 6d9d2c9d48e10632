package analyzer

import (
	"path"
	"slices"
	"strings"

	"gavel"
)

// Runner is the vocabulary of a program that finds the tool of a project and runs it.
// A form that is not here may download what it runs, or evaluate it; then the runner
// is judged as a program.
type Runner struct {
	// Commands are the sub-commands that run a tool; none when the program itself does.
	Commands []string `yaml:"commands"`
	// Words may stand before the tool, and before the sub-command.
	Words []string `yaml:"words"`
	// Dashes is true when the tool must stand behind --: before that the runner takes
	// the tool's options for its own.
	Dashes bool `yaml:"dashes"`
	// Folder holds the tools of a project, from the working directory upwards.
	Folder string `yaml:"folder"`
}

const kindRunner = "runner"

// read returns where the tool stands among the words, or 0.
func (r Runner) read(argv []string) int {
	i := r.skip(argv, 1)
	if len(r.Commands) > 0 {
		if i == len(argv) || !slices.Contains(r.Commands, argv[i]) {
			return 0
		}
		i = r.skip(argv, i+1)
	}
	switch dashes := i < len(argv) && argv[i] == "--"; {
	case dashes:
		i++
	case r.Dashes:
		return 0
	}
	if i >= len(argv) || !bareName(argv[i]) {
		return 0
	}
	return i
}

func (r Runner) skip(argv []string, i int) int {
	for i < len(argv) && slices.Contains(r.Words, argv[i]) {
		i++
	}
	return i
}

// bareName reports whether a word is the name of a tool and nothing more: no path, no
// scope, no version, no address.
func bareName(word string) bool {
	plain := strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
	return plain && word != "" && word[0] != '-' && word[0] != '.'
}

// runner unfolds a runner into the tool that it would run: the project's own, or one
// of the search path (R24). The tool is what is judged, and what is rendered: by its
// path it runs without the runner, which could find another one.
func (u *unfolder) runner(c call, executable gavel.Executable, opaque string) (node, bool) {
	vocabulary, known := u.wrappers.runners[executable.Name]
	if !known || opaque != "" {
		return node{}, false
	}
	argv, dynamic := c.argv()
	at := vocabulary.read(argv)
	if at == 0 || slices.ContainsFunc(dynamic, func(i int) bool { return i <= at }) {
		return node{}, false
	}
	tool, found := u.tool(vocabulary, argv[at], c.dir)
	if !found {
		return node{}, false
	}
	inner, ok := u.inner(c, gavel.Wrapper{Executable: executable, Kind: kindRunner, Argv: argv[:at], Hazards: []gavel.Hazard{}})
	if !ok {
		return node{}, true
	}
	inner.words, inner.found = c.words[at:], &tool
	return u.call(inner), true
}

// tool finds a tool in the project around the working directory, and then in the
// search path.
func (u *unfolder) tool(r Runner, name, from string) (Program, bool) {
	for dir := path.Clean(from); from != ""; dir = path.Dir(dir) {
		if tool, found := u.host.At(join(dir, r.Folder+"/"+name)); found {
			return tool, true
		}
		if dir == "/" {
			break
		}
	}
	return u.host.Named(name, u.path)
}
