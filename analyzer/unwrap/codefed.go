package unwrap

import (
	"cmp"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/spelling"
)

// complete records what depends on all segments: the code that comes in through standard input,
// and what the programs are as files.
func (u *unfolder) complete(dir string) {
	if u.Code == nil || u.refusal != nil {
		return
	}
	for _, at := range u.feeds {
		u.fed(at, dir)
	}
	for i := range u.list {
		s := &u.list[i]
		k := &coder{unfolder: u, segment: s}
		for j := range s.Wrappers {
			k.own(&s.Wrappers[j].Executable)
		}
		if s.Builtin == "" {
			k.own(&s.Executable)
		}
	}
}

// fed records where a segment that reads code from standard input may get it from: the files of
// redirections, and the files that other commands of the line name.
func (u *unfolder) fed(at int, dir string) {
	k := &coder{unfolder: u, segment: &u.list[at], dir: dir}
	redirected := false
	for i := range u.files {
		f := &u.files[i]
		switch {
		case strings.HasPrefix(f.Operator, "<<"):
			redirected = true
			if f.Dynamic {
				k.unnamed("standard input", whyDynamic)
			}
		case !f.Reads:
		case f.Path == "" || !k.file(f.Path, roleInput, nil):
			k.unnamed(f.Target, whyMissing)
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
		from := &coder{unfolder: u, segment: other, dir: other.Cwd}
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
		k.unnamed("standard input", whyStdin)
	}
}

// absolute returns a word as an absolute path, if that is known.
func (k *coder) absolute(word string) (string, bool) {
	full := host.In(k.dir, word)
	return full, full != "" && word != "" && word[0] != '-'
}

// own completes what is known about a program: its hash if users other than root can change it or
// if it is not part of the system, and its interpreter if it is a text file.
func (k *coder) own(e *gavel.Executable) {
	if !e.Found || e.Real == "" || len(e.Writable) == 0 && k.Code.rooted(e.Real) && (e.Link == "" || k.Code.rooted(e.Link)) {
		return
	}
	if k.Facts.Claimed {
		k.unnamed(e.Real, whyClaimed)
		return
	}
	file := cmp.Or(e.Link, e.Real) // a program that acts by the name of a link is bound through that link
	seen, ok := k.programs[file]
	if !ok {
		seen.SHA256, seen.Interpreter = k.Host.Program(file)
		if k.programs == nil {
			k.unfolder.programs = map[string]gavel.Executable{}
		}
		k.programs[file] = seen
	}
	if e.SHA256, e.Interpreter = seen.SHA256, seen.Interpreter; e.SHA256 == "" {
		k.unnamed(e.Real, whyLarge)
		return
	}
	k.interpreted(e.Interpreter)
}

// interpreted binds the interpreter of a text file, unless it is part of the system. env is the
// program that first lines name to have the search path used; no other is read so.
func (k *coder) interpreted(line string) {
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
	if found && (!k.Code.rooted(program.Real) || len(program.Writable) > 0) {
		k.bind(program.Real, roleInterpreter)
	}
}
