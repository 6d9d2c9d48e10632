package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// A loop assigns one text after the other to a variable. If these are names that a command prints, or
// lines of a file, they may be known.

// Loop is a for loop over the output of a command, or a while loop that reads lines into a
// variable.
type Loop struct {
	Variable string
	// Source is one more than the index of the command whose output it iterates over, and File one more
	// than the index of the redirection that it reads. 0 means that there is none.
	Source, File int
	// Lines is true if it reads its input line by line. The commands of its body have the same input.
	Lines          bool
	ZeroTerminated bool // each line ends in a zero byte
	Body           Span // its commands
	start          int  // its position in the text
}

// recordForLoop records a for loop whose only word is the output of a command. The commands of its body
// begin here.
func (w *walker) recordForLoop(node *syntax.ForClause, name string, words []Word) {
	if len(words) == 1 && words[0].Output > 0 {
		start, _ := w.span(node)
		w.Loops = append(w.Loops, Loop{Variable: name, Source: words[0].Output, Body: Span{Start: len(w.Commands)}, start: start})
	}
}

// recordReadLoop records a while loop whose condition only reads a line into a variable. The condition
// was walked, and from is the index of its first command. It returns the variable, or nothing.
func (w *walker) recordReadLoop(node *syntax.WhileClause, from int) (variable []string) {
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
	if reads == nil || slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool { return !w.isEmptyAssignment(a, reads.SplitsBy) }) {
		return nil
	}
	zeros, next := lineOptions(reads, words)
	if next != len(words)-1 || words[next].Dynamic || !spelling.Portable(words[next].Text) {
		return nil
	}
	start, _ := w.span(node)
	w.Loops = append(w.Loops, Loop{Variable: words[next].Text, Lines: true, ZeroTerminated: zeros, Body: Span{Start: len(w.Commands)}, start: start})
	return []string{words[next].Text}
}

// lineOptions reads the options with which a builtin reads whole lines, up to the first other word.
func lineOptions(reads *programs.ReadsLines, words []Word) (zeros bool, next int) {
	for next = 1; next < len(words) && !words[next].Dynamic; next++ {
		letters, option := strings.CutPrefix(words[next].Text, "-")
		if !option || letters == "" {
			break
		}
		before, ends := strings.CutSuffix(letters, reads.NULTerminatedWith)
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

// isEmptyAssignment reports whether an assignment sets the variable of this name to "".
func (w *walker) isEmptyAssignment(a *syntax.Assign, name string) bool {
	if a.Name == nil || a.Name.Value != name || a.Append || a.Array != nil || a.Index != nil {
		return false
	}
	return a.Value == nil || slices.Contains([]string{"", "''", `""`}, w.source(a.Value))
}

// source returns the text of a node.
func (w *walker) source(node syntax.Node) string {
	start, end := w.span(node)
	return w.text[start:end]
}

// endLoop records where the commands of a loop end, if the loop is recorded.
func (w *walker) endLoop(node syntax.Command) {
	if l := w.loopOf(node); l != nil {
		l.Body.End = len(w.Commands)
	}
}

// loopOf returns the record of a loop, or nil.
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

// recordInputOf records the redirection from which a loop reads its lines, if there is only one. files
// are the indexes of the statement's redirections in w.Files.
func (w *walker) recordInputOf(stmt *syntax.Stmt, files []int) {
	l := w.loopOf(stmt.Cmd)
	if l == nil || !l.Lines {
		return
	}
	for i, redirect := range stmt.Redirs {
		given, _ := redirectsInput(redirect)
		switch {
		case !given:
		case l.File > 0 || redirect.Op != syntax.RdrIn:
			l.File, l.Variable = 0, ""
			return
		default:
			l.File = files[i] + 1
			l.Source = w.Files[files[i]].Word.substitutedBy
		}
	}
}

// recordSourceOf records that a loop after a pipe reads its lines from the command with an index, or -1.
func (w *walker) recordSourceOf(stmt *syntax.Stmt, giver int) {
	l := w.loopOf(stmt.Cmd)
	if l != nil && l.Lines && l.File == 0 && giver >= 0 && !stmt.Negated && !stmt.Background && !stmt.Coprocess {
		l.Source = giver + 1
	}
}

// SingleVariable returns the variable of a word that is a single variable which certainly has a value,
// perhaps with ./ before it; here reports whether it has.
func (w *Word) SingleVariable() (variable string, here bool) {
	if len(w.parts) != 3 || w.parts[2].text != "" || !w.parts[1].assigned || !slices.Contains([]string{"", "./"}, w.parts[0].text) {
		return "", false
	}
	return w.parts[1].variable, w.parts[0].text != ""
}

// isPrivateAssignment reports whether an assignment in front of a builtin sets a variable to a literal
// value that only the builtin uses, as in IFS= read.
func (w *walker) isPrivateAssignment(a *syntax.Assign, args []*syntax.Word) bool {
	if len(args) == 0 || a.Name == nil || a.Append || a.Array != nil {
		return false
	}
	reads := w.effects.builtins[strings.Trim(w.source(args[0]), "'")].ReadsLines
	if reads == nil || a.Name.Value != reads.SplitsBy || w.variant == syntax.LangZsh {
		return false
	}
	last := len(w.Values) - 1
	return last >= 0 && w.Values[last].Known && !w.Values[last].Value.IsPrefix && w.Values[last].Form != FormEvaluates || w.isEmptyAssignment(a, reads.SplitsBy)
}
