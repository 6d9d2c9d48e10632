package analyzer

import "strings"

// renderer prints a script so that every shell reads it as it was read: each word
// in single quotes, or as it was written when the shell makes its value; each
// program by its real path, wrappers with their own words in front, operators and
// compound commands in one spelling. The text of a shell is printed in the same way,
// and then quoted as one word.
type renderer struct {
	missing bool // a program was not found
	long    bool // the text of a shell is longer than what is read
}

// printed is a script with what its commands are.
type printed struct {
	pieces []piece
	nodes  []node
	files  []file
}

// render prints a script, or "" when that cannot be done.
func (r *renderer) render(p *printed) string {
	var text strings.Builder
	text.Grow(32 * len(p.nodes))
	r.pieces(&text, p, p.pieces)
	if r.missing || r.long {
		return ""
	}
	return text.String()
}

func (r *renderer) pieces(text *strings.Builder, p *printed, pieces []piece) {
	for _, one := range pieces {
		switch {
		case r.missing || r.long:
			return
		case one.kind == pieceCommand:
			r.node(text, p, &p.nodes[one.index], true)
		case one.kind == pieceFile:
			r.file(text, p, &p.files[one.index])
		default:
			text.WriteString(one.text)
		}
	}
}

// node prints one command, by its path unless a multiplexer stands before it.
func (r *renderer) node(text *strings.Builder, p *printed, n *node, byPath bool) {
	if n.real == "" && n.name == "" {
		r.missing = true
	}
	if r.missing || r.long {
		return
	}
	if byPath && n.real != "" {
		quote(text, n.real)
	} else {
		quote(text, n.name)
	}
	r.words(text, p, n.words)
	switch {
	case n.script != nil:
		inner := r.render(n.script)
		if len(inner) > maxText { // each level may make it four times as long
			r.long = true
			return
		}
		text.WriteByte(' ')
		quote(text, inner)
		r.words(text, p, n.after)
	case len(n.inner) > 0:
		text.WriteByte(' ')
		r.node(text, p, &n.inner[0], n.kind != kindMultiplexer)
	}
}

// words prints words, each with a blank before it.
func (r *renderer) words(text *strings.Builder, p *printed, words []word) {
	for i := range words {
		text.WriteByte(' ')
		r.word(text, p, &words[i])
	}
}

func (r *renderer) word(text *strings.Builder, p *printed, w *word) {
	if w.pieces != nil {
		r.pieces(text, p, w.pieces)
		return
	}
	quote(text, w.text)
}

// file prints a redirection, to the file that was judged.
func (r *renderer) file(text *strings.Builder, p *printed, f *file) {
	text.WriteString(f.Descriptor)
	switch {
	case f.here != nil && f.Dynamic:
		text.WriteString("<<" + f.here.delimiter)
	case f.here != nil:
		text.WriteString("<<'" + f.here.delimiter + "'")
	case strings.HasSuffix(f.Operator, "&"):
		text.WriteString(f.Operator + f.Target)
	default:
		text.WriteString(f.Operator + " ")
		if f.Real != "" {
			quote(text, f.Real)
			return
		}
		r.word(text, p, &f.word)
	}
}

// quoted returns a word in single quotes.
func quoted(word string) string {
	var text strings.Builder
	quote(&text, word)
	return text.String()
}

// quote writes a word in single quotes. A quote inside stands between them.
func quote(text *strings.Builder, word string) {
	text.WriteByte('\'')
	for {
		before, after, found := strings.Cut(word, "'")
		text.WriteString(before)
		if !found {
			break
		}
		text.WriteString(`'\''`)
		word = after
	}
	text.WriteByte('\'')
}
