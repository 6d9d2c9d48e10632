package runner

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel"
	"gavel/client"
	"gavel/runner/proof"
)

// edit replaces one word of a text.
type edit struct {
	words []string
	// named runs the one word under the name that was written there, in a subshell.
	named bool
}

// text returns the words of the edit, quoted for a shell.
func (e edit) text() string {
	words := make([]string, len(e.words))
	for i, word := range e.words {
		if words[i] = word; word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") != "" {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// programs returns the roles of pins that are programs.
func programs() []string { return []string{gavel.PinProgram, gavel.PinWrapper} }

// edits makes sealed copies of the files that the words of a line name and that could be replaced, and
// returns an edit for each such word. The first word is a program, which runs from its copy under its
// own name.
func (p *Plan) edits(l line) (map[int]edit, error) {
	edits := map[int]edit{}
	if p.runner.cfg.CheckOnly || l.broken {
		return edits, nil
	}
	for at, word := range l.words {
		file := p.named(l, at, word)
		if file == nil || file.Steady || at > 0 && file.Pin.Named != file.Pin.Path {
			continue // one that acts by its name would lose it
		}
		if at == 0 && l.whole(p.Decision.Exec.Command) {
			edits[0] = edit{}
			continue // it is run by its descriptor
		}
		path, err := p.seal(file)
		if err == nil {
			err = p.edit(edits, l, at, p.scriptOf(file, word, path))
		}
		if err != nil {
			return nil, err
		}
	}
	return edits, nil
}

// edit adds the edit of one word, if a copy can be used in its place.
func (p *Plan) edit(edits map[int]edit, l line, at int, script *script) error {
	by := l.starts[0]
	for _, start := range l.starts {
		if start < at {
			by = start
		}
	}
	program := slices.Contains(l.starts, at)
	switch {
	case program && script.Text && (at == 0 || !readsScripts(l.words[:at])):
		// Its first line is not left to the kernel, which would look the interpreter up once more.
		i, runs, err := p.interpreter(script.File)
		if err != nil {
			return err
		}
		if shell := p.shellOf(i.real, runs, i.words, script.copy); shell != nil {
			edits[at] = edit{words: slices.Concat(shell, []string{i.named}, i.words, []string{script.name})}
			return nil
		}
		words, ok := script.readBy(i.real, i.words)
		program, err := p.heldAs(i, runs)
		if ok {
			edits[at] = edit{words: slices.Concat(program, i.words, words)}
		}
		return err
	case by < at && (by > 0 || !l.whole(p.Decision.Exec.Command)):
		runs := p.named(l, by, l.words[by])
		if runs == nil || !runs.Steady {
			break
		}
		if shell := p.shellOf(runs.Pin.Path, nil, l.words[by+1:at], script.copy); shell != nil {
			edits[by], edits[at] = edit{words: append(shell, l.words[by])}, edit{words: []string{script.name}}
			return nil
		}
	}
	if program {
		edits[at] = edit{words: []string{script.copy}, named: at == 0}
		return nil
	}
	if words, ok := script.readBy(l.words[by], l.words[by+1:at]); ok {
		edits[at] = edit{words: words}
	}
	return nil
}

// shellOf returns the words before the name of a shell that make this program run it, and hand it the
// copy of its script: see RunScript. It returns nil for other interpreters, and where the script is read in another way.
// options are the words between the shell and the script.
func (p *Plan) shellOf(shell string, held *proof.File, options []string, sealed string) []string {
	cfg := &p.runner.cfg
	if cfg.Self == nil || held != nil || !keepsItsScript(shell, options) || cfg.Limits.Memory > 0 || cfg.Limits.Files > 0 {
		return nil
	}
	if p.self == nil {
		var err error
		if p.self, err = cfg.Self(); err != nil {
			p.note("scripts do not know their names in a text: this program cannot be opened: %v", err)
			return nil
		}
	}
	return []string{p.give(p.self), ScriptWord, sealed, strconv.Itoa(1 + len(options)), shell}
}

// heldAs returns the words that run an interpreter under its name. One that others than root can replace is
// run from a copy, and one whose name they can make lead elsewhere is run by its real path.
func (p *Plan) heldAs(i interpreter, runs *proof.File) ([]string, error) {
	program := i.real
	switch {
	case runs == nil && proof.SteadyPath(i.named):
		return []string{i.named}, nil
	case runs != nil:
		var err error
		if program, err = p.seal(runs); err != nil {
			return nil, err
		}
	}
	bash, _, err := proof.Shell("bash")
	if err != nil {
		return nil, &Refusal{Code: CodeShell, Message: err.Error()}
	}
	return slices.Concat([]string{bash}, client.NoStartup("bash"), []string{"-c", `exec -a "$0" "$@"`, i.named, program}), nil
}

// readsScripts reports whether the words before a script are those of a shell, which reads it by
// itself and passes over its first line.
func readsScripts(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash"}, filepath.Base(word))
	})
}

// named returns the open file that a word names; nil if it names none.
func (p *Plan) named(l line, at int, word string) *proof.File {
	if slices.Contains(l.starts, at) {
		return p.file(word, programs()...)
	}
	if word == "" {
		return nil
	}
	if !filepath.IsAbs(word) {
		word = filepath.Join(p.dir.Path, word)
	}
	return p.file(filepath.Clean(word), roleScript)
}

// unnamed refuses files that could be replaced, where an edit does not cover each word for them.
func (p *Plan) unnamed(edits []map[int]edit, lines []line) error {
	for _, pin := range p.Decision.Exec.Pins.Files {
		segment := pin.Segment
		pin.Segment = 0
		file := p.files[slices.IndexFunc(p.files, func(f *proof.File) bool { return f.Pin == pin })]
		switch {
		case file.Steady:
			continue
		case pin.Role != gavel.PinProgram && pin.Role != gavel.PinWrapper && pin.Role != roleScript:
			p.note("%s (%s) was compared right before the start; the program opens it by its path", pin.Path, pin.Role)
			continue
		}
		at := slices.IndexFunc(lines, func(l line) bool { return l.segment == segment })
		if at >= 0 && p.covers(lines[at], edits[at], pin.Named) {
			continue
		}
		if err := p.unheld(file); err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether a line has words for a file, and each has an edit.
func (p *Plan) covers(l line, edits map[int]edit, named string) bool {
	covered := 0
	for at, word := range l.words {
		if !filepath.IsAbs(word) {
			word = filepath.Join(p.dir.Path, word)
		}
		if filepath.Clean(word) != filepath.Clean(named) {
			continue
		}
		if _, ok := edits[at]; !ok {
			return false
		}
		covered++
	}
	return covered > 0
}

// keepsNames reports whether a shell can run a program under another name, as exec -a does.
func keepsNames(shell string) bool { return shell == "bash" }

// edited returns a text with its edits made. A program in the first place is run in a subshell under the
// name that it had; every other word is only replaced. The blanks around it keep what was written
// there from becoming (( or )), which is arithmetic.
func edited(text string, lines []line, edits []map[int]edit) string {
	type change struct {
		from, to int
		text     string
	}
	var changes []change
	for i, line := range lines {
		for at, one := range edits[i] {
			if !one.named {
				changes = append(changes, change{line.at[at][0], line.at[at][1], one.text()})
				continue
			}
			name := text[line.at[0][0]:line.at[0][1]]
			changes = append(changes, change{line.from, line.from, " ("}, change{line.at[0][0], line.at[0][1], "exec -a " + name + " " + one.text()}, change{line.to, line.to, ") "})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(b.from, a.from), cmp.Compare(b.to, a.to)) })
	for _, c := range changes {
		text = text[:c.from] + c.text + text[c.to:]
	}
	return text
}
