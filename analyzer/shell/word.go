package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/spelling"
)

// Word is one word of a command.
type Word struct {
	// Text is the word after quote removal. Of a dynamic word, whose value a shell
	// makes when it runs, it is the source.
	Text    string
	Dynamic bool
	// Many is true when a dynamic word may become several words, or none.
	Many bool
	// splits is true when those words are cut out of one value, so that only the
	// first of them begins with prefix.
	splits bool
	// Prefix is what the value of a dynamic word begins with for certain; undashed
	// says only that this is no dash.
	Prefix   string
	undashed bool
	// numbered is the whole value, with argv.Number for the number of a process, of a
	// word in which nothing else is made at run time, and which is not an option; "" of every
	// other one.
	numbered string
	// homed is the whole value, with the tilde as it is written, of a word in which a shell
	// puts the home directory in its place and makes nothing else; "" of every other one.
	homed string
	// evaluates is true when what is written of a dynamic word would run something, or
	// look something up, were a shell to evaluate it.
	evaluates bool
	// globs is the value of a word in which nothing is expanded but the names of files,
	// where that is not done, as in an assignment; "" of every other one.
	globs string
	// number is true when nothing is made at run time but numbers, and nothing else is
	// written than digits.
	number bool
	// why is what makes the word dynamic, first.
	why *reason
	// recipe is what a word consists of in which nothing is made but the values of
	// variables, and choices what it may then be; both empty of every other one. parameters
	// is true where parameters are all that is made, and variables names them.
	recipe     []ingredient
	Choices    []Choice
	Parameters bool
	Variables  []string
	Pieces     []Piece // how a word is printed that the shell makes; of others their text is quoted
}

// reason is the part of a word that makes it dynamic.
type reason struct {
	kind, construct string
	start, end      int
}

// word reads a word. One of which neither the value nor what makes it can be said
// exactly is refused; then the result means nothing.
//
// Values are read from the text itself, not from the tree: the tree says where a
// part begins and ends, and the rules of quoting say what is in it.
func (w *walker) word(node *syntax.Word) Word {
	start, end := w.span(node)
	if strings.Contains(w.text[start:end], "\\\n") && !w.nests(node) && w.continued(node) {
		return Word{}
	}
	if text, ok := w.plain(node, start, end); ok {
		w.explain(start, end)
		return Word{Text: text}
	}
	v := value{walker: w, brace: -1}
	v.printed = w.apart(func() {
		seen := start
		for _, part := range node.Parts {
			from, to := w.span(part)
			if from != seen {
				w.refuse(kindGuard, "word with text that the parser skips", seen, from)
			}
			v.part(part, from, to)
			seen = to
		}
		if seen != end {
			w.refuse(kindGuard, "word with text that the parser skips", seen, end)
		}
	})
	v.braces()
	if !v.word.Dynamic {
		return Word{Text: string(v.bytes)}
	}
	v.word.Text, v.word.Pieces, v.word.numbered = w.text[start:end], v.printed, v.numbered()
	if v.tildes == v.made {
		v.word.homed = string(v.bytes)
	}
	if v.made == v.globbed {
		v.word.globs = string(v.bytes)
	}
	v.cook()
	v.word.evaluates, v.word.number = Evaluates(string(v.bytes)), v.counted == v.made && strings.Trim(string(v.bytes), "0123456789") == ""
	return v.word
}

// continued refuses a word in which a line is continued. In single quotes nothing is.
func (w *walker) continued(node *syntax.Word) bool {
	for _, part := range node.Parts {
		from, to := w.span(part)
		if quoted, ok := part.(*syntax.SglQuoted); ok && !quoted.Dollar {
			continue
		}
		if i := strings.Index(w.text[from:to], "\\\n"); i >= 0 {
			w.refuse(kindGuard, "line continuation inside a word", from+i, from+i+2)
			return true
		}
	}
	return false
}

// nests reports whether commands stand inside a word; they say for themselves
// where a line may go on.
func (w *walker) nests(node syntax.Node) bool {
	found := false
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// plain is the quick way for a word of ordinary characters only, which is most
// of them: its value is its text.
func (w *walker) plain(node *syntax.Word, start, end int) (string, bool) {
	if len(node.Parts) != 1 {
		return "", false
	}
	if _, ok := node.Parts[0].(*syntax.Lit); !ok {
		return "", false
	}
	text := w.text[start:end]
	return text, text == "[" || text == "]" || spelling.Ordinary(text) && (w.variant != syntax.LangZsh || text[0] != '=')
}
