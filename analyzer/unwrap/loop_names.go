package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel/analyzer/fileglob"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
)

// maxNameList limits the bytes that are read of a file of names.
const maxNameList = 8 << 20

// A loop may iterate over names that another command supplies. In its body, a word that is just its
// variable stands for any of them.

// loopNames has the names over which the loops of a script iterate, by variable.
type loopNames map[string]*loopSource

// loopSource has the names of one loop.
type loopSource struct {
	names *nameSource
	body  shell.Span
}

// sourcesOfLoops returns the names over which the loops of a script iterate, as far as they are known. A
// loop counts only if its variable gets no other value in the script. It returns nil for zsh, where a
// variable may be tied to another one.
func (u *unwrapper) sourcesOfLoops(s *shell.Script, from call) loopNames {
	if len(s.Loops) == 0 || u.shell == "zsh" || len(s.Functions) > 0 {
		return nil
	}
	number := map[string]int{"IFS": 1}
	for _, c := range s.Commands {
		names, all := u.variablesChanged(c)
		if all {
			return nil
		}
		for _, name := range names {
			number[name]++
		}
	}
	for _, item := range s.Values {
		number[item.Name]++
	}
	list := loopNames{}
	for i := range s.Loops {
		l := &s.Loops[i]
		if number["IFS"] > 1 || number[l.Variable] != 1 || !ownVariable(l.Variable) || l.Lines && !u.keepsInput(s, l.Body, l.Variable, from) {
			continue
		}
		if names := u.sourceOfLoop(s, l, from); names != nil {
			names.variable = l.Variable
			list[l.Variable] = &loopSource{names, l.Body}
		}
	}
	return list
}

// ownVariable reports whether no shell sets a variable of this name by itself. The names of those variables
// have more than one letter, in upper case.
func ownVariable(name string) bool {
	return len(name) == 1 && name != "_" || name != strings.ToUpper(name)
}

// sourceOfLoop returns the names over which one loop iterates, or nil.
func (u *unwrapper) sourceOfLoop(s *shell.Script, l *shell.Loop, from call) *nameSource {
	if l.Source > 0 {
		if y := u.namesPrintedBy(s, l.Source-1, from); y != nil && y.zeros == l.ZeroTerminated {
			names := *y
			return &names
		}
		return nil
	}
	if l.File == 0 || l.ZeroTerminated {
		return nil
	}
	f := &s.Files[l.File-1]
	dir := u.directoryOf(f.Dir, from.dir)
	if f.Word.Dynamic || f.Operator != "<" || dir == "" || u.Host.TimedOut() {
		return nil
	}
	return &nameSource{command: "< " + f.Word.Text, dir: dir, file: host.In(dir, f.Word.Text)}
}

// keepsInput reports whether no command of a loop body reads the standard input of the loop, so that the loop
// reads every line. A command after a pipe has another standard input.
func (u *unwrapper) keepsInput(s *shell.Script, body shell.Span, variable string, from call) bool {
	for i := body.Start; i < body.End; i++ {
		if c := &s.Commands[i]; !c.FromPipe && !u.ignoresInput(c, variable, u.directoryOf(c.Dir, from.dir)) {
			return false
		}
	}
	return true
}

// ignoresInput reports whether a command certainly does not read its standard input.
func (u *unwrapper) ignoresInput(c *shell.SimpleCommand, variable, dir string) bool {
	argv := shell.Texts(c.Words)
	if w := u.Wrappers.programs[argv[0]]; w != nil && w.Kind == kindShell && len(c.Words) == fileAsked+1 && slices.Contains(w.Queries, argv[1]) {
		name, _ := c.Words[fileAsked].SingleVariable()
		return name == variable // it reads that file only
	}
	leaves := u.Wrappers.leaves[argv[0]]
	if leaves == nil || c.Function {
		return false
	}
	_, builtin := u.Builtins.commands[argv[0]]
	executable, ok := u.executableByName(argv[0], dir)
	if !ok && !builtin || leaves.Operands == 0 {
		return ok || builtin
	}
	may := shell.Reading(argv, c.Words, nil)
	for i := range c.Words {
		if name, _ := c.Words[i].SingleVariable(); name == variable {
			may[i] = noOptionWord
		}
	}
	if found, _ := u.Hazards.Of(argv, [][]string{may}, executable, "", u.Surroundings(dir)); len(found) > 0 {
		return false
	}
	line := u.Hazards.Line([][]string{may}, executable, dir)
	for _, o := range line.Operands {
		name := ""
		if o.Index < len(c.Words) {
			name, _ = c.Words[o.Index].SingleVariable()
		}
		if o.Dynamic && name != variable {
			return false
		}
	}
	return line.OptionsKnown == exact && len(line.Operands) >= leaves.Operands && !slices.ContainsFunc(argv[1:], namesInput)
}

// namesInput reports whether a word may name the standard input, by itself or after an option.
func namesInput(word string) bool {
	return strings.HasSuffix(word, "-") || strings.Contains(word, "/dev/") || strings.Contains(word, "/proc/")
}

// inLoop returns the names that a loop supplies to a command by its variable; nil if there are none, or
// if several loops do.
func (l loopNames) inLoop(at int, words []shell.Word) (names *nameSource) {
	for i := range words {
		name, _ := words[i].SingleVariable()
		item := l[name]
		switch {
		case item == nil || at < item.body.Start || at >= item.body.End:
		case names != nil && names != item.names:
			return nil
		default:
			names = item.names
		}
	}
	return names
}

// searchLines finds the files that the lines of a file name.
func (f *nameSearch) searchLines(dir string) {
	real, known := f.Host.Resolve(f.source.file)
	text, ok := "", false
	if known && f.ok && dir != "" && dir == f.source.dir {
		text, ok = f.Host.Text(real, maxNameList)
	}
	if !ok || len(text) == maxNameList {
		f.ok = false
		return
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if text != "" {
			f.searchLine(name, dir)
		}
	}
}

// searchLine finds the file that one line names, in the directory and below it.
func (f *nameSearch) searchLine(name, dir string) {
	f.checkName(name)
	if f.entriesRead++; f.entriesRead >= fileglob.MaxEntries {
		f.ok, f.limitReached = false, true
	}
	if name == "" || path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") {
		f.unsafeNames = true
	}
	if f.unsafeNames || !f.ok {
		return
	}
	full := path.Clean(host.In(dir, name))
	real, known := f.Host.Resolve(full)
	switch {
	case !known:
		f.ok = false
	case real != full:
		f.checkLink(name, full)
	default:
		f.searchBelow(name, real, "", 0)
	}
}
