package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel"
	"gavel/analyzer/spelling"
)

// Redirection is one redirection.
type Redirection struct {
	gavel.Redirect
	Word Word
	Dir  Directory
	Here *heredoc
	// Owner is the position of the simple command that it belongs to, or -1. Commands before
	// Upto, other than the owner, may run before the file is opened.
	Owner, Upto int
	Beside      []Span // later commands that may run before it is opened, or at the same time
}

// heredoc is a here-document to print.
type heredoc struct {
	Delimiter string
	body      string // with a newline at its end, or empty
}

// Body returns the text of the here-document.
func (h *heredoc) Body() string { return h.body }

// redirect walks a redirection. It becomes a fact, and the policy decides.
func (w *walker) redirect(node *syntax.Redirect, owner, upto int) {
	start, end := w.span(node)
	_, word := w.span(node.Word)
	if node.Hdoc == nil || word < end {
		end = word
	}
	kind, construct := redirectName(node.Op)
	f := Redirection{Redirect: gavel.Redirect{Operator: node.Op.String(), Start: start, End: end}, Dir: w.dir, Owner: owner, Upto: upto}
	f.Reads = slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.RdrInOut}, node.Op)
	f.Writes = slices.Contains([]syntax.RedirOperator{syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll}, node.Op)
	here := node.Op == syntax.Hdoc || node.Op == syntax.DashHdoc
	duplicate := node.Op == syntax.DplIn || node.Op == syntax.DplOut
	if !here && !duplicate && !f.Reads && !f.Writes && node.Op != syntax.WordHdoc {
		w.refuse(kind, construct, start, end)
		return
	}
	if node.N != nil {
		f.Descriptor = node.N.Value
		if !spelling.Digits(f.Descriptor) {
			w.refuse(kind, "redirection of a named descriptor", start, end)
		}
		w.keyword(node.N.Pos(), f.Descriptor)
	}
	w.keyword(node.OpPos, f.Operator)
	w.construct(kind, construct, start, end)
	if here {
		w.hereDocument(&f, node)
	} else {
		f.Word = w.word(node.Word)
		f.Target, f.Dynamic = f.Word.Text, f.Word.Dynamic
	}
	switch from, to := w.span(node.Word); {
	case duplicate && f.Target != "-" && !spelling.Digits(f.Target):
		w.refuse(kind, construct+" of something other than a descriptor", start, end)
	case w.variant == syntax.LangZsh && strings.Contains(w.text[from:to], "-") && spelling.Digits(w.text[from:from+1]):
		w.refuse(kind, construct+" that zsh may read as a pattern", start, end)
	}
	w.emit(" ")
	w.Pieces = append(w.Pieces, Piece{Kind: PieceFile, Index: len(w.Files)})
	w.Files = append(w.Files, f)
}

// hereDocument reads a here-document. Its body is found in the text, line by line, and must be where
// the parser found it.
func (w *walker) hereDocument(f *Redirection, node *syntax.Redirect) {
	from, to := w.span(node.Word)
	raw := w.text[from:to]
	f.Word = w.word(node.Word)
	delimiter := f.Word.Text
	literal := raw == "'"+delimiter+"'" || raw == `"`+delimiter+`"`
	if f.Word.Dynamic || delimiter == "" || !spelling.Ordinary(delimiter) || !literal && raw != delimiter {
		w.refuse(kindHeredoc, "here-document with an unusual delimiter", f.Start, to)
		return
	}
	start := w.bodyStart(to)
	body, end, found := bodyLines(w.text[start:], delimiter, node.Op == syntax.DashHdoc)
	end += start
	if !found || !w.isAt(node.Hdoc, start, end, body) {
		w.refuse(kindHeredoc, "here-document with an ambiguous delimiter", f.Start, to)
		return
	}
	w.markUnderstood(start, end)
	w.bodies = append(w.bodies, Span{start, end})
	f.Target, f.Dynamic = body, false
	if !literal {
		f.Dynamic = w.readExpansions(f, node.Hdoc)
	}
	name := "EOF"
	for strings.Contains("\n"+body, "\n"+name) {
		name += "_"
	}
	f.Here = &heredoc{Delimiter: name, body: body}
	w.heredocs = append(w.heredocs, *f.Here)
}

// bodyStart returns where the body of a here-document begins: after the line of its operator, or after
// the body of an earlier one on that line.
func (w *walker) bodyStart(operator int) int {
	newline := strings.IndexByte(w.text[operator:], '\n')
	if newline < 0 {
		return len(w.text)
	}
	start := operator + newline + 1
	for _, other := range w.bodies {
		if other.Start == start {
			start = min(other.End+1, len(w.text))
		}
	}
	return start
}

// bodyLines returns the lines of a text up to the delimiter, and where they end. A line that only
// begins with the delimiter is refused, because shells disagree about it.
func bodyLines(text, delimiter string, tabs bool) (body string, end int, found bool) {
	var b strings.Builder
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		at += len(line) + 1
		if tabs {
			line = strings.TrimLeft(line, "\t")
		}
		switch {
		case line == delimiter:
			return b.String(), at - 1, true
		case strings.HasPrefix(line, delimiter), strings.HasSuffix(line, `\`):
			return "", 0, false
		}
		b.WriteString(line + "\n")
	}
	return "", 0, false
}

// isAt reports whether the parser found the body at the same position.
func (w *walker) isAt(node *syntax.Word, start, end int, body string) bool {
	if node == nil {
		return body == ""
	}
	from, to := w.span(node)
	return from == start && to == end
}

// readExpansions reads the body of a here-document in which parameters are expanded, and refuses all
// other expansions.
func (w *walker) readExpansions(f *Redirection, node *syntax.Word) (dynamic bool) {
	if node == nil {
		return false
	}
	for _, part := range node.Parts {
		start, end := w.span(part)
		text := w.text[start:end]
		_, plain := part.(*syntax.Lit)
		switch {
		case plain && !strings.ContainsAny(text, "$`\\"):
		case !plain && isParameter(text) && w.variant != syntax.LangZsh:
			dynamic = true
			w.Expands = append(w.Expands, parameterName(text))
		default:
			w.refuse(kindHeredoc, "here-document that expands more than parameters", f.Start, f.End)
		}
	}
	return dynamic
}
