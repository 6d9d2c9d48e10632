package runner

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel"
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

// Rewritten is the text of a decision with other paths for the programs for which held returns
// one, as a plan writes it. It is for tests that run texts.
func Rewritten(do gavel.Exec, held func(program string) (path string, ok bool)) string {
	do.Pins = &gavel.Pins{Parsed: true}
	lines := linesOf(&do)
	edits := make([]map[int]edit, len(lines))
	for i, line := range lines {
		edits[i] = map[int]edit{}
		for _, at := range line.starts {
			if path, ok := held(line.words[at]); ok && !line.broken {
				edits[i][at] = edit{words: []string{path}, named: at == 0}
			}
		}
	}
	return edited(do.Command, lines, edits)
}
