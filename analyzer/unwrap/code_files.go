package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
)

// The role of a code file for the command that names it.
const (
	roleScript      = "script"
	roleModule      = "module"
	roleProject     = "project"
	roleConfig      = "config"
	roleInterpreter = "interpreter"
	roleInput       = "input"
	roleFile        = "file"
)

// maxCodeFiles is the number of files that one analysis examines for code.
const maxCodeFiles = 256

// codeFinder finds the code files that one segment would run, and binds them: it records them in the
// segment with their hashes.
type codeFinder struct {
	*unwrapper
	segment  *gavel.Segment
	dir      string // working directory; "" if unknown
	more     bool   // further words follow at run time
	includes []string
	instead  bool // the project's own file is not read
	inline   bool // the code is on the command line
	stdin    bool
	operands []string // operands that are not files
}

// isKnown reports whether a table lists the program.
func (u *unwrapper) isKnown(executable gavel.Executable) bool {
	if u.Code != nil && executable.Name == executable.RealName && u.Code.data[executable.Name] {
		return true
	}
	_, v := u.Hazards.Program(executable.Name)
	_, real := u.Hazards.Program(executable.RealName)
	return v != nil || real != nil && executable.Found
}

// findCode records the code that a segment would run.
func (u *unwrapper) findCode(at int, c call) {
	s := &u.list[at]
	if u.Code == nil {
		return
	}
	s.Unbound = []gavel.Unbound{}
	k := &codeFinder{unwrapper: u, segment: s, dir: c.dir, more: c.follow != nil}
	var seen []*codeGrammar
	for _, names := range [...][]string{{s.Executable.Name, s.Executable.RealName}, s.Executable.Programs} {
		for _, name := range names {
			if n := u.Code.find(name); n != nil && !slices.Contains(seen, n) {
				seen = append(seen, n)
				_, v := u.Hazards.Program(name)
				k.readProgram(n, v)
			}
		}
	}
	switch {
	case len(seen) > 0:
	case s.Known:
		k.findByHazards()
	case s.Executable.Found:
		k.bindWords(1, roleFile)
	}
	if s.Opaque != "" {
		k.bindWords(1, roleFile)
		k.addUnbound(s.Argv[0], whyOpaque)
	}
	if k.stdin {
		u.stdinCode = append(u.stdinCode, at)
	}
}

// readProgram reads the words of a program that the table lists.
func (k *codeFinder) readProgram(n *codeGrammar, v *hazard.Vocabulary) {
	if len(n.commands) > 0 {
		if at := k.command(n, v); at > 0 {
			sub := n.commands[strings.ToLower(k.segment.Argv[at])]
			if k.dynamic(at) {
				k.addUnbound(k.segment.Argv[at], whyDynamic)
				return
			}
			if sub != nil {
				k.read(n.before, v, 1, at)
				k.scan(sub, nil, at+1, len(k.segment.Argv))
				k.finish(sub)
				return
			}
			if n.Operands == "" && len(n.Project) == 0 {
				k.read(n, v, 1, at)
				k.findByHazards()
				return
			}
		}
	}
	k.scan(n, v, 1, len(k.segment.Argv))
	if k.inline && n.InlineRunsMore != "" {
		k.addUnbound(k.segment.Argv[0], n.InlineRunsMore)
	}
	k.finish(n)
}

// finish binds the files of the project, and records code that is in no file.
func (k *codeFinder) finish(n *codeGrammar) {
	before := len(k.segment.Scripts)
	for _, operand := range k.operands {
		for _, name := range n.InsideDirectories {
			k.bindDirectory(joined(operand, name))
		}
	}
	inside := len(k.segment.Scripts) > before
	if len(n.InsideDirectories) > 0 && len(k.operands) > 0 && !inside {
		k.addUnbound(k.operands[0], whyProject)
	}
	ran := slices.ContainsFunc(k.segment.Scripts, func(s gavel.Script) bool { return s.Role == roleScript })
	if len(n.Project) > 0 && !k.instead && !k.bindProject(n) && !ran {
		k.addUnbound(n.Project[0], whyMissing)
	}
	for _, name := range n.AlsoReads {
		k.bindFile(name, roleConfig, nil)
	}
	if n.Unbound != "" {
		k.addUnbound(k.segment.Argv[0], n.Unbound)
	}
	nothing := len(k.segment.Scripts) == 0 && len(k.segment.Unbound) == 0
	if n.Operands == operandAll && nothing && !k.inline {
		k.addUnbound(k.segment.Argv[0], whyProject)
	}
}

// bindProject binds the project file that the program reads, and reports whether there is one.
func (k *codeFinder) bindProject(n *codeGrammar) bool {
	for dir := path.Clean(k.dir); k.dir != "" && path.IsAbs(dir); dir = path.Dir(dir) {
		for _, name := range n.Project {
			if k.bind(host.Join(dir, name), roleProject) {
				return true
			}
		}
		if !n.ProjectMayBeAbove || dir == "/" {
			break
		}
	}
	return false
}

// findByHazards finds code by the hazards of a program: a hazard that runs or loads something either names a
// file, or what it runs is unknown.
func (k *codeFinder) findByHazards() {
	shown := k.shows()
	for _, h := range k.segment.Hazards {
		switch {
		case shown:
		case h.Kind == hazard.KindInline && h.Option == "stdin":
			k.stdin = true
		case h.Kind == hazard.KindInline || h.Kind == "writes" || h.Kind == "network":
		case h.Argument != "" && k.bindEither(h.Argument):
		case h.Kind == "project":
			k.addUnbound(k.segment.Argv[0], whyProject)
			k.bindWords(1, roleFile)
		case h.Kind == "unknown":
			k.bindWords(1, roleFile) // one of these may be what runs
		case h.Kind == "runs" || h.Kind == "loads":
			k.addUnbound(k.option(h.Option), whyOpaque)
			k.bindWords(1, roleFile) // one of these may be what runs
		}
	}
}

// shows reports whether a program does no more with the files of its words than to read and show them.
// No file is code then, and one that changes all the time, such as those of /proc, can be shown.
func (k *codeFinder) shows() bool {
	e := &k.segment.Executable
	if e.Name != e.RealName || !k.Code.shows[e.Name] || k.Code.find(e.Name) != nil {
		return false
	}
	return !slices.ContainsFunc(k.segment.Hazards, func(h gavel.Hazard) bool { return h.Kind != "reads" && h.Kind != "elsewhere" })
}

// bindEither binds the file that a text names, or the file that the part after = names.
func (k *codeFinder) bindEither(text string) bool {
	_, value, _ := strings.Cut(text, "=")
	return k.bindFile(text, roleFile, nil) || value != "" && k.bindFile(value, roleFile, nil)
}

// bindWords binds every word that is a file.
func (k *codeFinder) bindWords(from int, role string) {
	for i := from; i < len(k.segment.Argv) && i < from+hazard.MaxCarried; i++ {
		if k.dynamic(i) {
			continue
		}
		_, value, _ := strings.Cut(k.segment.Argv[i], "=")
		if !k.bindFile(k.segment.Argv[i], role, nil) && value != "" {
			k.bindFile(value, role, nil)
		}
	}
}

func (k *codeFinder) dynamic(i int) bool { return slices.Contains(k.segment.Dynamic, i) }

// bindFile binds the file of a name, with or without one of the extensions.
func (k *codeFinder) bindFile(name, role string, extensions []string) bool {
	if name == "" || name[0] == '-' && role == roleFile {
		return false
	}
	full := host.In(k.dir, name)
	if full == "" {
		return false
	}
	if k.bind(full, role) {
		return true
	}
	return slices.ContainsFunc(extensions, func(end string) bool { return k.bind(full+end, role) })
}

// bind records a file, once, and reports whether it exists. A file that is too large or cannot be examined
// is recorded as unbound.
func (k *codeFinder) bind(full, role string) bool {
	if k.codeFiles++; k.codeFiles > maxCodeFiles {
		k.addUnbound(full, whyLarge)
		return false
	}
	script, found := k.Host.Script(full)
	switch {
	case !found:
		return false
	case script.SHA256 == "" && k.Facts.Claimed:
		k.addUnbound(full, whyClaimed)
		k.segment.Scripts = append(k.segment.Scripts, scriptOf(script, true, role))
	case script.SHA256 == "":
		k.addUnbound(full, whyLarge)
	case script.Real == k.segment.Executable.Real:
	case !slices.ContainsFunc(k.segment.Scripts, func(s gavel.Script) bool { return s.Real == script.Real }):
		k.segment.Scripts = append(k.segment.Scripts, scriptOf(script, true, role))
	}
	return true
}

// option returns the program with an option of its own, or alone if the name of a hazard is not one.
func (k *codeFinder) option(name string) string {
	if strings.HasPrefix(name, "-") {
		return k.segment.Argv[0] + " " + name
	}
	return k.segment.Argv[0]
}

// addUnbound records code that cannot be bound to a file, once.
func (k *codeFinder) addUnbound(what, why string) {
	item := gavel.Unbound{What: what, Why: why}
	if !slices.Contains(k.segment.Unbound, item) {
		k.segment.Unbound = append(k.segment.Unbound, item)
	}
}

// bindDirectory binds the files in a directory that match a pattern.
func (k *codeFinder) bindDirectory(pattern string) {
	below, name := path.Split(pattern)
	if !strings.Contains(name, "*") {
		k.bindFile(pattern, roleProject, nil)
		return
	}
	dir := host.In(k.dir, below)
	if dir == "" {
		return
	}
	names, ok := k.Host.List(dir)
	if !ok && k.Host.Kind(strings.TrimSuffix(dir, "/")) != host.KindMissing {
		k.addUnbound(pattern, whyLarge)
	}
	for _, item := range names {
		if matched, _ := path.Match(name, item); matched {
			k.bind(joined(dir, item), roleProject)
		}
	}
}

func joined(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }
