package runner

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel"
	"gavel/runner/proof"
)

// line is one simple command in the text of a decision, with the segment that it is.
type line struct {
	words    []string // wrappers first; "" for one that is produced at run time
	starts   []int    // indexes of programs: of each wrapper, and of the segment
	from, to int      // where it is in the text, with its assignments
	at       [][2]int // where each word is
	segment  int
	broken   bool // something else is written between its words
}

// linesOf finds the segments of a decision in its text. Segments inside a text of another shell
// are not found, and those whose words do not agree.
func linesOf(do *gavel.Exec) []line {
	if do.Pins == nil || !do.Pins.Parsed {
		return nil
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader(do.Command), "")
	if err != nil {
		return nil
	}
	var lines []line
	used := make([]bool, len(do.Segments))
	syntax.Walk(file, func(node syntax.Node) bool {
		stmt, ok := node.(*syntax.Stmt)
		if !ok {
			return true
		}
		call, ok := stmt.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		one := lineOf(call)
		for _, redirect := range stmt.Redirs {
			one.broken = one.broken || int(redirect.Pos().Offset()) < one.to
		}
		for i := range do.Segments {
			if !used[i] && one.is(&do.Segments[i]) {
				used[i], one.segment = true, i
				lines = append(lines, one)
				break
			}
		}
		return true
	})
	return lines
}

func lineOf(call *syntax.CallExpr) line {
	one := line{from: int(call.Pos().Offset()), to: int(call.End().Offset())}
	for _, arg := range call.Args {
		one.at = append(one.at, [2]int{int(arg.Pos().Offset()), int(arg.End().Offset())})
		one.words = append(one.words, literal(arg))
	}
	return one
}

// literal is the value of a word without anything that a shell produces; "" for any other.
func literal(word *syntax.Word) string {
	var text strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted:
			if part.Dollar {
				return ""
			}
			text.WriteString(part.Value)
		case *syntax.Lit:
			switch {
			case part.Value == `\'`:
				text.WriteByte('\'')
			case strings.ContainsAny(part.Value, "\\*?[~{"):
				return ""
			default:
				text.WriteString(part.Value)
			}
		default:
			return ""
		}
	}
	return text.String()
}

// is reports whether the words are those of a segment, and remembers where its programs are.
func (l *line) is(segment *gavel.ExecSegment) bool {
	wrappers := slices.Concat(segment.Wrappers...)
	if len(l.words) != len(wrappers)+len(segment.Argv) {
		return false
	}
	for i, word := range slices.Concat(wrappers, segment.Argv) {
		if !slices.Contains(segment.Dynamic, i-len(wrappers)) && l.words[i] != word {
			return false
		}
	}
	l.starts = nil
	at := 0
	for _, wrapper := range segment.Wrappers {
		l.starts = append(l.starts, at)
		at += len(wrapper)
	}
	l.starts = append(l.starts, at)
	return true
}

// whole reports whether a text is only these words, all literal, and the first an absolute path.
func (l *line) whole(text string) bool {
	quoted := make([]string, len(l.words))
	for i, word := range l.words {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return filepath.IsAbs(l.words[0]) && strings.Join(quoted, " ") == text
}

// roles of files that a word of a command can stand for.
func programs() []string { return []string{gavel.PinProgram, gavel.PinWrapper} }

// edits seals what the words of a line name and could be replaced, and returns what to write in
// the place of each. The first word is a program that is run by its copy under its own name.
func (p *Plan) edits(l line) (map[int]string, error) {
	edits := map[int]string{}
	if p.runner.cfg.CheckOnly || l.broken {
		return edits, nil
	}
	for at, word := range l.words {
		file := p.named(l, at, word)
		if file == nil || file.Steady || at > 0 && file.Pin.Named != file.Pin.Path {
			continue // one that acts by its name would lose it
		}
		if at == 0 && l.whole(p.Decision.Exec.Command) {
			edits[0] = ""
			continue // it is run by its descriptor
		}
		path, err := p.seal(file)
		if err != nil {
			return nil, err
		}
		if file.Text && slices.Contains(l.starts, at) && (at == 0 || !readsScripts(l.words[:at])) {
			switch _, runs, err := p.interpreter(file); {
			case err != nil:
				return nil, err
			case runs != nil:
				continue // the kernel would open its interpreter by the path
			}
		}
		edits[at] = path
	}
	return edits, nil
}

// readsScripts reports whether the words before a script are those of a shell, which reads it by
// itself and passes over its first line.
func readsScripts(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash"}, filepath.Base(word))
	})
}

// named is the file that a word stands for, nil for none.
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
func (p *Plan) unnamed(edits []map[int]string, lines []line) error {
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
func (p *Plan) covers(l line, edits map[int]string, named string) bool {
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

// edited is a text with its edits. A program in the first place is run in a subshell under the
// name that it had; every other word is only replaced. The blanks around it keep what was written
// there from becoming (( or )), which is arithmetic.
func edited(text string, lines []line, edits []map[int]string) string {
	type change struct {
		from, to int
		text     string
	}
	var changes []change
	for i, line := range lines {
		for at, path := range edits[i] {
			if at > 0 {
				changes = append(changes, change{line.at[at][0], line.at[at][1], path})
				continue
			}
			name := text[line.at[0][0]:line.at[0][1]]
			changes = append(changes, change{line.from, line.from, " ("}, change{line.at[0][0], line.at[0][1], "exec -a " + name + " " + path}, change{line.to, line.to, ") "})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(b.from, a.from), cmp.Compare(b.to, a.to)) })
	for _, c := range changes {
		text = text[:c.from] + c.text + text[c.to:]
	}
	return text
}

// Rewritten is the text of a decision with other paths for the programs for which held returns
// one, as a plan writes it. It is for tests that run texts.
func Rewritten(do gavel.Exec, held func(program string) (path string, ok bool)) string {
	do.Pins = &gavel.Pins{Parsed: true}
	lines := linesOf(&do)
	edits := make([]map[int]string, len(lines))
	for i, line := range lines {
		edits[i] = map[int]string{}
		for _, at := range line.starts {
			if path, ok := held(line.words[at]); ok && !line.broken {
				edits[i][at] = path
			}
		}
	}
	return edited(do.Command, lines, edits)
}
