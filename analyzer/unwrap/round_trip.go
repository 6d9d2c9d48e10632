package unwrap

import (
	"slices"
	"strings"

	"gavel/analyzer/shell"
)

// What is rendered must be what was judged. So a rendered text is parsed again, as its shell will read
// it, and compared with what was judged. It must have the same commands at the same
// positions, and each must be an absolute path, a builtin with words from the table or . with an
// absolute path that was judged, or a function that was declared before. A text that fails this check is refused.

// renderedWord is one word as it was rendered.
type renderedWord struct {
	text    string
	dynamic bool
}

// roundTrip parses rendered texts again, and compares them with what was judged.
type roundTrip struct {
	parsers  *shell.Parsers
	builtins *Builtins
}

// matches reports whether a rendered text has exactly the commands that were judged.
func (f *roundTrip) matches(text string, p *unwrappedScript) bool {
	if p.plain() {
		return f.scan(text, p)
	}
	s := f.parsers.Parse(text, p.shell)
	if s.Refusal != nil || len(s.Commands) != len(p.nodes) || len(s.Files) != len(p.files) || len(s.Functions) != len(p.functions) {
		return false
	}
	for i := range s.Commands {
		if !f.same(&s.Commands[i], p, i) {
			return false
		}
	}
	for i := range s.Files {
		if !sameFile(&s.Files[i], &p.files[i]) {
			return false
		}
	}
	for name := range s.Functions {
		if !p.functions[name] {
			return false
		}
	}
	return slices.Equal(s.Values, p.values)
}

// same reports whether a command that was parsed again is the one that was judged.
func (f *roundTrip) same(c *shell.SimpleCommand, p *unwrappedScript, i int) bool {
	rendered := p.rendered[i]
	if len(c.Words) != len(rendered) || c.Function != p.nodes[i].function {
		return false
	}
	for j := range rendered {
		if c.Words[j].Dynamic != rendered[j].dynamic || !rendered[j].dynamic && c.Words[j].Text != rendered[j].text {
			return false
		}
	}
	return f.mayStand(&p.nodes[i], rendered)
}

// mayStand reports whether words are safe where a shell reads the first of them as a command
// name.
func (f *roundTrip) mayStand(n *node, rendered []renderedWord) bool {
	switch {
	case n.function:
		return true
	case n.sources:
		return len(rendered) == 2 && rendered[0].text == dotBuiltin && !rendered[1].dynamic && strings.HasPrefix(rendered[1].text, "/") && rendered[1].text == n.inner[0].real
	case n.builtin:
		own, known := f.builtins.commands[rendered[0].text]
		words := make([]shell.Word, len(rendered))
		for i := range rendered {
			words[i] = shell.Word{Text: rendered[i].text, Dynamic: rendered[i].dynamic}
		}
		return known && own.onlyAsks(words) && own.read(words).opaque == ""
	default:
		return strings.HasPrefix(rendered[0].text, "/") && rendered[0].text == n.real
	}
}

func sameFile(again, judged *shell.Redirection) bool {
	target := judged.Target
	if judged.Real != "" && judged.Here == nil {
		target = judged.Real
	}
	operator := judged.Operator
	if judged.Here != nil {
		operator = "<<" // in whichever way it was written
	}
	return again.Operator == operator && again.Descriptor == judged.Descriptor && again.Reads == judged.Reads &&
		again.Writes == judged.Writes && (again.Target == target || again.Dynamic && judged.Dynamic)
}

// plain reports whether a script consists of commands with literal words, and operators between
// them.
func (p *unwrappedScript) plain() bool {
	if len(p.files)+len(p.functions)+len(p.values)+p.constructs > 0 {
		return false
	}
	for _, rendered := range p.rendered {
		if slices.ContainsFunc(rendered, func(item renderedWord) bool { return item.dynamic }) {
			return false
		}
	}
	return true
}

// scan is the fast path for a plain script: words in single quotes, one blank between them, and
// operators between the commands.
func (f *roundTrip) scan(text string, p *unwrappedScript) bool {
	for i, rendered := range p.rendered {
		if i > 0 {
			rest, found := cutOperator(text)
			if !found {
				return false
			}
			text = rest
		}
		for j := range rendered {
			rest, found := strings.CutPrefix(text, " ")
			if found != (j > 0) {
				return false
			}
			var item string
			if item, text, found = unquote(rest); !found || item != rendered[j].text {
				return false
			}
		}
		if len(rendered) == 0 || !f.mayStand(&p.nodes[i], rendered) {
			return false
		}
	}
	return text == "" || text == " &"
}

// cutOperator removes an operator between two commands from a text.
func cutOperator(text string) (rest string, found bool) {
	for _, operator := range []string{"; ", " && ", " || ", " | ", " |& ", " & "} {
		if rest, found = strings.CutPrefix(text, operator); found {
			return rest, true
		}
	}
	return text, false
}

// unquote removes a word in single quotes from a text.
func unquote(text string) (word, rest string, ok bool) {
	inside, found := strings.CutPrefix(text, "'")
	if !found {
		return "", text, false
	}
	for {
		part, after, closed := strings.Cut(inside, "'")
		if !closed {
			return "", text, false
		}
		word += part
		next, more := strings.CutPrefix(after, `\''`)
		if !more {
			return word, after, true
		}
		word, inside = word+"'", next
	}
}
