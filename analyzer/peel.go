package analyzer

import (
	"slices"
	"strings"
)

// peeled is what the words of a wrapper say that it would run.
type peeled struct {
	// opaque says why that cannot be said; then the rest means nothing.
	opaque string
	// own is how many words are the wrapper's own. The command follows, or for a
	// shell its text.
	own int
	// names are the variables that the wrapper sets or takes away, as written.
	names []string
}

// peel reads the words of a wrapper. The first is its name.
func (w Wrapper) peel(argv []string) peeled {
	switch w.Kind {
	case kindShell:
		return w.shell(argv)
	case kindMultiplexer:
		return w.multiplexer(argv)
	default:
		return w.dispatcher(argv)
	}
}

// unknown is the answer about words that the vocabulary does not have.
func unknown(argv []string, what string) peeled {
	return peeled{opaque: excerpt(baseName(argv[0]) + " " + what)}
}

// shell reads the options of a shell up to the text of -c. It accepts what bash,
// dash, mksh and the shell of busybox agree on: single letters in any order and
// cluster; o at the end of a cluster, with its value in the next word; - or --
// ends the options; the first other word is the text. Long options are bash's,
// and stand before all others.
//
// Words after the text are the positional parameters.
func (w Wrapper) shell(argv []string) peeled {
	text, short := false, false
	i := 1
	for ; i < len(argv); i++ {
		word := argv[i]
		if word == "-" || word == "--" {
			i++
			break
		}
		if !strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "+") {
			break
		}
		if long, ok := strings.CutPrefix(word, "--"); ok {
			if short || !slices.Contains(w.LongFlags, long) {
				return unknown(argv, word)
			}
			continue
		}
		short = true
		cluster, named := strings.CutSuffix(word[1:], "o")
		if !w.cluster(cluster, word[0] == '+') || cluster == "" && !named {
			return unknown(argv, word)
		}
		text = text || strings.Contains(cluster, "c")
		if named {
			if i++; i == len(argv) {
				return unknown(argv, word+" without a value")
			}
			if !slices.Contains(w.Options, argv[i]) {
				return unknown(argv, word+" "+argv[i])
			}
		}
	}
	switch {
	case !text && i < len(argv):
		return unknown(argv, "with a script")
	case !text:
		return unknown(argv, "without -c")
	case i == len(argv):
		return unknown(argv, "-c without a text")
	default:
		return peeled{own: i}
	}
}

// cluster reports whether a shell's letters are all known. After + those that do
// not switch something off are not.
func (w Wrapper) cluster(letters string, plus bool) bool {
	for i := range len(letters) {
		if strings.IndexByte(w.Flags, letters[i]) < 0 || plus && strings.IndexByte("cl", letters[i]) >= 0 {
			return false
		}
	}
	return true
}

// multiplexer reads the name of the program that is inside.
func (w Wrapper) multiplexer(argv []string) peeled {
	switch {
	case len(argv) < 2:
		return unknown(argv, "without a command")
	case slices.Contains(w.Shells, argv[1]), slices.Contains(w.Applets, argv[1]):
		return peeled{own: 1}
	default:
		return unknown(argv, argv[1])
	}
}

// dispatcher reads options, operands and assignments, up to the command.
func (w Wrapper) dispatcher(argv []string) peeled {
	scan := scanner{wrapper: w, argv: argv, next: 1}
	scan.options()
	for range w.Operands {
		if scan.word() == "" || strings.HasPrefix(scan.word(), "-") {
			scan.refuse("without its operands")
		}
		scan.next++
	}
	for w.Assignments && scan.opaque == "" {
		name, _, found := strings.Cut(scan.word(), "=")
		if !found {
			break
		}
		if !portable(name) {
			scan.refuse(scan.word())
		}
		scan.names = append(scan.names, name)
		scan.next++
	}
	switch {
	case scan.opaque != "":
	case scan.word() == "":
		scan.refuse("without a command")
	case strings.HasPrefix(scan.word(), "-"):
		scan.refuse(scan.word())
	}
	return peeled{opaque: scan.opaque, own: scan.next, names: scan.names}
}

// scanner reads the words of a dispatcher as getopt does: the first word that is
// no option ends them.
type scanner struct {
	wrapper Wrapper
	argv    []string
	next    int
	names   []string
	opaque  string
}

// word is the next word, or "" at the end.
func (s *scanner) word() string {
	if s.next >= len(s.argv) {
		return ""
	}
	return s.argv[s.next]
}

// refuse keeps the first reason why the words cannot be read.
func (s *scanner) refuse(what string) {
	if s.opaque == "" {
		s.opaque = unknown(s.argv, what).opaque
	}
}

func (s *scanner) options() {
	for s.opaque == "" && strings.HasPrefix(s.word(), "-") {
		word := s.word()
		s.next++
		switch {
		case word == "--":
			return
		case word == "-":
			if !s.wrapper.Dash {
				s.refuse(word)
			}
			return
		case strings.HasPrefix(word, "--"):
			s.long(word)
		case s.wrapper.Number && digits(word[1:]):
		default:
			s.short(word)
		}
	}
}

// long reads an option of two dashes. It is never abbreviated.
func (s *scanner) long(word string) {
	name, value, attached := strings.Cut(word[2:], "=")
	switch {
	case slices.Contains(s.wrapper.LongFlags, name) && !attached:
	case slices.Contains(s.wrapper.LongValues, name) && attached:
		s.value(word, name, value)
	case slices.Contains(s.wrapper.LongValues, name):
		s.following(word, name)
	default:
		s.refuse(word)
	}
}

// short reads a cluster of letters, of which the last may have a value.
func (s *scanner) short(word string) {
	for i := 1; i < len(word); i++ {
		switch letter := word[i : i+1]; {
		case strings.Contains(s.wrapper.Flags, letter):
		case strings.Contains(s.wrapper.Values, letter) && i+1 < len(word):
			s.value(word, letter, word[i+1:])
			return
		case strings.Contains(s.wrapper.Values, letter):
			s.following(word, letter)
			return
		default:
			s.refuse(word)
			return
		}
	}
}

// following takes the next word for the value of an option.
func (s *scanner) following(word, option string) {
	if s.next >= len(s.argv) {
		s.refuse(word + " without a value")
		return
	}
	s.value(word, option, s.argv[s.next])
	s.next++
}

// value notes the value of an option where it is the name of a variable.
func (s *scanner) value(word, option, value string) {
	if !slices.Contains(s.wrapper.Unsets, option) {
		return
	}
	if !portable(value) {
		s.refuse(word + " with a name that is not portable")
	}
	s.names = append(s.names, value)
}

// digits reports whether s is a decimal number.
func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
