package shell

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/argv"
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

// numbered is the value with argv.Number in its places, where nothing else is made.
func (v *value) numbered() string {
	if len(v.numbers) != v.made || bytes.HasPrefix(v.bytes, []byte("-")) {
		return ""
	}
	var text strings.Builder
	seen := 0
	for _, at := range v.numbers {
		text.Write(v.bytes[seen:at])
		text.WriteString(argv.Number)
		seen = at
	}
	text.Write(v.bytes[seen:])
	return text.String()
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

// value builds the value of one word.
type value struct {
	*walker
	word    Word
	printed []Piece
	bytes   []byte
	// numbers says where in bytes the number of a process stands, and made how many
	// parts are made at run time, those included.
	numbers []int
	made    int
	tildes  int // how many of them are home directories
	globbed int // how many of them are names of files
	counted int // how many of them are numbers, whatever is made
	// parameters is how many of them are parameters, plain how many of those are $name, and
	// cooked how much of bytes the recipe has.
	parameters, plain, cooked int
	// brace is where in bytes the first unquoted { stands, and braceAt where in
	// the text; brace is -1 when there is none.
	brace, braceAt int
}

// expands notes a part whose value a shell makes.
func (v *value) expands(kind, construct string, start, end int, many bool) {
	if !v.word.Dynamic {
		v.word.Dynamic, v.word.Prefix = true, string(v.bytes)
		v.word.why = &reason{kind, construct, start, end}
	}
	v.word.Many = v.word.Many || many
	v.made++
}

// source prints and explains a part of the text as it is.
func (v *value) source(from, to int) {
	v.emit(v.text[from:to])
	v.explain(from, to)
}

// part is the one switch over the kinds of word part.
func (v *value) part(node syntax.WordPart, from, to int) {
	switch node := node.(type) {
	case *syntax.Lit:
		v.unquoted(from, to)
		v.source(from, to)
	case *syntax.SglQuoted:
		v.single(node, from, to)
		v.source(from, to)
	case *syntax.DblQuoted:
		v.double(node, from, to)
	case *syntax.ParamExp, *syntax.ArithmExp, *syntax.CmdSubst, *syntax.ProcSubst:
		v.expansion(node, from, to, false)
	default:
		v.refusePart(node)
	}
}

// unquoted reads text outside quotes. A backslash quotes the next character.
func (v *value) unquoted(from, to int) {
	for i := from; i < to; i++ {
		c := v.text[i]
		switch c {
		case '\\':
			if i++; i == to {
				v.refuse(kindGuard, "backslash at the end of the text", i-1, i)
				return
			}
			if c = v.text[i]; c == '\n' {
				v.refuse(kindGuard, "line continuation inside a word", i-1, i+1)
			}
		case '*', '?', '[':
			v.expands(kindExpansion, "pathname expansion "+string(c), i, i+1, true)
			v.globbed++
		case '~':
			if n := len(v.bytes); n == 0 || v.bytes[n-1] == '=' || v.bytes[n-1] == ':' {
				v.expands(kindExpansion, "tilde expansion ~", i, i+1, false)
				v.tildes++
				if v.word.Prefix == "" {
					v.word.Prefix = "~"
				}
			}
		case '$':
			v.refuse(kindExpansion, "expansion $", i, i+1)
		case '{':
			if v.brace < 0 {
				v.brace, v.braceAt = len(v.bytes), i
			}
		case '#':
			if len(v.bytes) == 0 {
				v.refuse(kindGuard, "word that begins with #", i, i+1)
			}
			v.foreign(c, i)
		case '=', '^', '!':
			v.foreign(c, i)
		case ' ', '\t', '\n', '\'', '"', '`', '|', '&', ';', '(', ')', '<', '>':
			v.refuse(kindGuard, "character "+string(c)+" inside a word", i, i+1)
		}
		if c >= utf8.RuneSelf {
			v.lookalike(i)
		}
		v.bytes = append(v.bytes, c)
	}
}

// foreign refuses what only zsh gives a meaning: = at the start of a word, ^ and # in
// patterns, and ! of its history.
func (v *value) foreign(c byte, i int) {
	if v.variant == syntax.LangZsh && (c != '=' || len(v.bytes) == 0) {
		v.refuse(kindExpansion, "expansion "+string(c), i, i+1)
	}
}

// lookalike refuses a sign beyond ASCII that stands outside quotes: such
// signs pass for operators to a reader, as U+037E does for a semicolon. Letters
// and digits of every script are words.
func (v *value) lookalike(i int) {
	r, width := utf8.DecodeRuneInString(v.text[i:])
	if utf8.RuneStart(v.text[i]) && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
		v.refuse(kindGuard, fmt.Sprintf("sign U+%04X outside quotes", r), i, i+width)
	}
}

// refusePart refuses a part that is not read.
func (v *value) refusePart(part syntax.WordPart) {
	start, end := v.span(part)
	kind, construct := partName(v.text[start:end], part)
	v.refuse(kind, construct, start, end)
}

// braces notes a word that a shell might multiply: an unquoted { with a comma or
// two dots anywhere after it.
func (v *value) braces() {
	if v.brace < 0 {
		return
	}
	inside := string(v.bytes[v.brace:])
	if !strings.Contains(inside, ",") && !strings.Contains(inside, "..") && !v.word.Dynamic {
		return
	}
	v.expands(kindExpansion, "brace expansion { }", v.braceAt, v.braceAt+1, true)
	v.word.Many = true
	if before := string(v.bytes[:v.brace]); len(before) < len(v.word.Prefix) {
		v.word.Prefix = before
	}
}
