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
	// MayBeMany is true if a dynamic word may become several words, or none.
	MayBeMany bool
	// splits is true if these words are split from one value, so that only the first of them begins
	// with Prefix.
	splits bool
	// Prefix is what the value of a dynamic word certainly begins with. noDash is true if it certainly does
	// not begin with a dash.
	Prefix string
	noDash bool
	// withPIDs is the whole value, with argv.Number in place of a PID, if nothing else is
	// produced at run time and the word is not an option; "" for any other word.
	withPIDs string
	homePath string // see Homed
	// homedIfOneWord is homePath for a word that begins with an unquoted $HOME, which may become several words.
	homedIfOneWord string
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
	// cause is the first part that makes the word dynamic.
	cause *refusedPart
	// parts has the parts of a word in which only variables are expanded, and Choices its possible values;
	// both are empty for any other word. Parameters is true if nothing but parameters is expanded, and
	// Variables has their names.
	parts   []wordPart
	Choices []Choice
	// FileNames are the values of a word that is an unquoted variable of a loop over file names, provided that
	// each of these names is one word.
	FileNames           []Choice
	ProcessSubstitution bool // it is a process substitution and nothing else
	// Output is one more than the index of the command of which the word is an unquoted substitution and
	// nothing else; 0 for any other word.
	Output int
	// substitutedBy is the same for a process substitution <( ).
	substitutedBy int
	Parameters    bool
	Variables     []string
	Pieces        []Piece // how a dynamic word is printed; other words are printed quoted
}

// HomePath returns the whole value, with the tilde as written, if the shell expands only the home
// directory; "" for any other word.
func (w *Word) HomePath() string { return w.homePath }

// PathBelowHome returns the path of a word below the home directory, as ~/x; "" for any other word.
func (w *Word) PathBelowHome() string {
	if !strings.HasPrefix(w.homePath, "~/") || strings.Contains(w.homePath[1:], "~") {
		return ""
	}
	return w.homePath
}

// WithHome returns the words with an unquoted $HOME read as one word, if the home directory is one.
func WithHome(words []Word, home string) []Word {
	if !isOneWord(home) {
		return words
	}
	changed := false
	for i := range words {
		if words[i].homedIfOneWord == "" {
			continue
		}
		if !changed {
			words, changed = slices.Clone(words), true
		}
		words[i].homePath, words[i].MayBeMany, words[i].splits = words[i].homedIfOneWord, false, false
	}
	return words
}

// setHomePath records that a word consists of the variable HOME and a path below it.
func (w *Word) setHomePath() {
	if len(w.parts) != 3 || w.parts[0].text != "" || w.parts[1].variable != "HOME" || !strings.HasPrefix(w.parts[2].text, "/") || strings.Contains(w.parts[2].text, "~") {
		return
	}
	if path := "~" + w.parts[2].text; w.parts[1].quoted {
		w.homePath = path
	} else {
		w.homedIfOneWord = path
	}
}

// refusedPart is the part of a word that makes it dynamic.
type refusedPart struct {
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
	if strings.Contains(w.text[start:end], "\\\n") && !w.hasCommands(node) && w.refuseContinuation(node) {
		return Word{}
	}
	if text, ok := w.plain(node, start, end); ok {
		w.markUnderstood(start, end)
		return Word{Text: text}
	}
	v := value{walker: w, brace: -1}
	v.printed = w.capture(func() {
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
	v.word.Text, v.word.Pieces, v.word.withPIDs = w.text[start:end], v.printed, v.numbered()
	if v.tildeParts == v.dynamicParts {
		v.word.homePath = string(v.bytes)
	}
	if v.word.ProcessSubstitution = v.dynamicParts == v.processParts && len(v.bytes) == 0; !v.word.ProcessSubstitution || v.dynamicParts > 1 {
		v.word.substitutedBy = 0
	}
	if v.dynamicParts > 1 || len(v.bytes) > 0 {
		v.word.Output = 0
	}
	if v.dynamicParts == v.globParts {
		v.word.globs = string(v.bytes)
	} else if v.dynamicParts == v.globParts+v.tildeParts && bytes.HasPrefix(v.bytes, []byte("~/")) {
		v.word.homeGlobs = string(v.bytes)
	}
	v.word.Globbed = v.globParts > 0
	v.finishParts()
	v.word.setHomePath()
	v.word.evaluates, v.word.number = Evaluates(string(v.bytes)), v.numberParts == v.dynamicParts && strings.Trim(string(v.bytes), "0123456789") == ""
	return v.word
}

// refuseContinuation refuses a word that contains a line continuation. Inside single quotes there are
// none.
func (w *walker) refuseContinuation(node *syntax.Word) bool {
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

// hasCommands reports whether a word contains commands, whose line continuations are checked
// separately.
func (w *walker) hasCommands(node syntax.Node) bool {
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
