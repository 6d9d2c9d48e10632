package unwrap

import (
	"strings"

	"gavel/analyzer/shell"
)

// renderer prints a script so that every shell reads it as it was read here. Each word is in
// single quotes, or as written if it is produced at run time. Each program is printed by its real
// path, and wrappers with their own words in front. Operators and compound commands have one
// spelling. The text of a shell is printed in the same way and then quoted as one word.
type renderer struct {
	proof
	missing bool // a program was not found
	long    bool // the text of a shell exceeds the limit
	wrong   bool // the printed text does not say what was judged
}

// printed is a script with the nodes of its commands.
type printed struct {
	pieces     []shell.Piece
	nodes      []node
	files      []shell.Redirection
	shell      string // the shell that reads it
	constructs int    // number of constructs
	values     []shell.Assignment
	functions  map[string]bool
	said       [][]spoken // the words of each command, once printed
}

// render prints a script, or returns "" if that is impossible.
func (r *renderer) render(p *printed) string {
	var text strings.Builder
	text.Grow(64 * len(p.nodes))
	p.said = make([][]spoken, len(p.nodes))
	r.pieces(&text, p, p.pieces)
	if r.stopped() {
		return ""
	}
	if !r.holds(text.String(), p) {
		r.wrong = true
		return ""
	}
	return text.String()
}

// stopped reports whether printing has failed.
func (r *renderer) stopped() bool { return r.missing || r.long || r.wrong }

func (r *renderer) pieces(text *strings.Builder, p *printed, pieces []shell.Piece) {
	for _, one := range pieces {
		switch {
		case r.stopped():
			return
		case one.Kind == shell.PieceCommand:
			p.said[one.Index] = r.node(text, p, &p.nodes[one.Index], true)
		case one.Kind == shell.PieceFile:
			r.file(text, p, &p.files[one.Index])
		default:
			text.WriteString(one.Text)
		}
	}
}

// node prints one command, by its path unless it follows a multiplexer, and returns its words.
func (r *renderer) node(text *strings.Builder, p *printed, n *node, byPath bool) []spoken {
	if n.real == "" && n.name == "" {
		r.missing = true
	}
	if r.stopped() {
		return nil
	}
	name := n.name
	if byPath && n.real != "" {
		name = n.real
	}
	shell.Quote(text, name)
	said := append(make([]spoken, 0, 1+len(n.words)), spoken{text: name})
	said = r.words(text, p, n.words, said)
	switch {
	case n.script != nil:
		inner := r.render(n.script)
		if len(inner) > shell.MaxText { // each level may make it four times as long
			r.long = true
			return nil
		}
		text.WriteByte(' ')
		shell.Quote(text, inner)
		said = r.words(text, p, n.after, append(said, spoken{text: inner}))
	case len(n.inner) > 0:
		text.WriteByte(' ')
		said = append(said, r.node(text, p, &n.inner[0], n.kind != kindMultiplexer)...)
	}
	return said
}

// words prints words, each with a blank before it, and adds them to those that were printed.
func (r *renderer) words(text *strings.Builder, p *printed, words []shell.Word, said []spoken) []spoken {
	for i := range words {
		text.WriteByte(' ')
		r.word(text, p, &words[i])
		said = append(said, spoken{words[i].Text, words[i].Pieces != nil})
	}
	return said
}

func (r *renderer) word(text *strings.Builder, p *printed, w *shell.Word) {
	if w.Pieces != nil {
		r.pieces(text, p, w.Pieces)
		return
	}
	shell.Quote(text, w.Text)
}

// file prints a redirection to the file that was judged.
func (r *renderer) file(text *strings.Builder, p *printed, f *shell.Redirection) {
	text.WriteString(f.Descriptor)
	switch {
	case f.Here != nil && f.Dynamic:
		text.WriteString("<<" + f.Here.Delimiter)
	case f.Here != nil:
		text.WriteString("<<'" + f.Here.Delimiter + "'")
	case strings.HasSuffix(f.Operator, "&"):
		text.WriteString(f.Operator + f.Target)
	default:
		text.WriteString(f.Operator + " ")
		if f.Real != "" {
			shell.Quote(text, f.Real)
			return
		}
		r.word(text, p, &f.Word)
	}
}
