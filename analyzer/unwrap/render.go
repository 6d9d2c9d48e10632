package unwrap

import (
	"strings"

	"gavel/analyzer/shell"
)

// renderer renders a script so that every shell reads it as it was read here. Each word is in
// single quotes, or as written if it is produced at run time. Each program is its real path, and
// wrappers come first, with their own words. Operators and compound commands have one spelling. The
// text of a shell is rendered in the same way and then quoted as one word.
type renderer struct {
	roundTrip
	missing bool // a program was not found
	long    bool // the text of a shell exceeds the limit
	wrong   bool // the rendered text is not what was judged
}

// unwrappedScript is a script with the nodes of its commands.
type unwrappedScript struct {
	pieces     []shell.Piece
	nodes      []node
	files      []shell.Redirection
	shell      string // the shell that reads it
	constructs int    // number of constructs
	values     []shell.Assignment
	functions  map[string]bool
	rendered   [][]renderedWord // the words of each command, once rendered
}

// render prints a script, or returns "" if that is impossible.
func (r *renderer) render(p *unwrappedScript) string {
	var text strings.Builder
	text.Grow(64 * len(p.nodes))
	p.rendered = make([][]renderedWord, len(p.nodes))
	r.pieces(&text, p, p.pieces)
	if r.stopped() {
		return ""
	}
	if !r.matches(text.String(), p) {
		r.wrong = true
		return ""
	}
	return text.String()
}

// stopped reports whether printing has failed.
func (r *renderer) stopped() bool { return r.missing || r.long || r.wrong }

func (r *renderer) pieces(text *strings.Builder, p *unwrappedScript, pieces []shell.Piece) {
	for _, item := range pieces {
		switch {
		case r.stopped():
			return
		case item.Kind == shell.PieceCommand:
			p.rendered[item.Index] = r.node(text, p, &p.nodes[item.Index], true)
		case item.Kind == shell.PieceFile:
			r.file(text, p, &p.files[item.Index])
		default:
			text.WriteString(item.Text)
		}
	}
}

// node prints one command, by its path unless it follows a multiplexer, and returns its words.
func (r *renderer) node(text *strings.Builder, p *unwrappedScript, n *node, byPath bool) []renderedWord {
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
	rendered := append(make([]renderedWord, 0, 1+len(n.words)), renderedWord{text: name})
	rendered = r.words(text, p, n.words, rendered)
	switch {
	case n.script != nil:
		inner := r.render(n.script)
		if len(inner) > shell.MaxText { // each level may make it four times as long
			r.long = true
			return nil
		}
		text.WriteByte(' ')
		shell.Quote(text, inner)
		rendered = r.words(text, p, n.after, append(rendered, renderedWord{text: inner}))
	case len(n.inner) > 0:
		text.WriteByte(' ')
		rendered = append(rendered, r.node(text, p, &n.inner[0], n.kind != kindMultiplexer)...)
	}
	return rendered
}

// words prints words, each with a blank before it, and adds them to those that were printed.
func (r *renderer) words(text *strings.Builder, p *unwrappedScript, words []shell.Word, rendered []renderedWord) []renderedWord {
	for i := range words {
		text.WriteByte(' ')
		r.word(text, p, &words[i])
		rendered = append(rendered, renderedWord{words[i].Text, words[i].Pieces != nil})
	}
	return rendered
}

func (r *renderer) word(text *strings.Builder, p *unwrappedScript, w *shell.Word) {
	if w.Pieces != nil {
		r.pieces(text, p, w.Pieces)
		return
	}
	shell.Quote(text, w.Text)
}

// file prints a redirection to the file that was judged.
func (r *renderer) file(text *strings.Builder, p *unwrappedScript, f *shell.Redirection) {
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
