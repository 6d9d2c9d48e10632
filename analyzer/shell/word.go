package shell

import (
	"bytes"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/spelling"
)

// Word is one word of a command.
type Word struct {
	// Text is the word after quote removal. For a dynamic word, it is the source.
	Text    string
	Dynamic bool
	// Many is true if a dynamic word may become several words, or none.
	Many bool
	// splits is true if those words are cut from one value, so that only the first of them begins
	// with prefix.
	splits bool
	// Prefix is what the value of a dynamic word certainly begins with. undashed says only that
	// it does not begin with a dash.
	Prefix   string
	undashed bool
	// numbered is the whole value, with argv.Number in place of a PID, if nothing else is
	// produced at run time and the word is not an option; "" for any other word.
	numbered string
	homed    string // see Homed
	// loose is the same of a word that begins with $HOME without quotes: it may become several.
	loose string
	// evaluates is true if a shell that evaluated the literal parts of a dynamic word would run
	// or look up something.
	evaluates bool
	// globs is the value of a word in which only file names are expanded, for places where shells
	// do not expand them, such as assignments; "" for any other word.
	globs string
	// homeGlobs is the same with a tilde in front, as written.
	homeGlobs string
	// Globbed is true if file names are expanded in the word, whatever else is.
	Globbed bool
	// number is true if the word consists of digits, and only numbers are produced at run time.
	number bool
	// why is the first part that makes the word dynamic.
	why *reason
	// recipe has the parts of a word in which only variables are expanded, and choices its
	// possible values; both are empty for any other word. parameters is true if nothing but
	// parameters is expanded, and variables has their names.
	recipe  []ingredient
	Choices []Choice
	// Loose are the values of a word that is an unquoted variable of a loop over names of files.
	// They hold if each of these names turns out to be one word.
	Loose []Choice
	Fed   bool // it is a process substitution and nothing else
	// Output is one more than the position of the command whose output the word is, if the word is
	// nothing but that, without quotes; 0 for any other word.
	Output int
	// fedBy is the same for a process substitution that is read.
	fedBy      int
	Parameters bool
	Variables  []string
	Pieces     []Piece // how a dynamic word is printed; other words are printed quoted
}

// Homed is the whole value, with the tilde as written, if the shell expands only the home directory;
// "" for any other word.
func (w *Word) Homed() string { return w.homed }

// Home is the path that a word is below the home directory, as ~/x; "" for any other word.
func (w *Word) Home() string {
	if !strings.HasPrefix(w.homed, "~/") || strings.Contains(w.homed[1:], "~") {
		return ""
	}
	return w.homed
}

// AtHome returns words in which $HOME without quotes is one word, if that is true of the home
// directory.
func AtHome(words []Word, home string) []Word {
	if !oneWord(home) {
		return words
	}
	changed := false
	for i := range words {
		if words[i].loose == "" {
			continue
		}
		if !changed {
			words, changed = slices.Clone(words), true
		}
		words[i].homed, words[i].Many, words[i].splits = words[i].loose, false, false
	}
	return words
}

// beginsAtHome records that a word is the variable HOME and a path below it.
func (w *Word) beginsAtHome() {
	if len(w.recipe) != 3 || w.recipe[0].text != "" || w.recipe[1].variable != "HOME" || !strings.HasPrefix(w.recipe[2].text, "/") || strings.Contains(w.recipe[2].text, "~") {
		return
	}
	if path := "~" + w.recipe[2].text; w.recipe[1].quoted {
		w.homed = path
	} else {
		w.loose = path
	}
}

// reason is the part of a word that makes it dynamic.
type reason struct {
	kind, construct string
	start, end      int
}

// word reads a word. It refuses a word if neither its value nor the source of its value is known
// exactly; then the result is meaningless.
//
// Values are read from the text itself, not from the syntax tree. The tree says where a part
// begins and ends; the rules of quoting say what is in it.
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
	if v.word.Fed = v.made == v.fed && len(v.bytes) == 0; !v.word.Fed || v.made > 1 {
		v.word.fedBy = 0
	}
	if v.made > 1 || len(v.bytes) > 0 {
		v.word.Output = 0
	}
	if v.made == v.globbed {
		v.word.globs = string(v.bytes)
	} else if v.made == v.globbed+v.tildes && bytes.HasPrefix(v.bytes, []byte("~/")) {
		v.word.homeGlobs = string(v.bytes)
	}
	v.word.Globbed = v.globbed > 0
	v.cook()
	v.word.beginsAtHome()
	v.word.evaluates, v.word.number = Evaluates(string(v.bytes)), v.counted == v.made && strings.Trim(string(v.bytes), "0123456789") == ""
	return v.word
}

// continued refuses a word that contains a line continuation. Inside single quotes there are
// none.
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

// nests reports whether a word contains commands, whose line continuations are checked
// separately.
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

// plain is the fast path for a word of ordinary characters, which most words are: its value is
// its text.
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
