package unwrap

import (
	"cmp"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/spelling"
)

// bindCodeFiles binds what depends on all segments: code that is read from standard input, and the
// programs themselves.
func (u *unwrapper) bindCodeFiles(dir string) {
	if u.Code == nil || u.refusal != nil {
		return
	}
	for _, at := range u.stdinCode {
		u.bindStdin(at, dir)
	}
	for i := range u.list {
		s := &u.list[i]
		k := &codeFinder{unwrapper: u, segment: s}
		for j := range s.Wrappers {
			k.bindProgram(&s.Wrappers[j].Executable)
		}
		if s.Builtin == "" {
			k.bindProgram(&s.Executable)
		}
	}
}

// bindStdin binds the files from which a segment may get code through its standard input: those of
// redirections, and those that other commands of the line name.
func (u *unwrapper) bindStdin(at int, dir string) {
	k := &codeFinder{unwrapper: u, segment: &u.list[at], dir: dir}
	redirected := false
	for i := range u.files {
		f := &u.files[i]
		switch {
		case strings.HasPrefix(f.Operator, "<<"):
			redirected = true
			if f.Dynamic {
				k.addUnbound("standard input", whyDynamic)
			}
		case !f.Reads:
		case f.Path == "" || !k.bindFile(f.Path, roleInput, nil):
			k.addUnbound(f.Target, whyMissing)
		default:
			redirected = true
		}
	}
	emitted := true
	for i := range u.list {
		other := &u.list[i]
		if i == at {
			continue
		}
		from := &codeFinder{unwrapper: u, segment: other, dir: other.Cwd}
		for j, word := range other.Argv {
			if j == 0 || from.dynamic(j) {
				continue
			}
			if full, ok := from.absolute(word); ok {
				k.bind(full, roleInput)
			}
		}
		name := other.Executable.RealName
		plain := len(other.Dynamic) == 0 && (other.Builtin != "" || u.Code.emits[name])
		emitted = emitted && plain
	}
	if !emitted || len(u.list) == 1 && !redirected {
		k.addUnbound("standard input", whyStdin)
	}
}

// absolute returns a word as an absolute path, if that is known.
func (k *codeFinder) absolute(word string) (string, bool) {
	full := host.In(k.dir, word)
	return full, full != "" && word != "" && word[0] != '-'
}

// bindProgram completes what is known about a program: its hash if users other than root can change it or
// if it is not part of the system, and its interpreter if it is a text file.
func (k *codeFinder) bindProgram(e *gavel.Executable) {
	if !e.Found || e.Real == "" || len(e.Writable) == 0 && k.Code.isSystem(e.Real) && (e.Link == "" || k.Code.isSystem(e.Link)) {
		return
	}
	if k.Facts.Claimed {
		k.addUnbound(e.Real, whyClaimed)
		return
	}
	file := cmp.Or(e.Link, e.Real) // a program that acts by the name of a link is bound through that link
	seen, ok := k.programs[file]
	if !ok {
		seen.SHA256, seen.Interpreter = k.Host.Program(file)
		if k.programs == nil {
			k.unwrapper.programs = map[string]gavel.Executable{}
		}
		k.programs[file] = seen
	}
	if e.SHA256, e.Interpreter = seen.SHA256, seen.Interpreter; e.SHA256 == "" {
		k.addUnbound(e.Real, whyLarge)
		return
	}
	k.bindInterpreter(e.Interpreter)
}

// bindInterpreter binds the interpreter that the first line of a text file names, unless it is part of the
// system. If that is env, the interpreter is the program that env searches for.
func (k *codeFinder) bindInterpreter(line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	program, found := k.Host.At(words[0])
	if spelling.Base(words[0]) == "env" && len(words) > 1 {
		name := words[1]
		if name == "-S" && len(words) > 2 {
			name = words[2]
		}
		program, found = k.Resolve(name, "")
	}
	if found && (!k.Code.isSystem(program.Real) || len(program.Writable) > 0) {
		k.bind(program.Real, roleInterpreter)
	}
}
