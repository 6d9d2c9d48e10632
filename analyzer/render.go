package analyzer

import "strings"

// renderer prints commands so that every shell reads them as they were read: each
// word in single quotes, each program by its real path, wrappers with their own
// words in front, and the operators as they were. The text of a shell is printed
// in the same way, and then quoted as one word.
//
// A script is and-or lists of pipelines, without grouping; printing its commands
// and operators in order therefore keeps its structure.
type renderer struct {
	missing bool // a program was not found
	long    bool // the text of a shell is longer than what is read
}

// render prints commands, or "" when that cannot be done.
func (r *renderer) render(nodes []node) string {
	var text strings.Builder
	text.Grow(size(nodes))
	for i := range nodes {
		r.node(&text, &nodes[i], true)
		text.WriteString(nodes[i].joint)
	}
	if r.missing || r.long {
		return ""
	}
	return text.String()
}

// node prints one command, by its path unless a multiplexer stands before it.
func (r *renderer) node(text *strings.Builder, n *node, byPath bool) {
	if n.program.Real == "" {
		r.missing = true
	}
	if r.missing || r.long {
		return
	}
	if byPath {
		quote(text, n.program.Real)
	} else {
		quote(text, n.name)
	}
	for _, word := range n.words {
		text.WriteByte(' ')
		quote(text, word)
	}
	switch n.kind {
	case "":
	case kindShell:
		inner := r.render(n.inner)
		if len(inner) > maxText { // each level may make it four times as long
			r.long = true
			return
		}
		text.WriteByte(' ')
		quote(text, inner)
	default:
		text.WriteByte(' ')
		r.node(text, &n.inner[0], n.kind != kindMultiplexer)
	}
}

// size is about how long the commands are when they are printed.
func size(nodes []node) int {
	n := 0
	for i := range nodes {
		n += len(nodes[i].program.Real) + len(nodes[i].joint)
		for _, word := range nodes[i].words {
			n += len(word) + len(`'' `)
		}
		n += size(nodes[i].inner)
	}
	return n
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
