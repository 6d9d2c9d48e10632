package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// A loop gives a variable one text after the other. If they are names that a command prints, or
// lines of a file, they may be known.

// Loop is a for loop over the output of a command, or a while loop that reads lines into a
// variable.
type Loop struct {
	Variable string
	// Giver is one more than the position of the command whose output it goes over, and File is one
	// more than the position of the redirection that it reads. A zero means that there is none.
	Giver, File int
	// Lines is true if it reads its input line by line. The commands of its body have the same input.
	Lines bool
	Zeros bool // each line ends in a zero byte
	Body  Span // its commands
	start int  // its position in the text
}

// over records a for loop whose only word is the output of a command. The commands of its body
// begin here.
func (w *walker) over(node *syntax.ForClause, name string, words []Word) {
	if len(words) == 1 && words[0].Output > 0 {
		start, _ := w.span(node)
		w.Loops = append(w.Loops, Loop{Variable: name, Giver: words[0].Output, Body: Span{Start: len(w.Commands)}, start: start})
	}
}

// reading records a while loop whose condition, which was walked, reads a line into a variable and
// does nothing else. The commands of the condition begin at a position. It returns the variable, or
// nothing.
func (w *walker) reading(node *syntax.WhileClause, from int) (variable []string) {
	if node.Until || len(node.Cond) != 1 || len(w.Commands) != from+1 {
		return nil
	}
	stmt := node.Cond[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(stmt.Redirs) > 0 || stmt.Negated || stmt.Background || stmt.Coprocess {
		return nil
	}
	words := w.Commands[from].Words
	reads := w.effects.builtins[words[0].Text].ReadsLines
	if reads == nil || slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool { return !w.empties(a, reads.SplitsBy) }) {
		return nil
	}
	zeros, next := lineOptions(reads, words)
	if next != len(words)-1 || words[next].Dynamic || !spelling.Portable(words[next].Text) {
		return nil
	}
	start, _ := w.span(node)
	w.Loops = append(w.Loops, Loop{Variable: words[next].Text, Lines: true, Zeros: zeros, Body: Span{Start: len(w.Commands)}, start: start})
	return []string{words[next].Text}
}

// lineOptions reads the options of a builtin that reads lines, up to a word that is none of those
// with which it reads whole ones.
func lineOptions(reads *programs.ReadsLines, words []Word) (zeros bool, next int) {
	for next = 1; next < len(words) && !words[next].Dynamic; next++ {
		letters, option := strings.CutPrefix(words[next].Text, "-")
		if !option || letters == "" {
			break
		}
		before, ends := strings.CutSuffix(letters, reads.Zeros)
		if strings.Trim(before, strings.Join(reads.Options, "")) != "" {
			break
		}
		if ends {
			if next++; next == len(words) || words[next].Dynamic || words[next].Text != "" {
				return false, len(words)
			}
			zeros = true
		}
	}
	return zeros, next
}

// empties reports whether an assignment makes a variable of this name empty.
func (w *walker) empties(a *syntax.Assign, name string) bool {
	if a.Name == nil || a.Name.Value != name || a.Append || a.Array != nil || a.Index != nil {
		return false
	}
	return a.Value == nil || slices.Contains([]string{"", "''", `""`}, w.asWritten(a.Value))
}

// asWritten returns the text of a node.
func (w *walker) asWritten(node syntax.Node) string {
	start, end := w.span(node)
	return w.text[start:end]
}

// ends records where the commands of a loop end, if it was recorded.
func (w *walker) ends(node syntax.Command) {
	if l := w.loopOf(node); l != nil {
		l.Body.End = len(w.Commands)
	}
}

// loopOf returns what was recorded of a loop, or nil.
func (w *walker) loopOf(node syntax.Command) *Loop {
	switch node.(type) {
	case *syntax.WhileClause, *syntax.ForClause:
	default: // a list begins where its first command does
		return nil
	}
	start, _ := w.span(node)
	for i := range w.Loops {
		if w.Loops[i].start == start {
			return &w.Loops[i]
		}
	}
	return nil
}

// linesOf records the redirection from which a loop reads its lines, if there is only one that it
// could be. The last of the files come from the redirections of the loop, by position.
func (w *walker) linesOf(stmt *syntax.Stmt, files []int) {
	l := w.loopOf(stmt.Cmd)
	if l == nil || !l.Lines {
		return
	}
	for i, redirect := range stmt.Redirs {
		given, _ := feeds(redirect)
		switch {
		case !given:
		case l.File > 0 || redirect.Op != syntax.RdrIn:
			l.File, l.Variable = 0, ""
			return
		default:
			l.File = files[i] + 1
			l.Giver = w.Files[files[i]].Word.fedBy
		}
	}
}

// givenBy records that a loop behind a pipe reads its lines from a command, by its position, or -1.
func (w *walker) givenBy(stmt *syntax.Stmt, giver int) {
	l := w.loopOf(stmt.Cmd)
	if l != nil && l.Lines && l.File == 0 && giver >= 0 && !stmt.Negated && !stmt.Background && !stmt.Coprocess {
		l.Giver = giver + 1
	}
}

// Alone returns the variable that a word consists of, if it has certainly got a value, and whether
// ./ is written before it.
func (w *Word) Alone() (variable string, here bool) {
	if len(w.recipe) != 3 || w.recipe[2].text != "" || !w.recipe[1].settled || !slices.Contains([]string{"", "./"}, w.recipe[0].text) {
		return "", false
	}
	return w.recipe[1].variable, w.recipe[0].text != ""
}

// alone reports whether an assignment in front of a builtin gives a literal value to a variable that
// the builtin itself uses, and that nothing else gets.
func (w *walker) alone(a *syntax.Assign, args []*syntax.Word) bool {
	if len(args) == 0 || a.Name == nil || a.Append || a.Array != nil {
		return false
	}
	reads := w.effects.builtins[strings.Trim(w.asWritten(args[0]), "'")].ReadsLines
	if reads == nil || a.Name.Value != reads.SplitsBy || w.variant == syntax.LangZsh {
		return false
	}
	last := len(w.Values) - 1
	return last >= 0 && w.Values[last].Known && !w.Values[last].Value.Open && w.Values[last].Form != FormEvaluates || w.empties(a, reads.SplitsBy)
}
