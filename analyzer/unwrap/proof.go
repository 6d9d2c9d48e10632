package unwrap

import (
	"slices"
	"strings"

	"gavel/analyzer/shell"
)

// What is printed must be what was judged. So a printed text is parsed again, as its shell will
// read it, and compared with what was judged. It must have the same commands at the same
// positions, and each must be an absolute path, a builtin with words from the table or . with an
// absolute path that was judged, or a function that was declared before. A text that fails this check is refused.

// spoken is one word as it was printed.
type spoken struct {
	text    string
	dynamic bool
}

// proof checks printed texts.
type proof struct {
	parsers  *shell.Parsers
	builtins *Builtins
}

// holds reports whether a text says what was judged.
func (f *proof) holds(text string, p *printed) bool {
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
func (f *proof) same(c *shell.SimpleCommand, p *printed, i int) bool {
	said := p.said[i]
	if len(c.Words) != len(said) || c.Function != p.nodes[i].function {
		return false
	}
	for j := range said {
		if c.Words[j].Dynamic != said[j].dynamic || !said[j].dynamic && c.Words[j].Text != said[j].text {
			return false
		}
	}
	return f.mayStand(&p.nodes[i], said)
}

// mayStand reports whether words are safe where a shell reads the first of them as a command
// name.
func (f *proof) mayStand(n *node, said []spoken) bool {
	switch {
	case n.function:
		return true
	case n.sources:
		return len(said) == 2 && said[0].text == sourcing && !said[1].dynamic && strings.HasPrefix(said[1].text, "/") && said[1].text == n.inner[0].real
	case n.builtin:
		own, known := f.builtins.commands[said[0].text]
		words := make([]shell.Word, len(said))
		for i := range said {
			words[i] = shell.Word{Text: said[i].text, Dynamic: said[i].dynamic}
		}
		return known && own.asks(words) && own.read(words).opaque == ""
	default:
		return strings.HasPrefix(said[0].text, "/") && said[0].text == n.real
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
func (p *printed) plain() bool {
	if len(p.files)+len(p.functions)+len(p.values)+p.constructs > 0 {
		return false
	}
	for _, said := range p.said {
		if slices.ContainsFunc(said, func(one spoken) bool { return one.dynamic }) {
			return false
		}
	}
	return true
}

// scan is the fast path for a plain script: words in single quotes, one blank between them, and
// operators between the commands.
func (f *proof) scan(text string, p *printed) bool {
	for i, said := range p.said {
		if i > 0 {
			rest, found := cutOperator(text)
			if !found {
				return false
			}
			text = rest
		}
		for j := range said {
			rest, found := strings.CutPrefix(text, " ")
			if found != (j > 0) {
				return false
			}
			var one string
			if one, text, found = unquote(rest); !found || one != said[j].text {
				return false
			}
		}
		if len(said) == 0 || !f.mayStand(&p.nodes[i], said) {
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
