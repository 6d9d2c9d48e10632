package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
)

const kindRunner = "runner"

// toolIn returns the position of the tool among the words, or 0.
func toolIn(r *programs.Runner, argv []string) int {
	i := skipped(r, argv, 1)
	if len(r.Subcommands) > 0 {
		if i == len(argv) || !slices.Contains(r.Subcommands, argv[i]) {
			return 0
		}
		i = skipped(r, argv, i+1)
	}
	switch dashes := i < len(argv) && argv[i] == "--"; {
	case dashes:
		i++
	case r.NeedsDashes:
		return 0
	}
	if i >= len(argv) || !bareName(argv[i]) {
		return 0
	}
	return i
}

func skipped(r *programs.Runner, argv []string, i int) int {
	for i < len(argv) && slices.Contains(r.WordsBeforeTool, argv[i]) {
		i++
	}
	return i
}

// bareName reports whether a word is only the name of a tool: no path, no scope, no version, no
// address.
func bareName(word string) bool {
	plain := strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
	return plain && word != "" && word[0] != '-' && word[0] != '.'
}

// runner unwraps a runner into the tool that it would run: the project's own, or one on the
// search path (R24). The tool is what is judged and rendered. It runs by its path, without the
// runner, which might find a different tool.
func (u *unwrapper) runner(c call, executable gavel.Executable, opaque string) (node, bool) {
	vocabulary, known := u.Wrappers.runners[executable.Name]
	if !known || opaque != "" {
		return node{}, false
	}
	argv, dynamic := c.argv()
	at := toolIn(vocabulary, argv)
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

// tool finds a tool in the project around the working directory, and then on the search path,
// unless the runner may find another one in between.
func (u *unwrapper) tool(r *programs.Runner, name, from string) (host.Program, bool) {
	for dir := path.Clean(from); from != ""; dir = path.Dir(dir) {
		if tool, found := u.Host.At(host.Join(dir, r.Tools+"/"+name)); found {
			return tool, true
		}
		if dir == "/" {
			break
		}
	}
	if r.Elsewhere {
		return host.Program{}, false
	}
	return u.Host.Named(name, u.SearchPath)
}
