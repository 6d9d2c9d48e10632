package unwrap

import (
	"slices"
	"strings"

	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
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
	// made are the words of the command that the wrapper makes or adds.
	made []shell.Made
	// script is true when a shell reads its commands from the file that the first
	// word after its own names.
	script bool
}

// peel reads the words of a wrapper. The first is its name.
func (w *wrapper) peel(argv []string) peeled {
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
	return peeled{opaque: shell.Excerpt(spelling.Base(argv[0]) + " " + what)}
}

// shell reads the options of a shell up to the text of -c. It accepts what bash,
// dash, mksh and the shell of busybox agree on: single letters in any order and
// cluster; o at the end of a cluster, with its value in the next word; - or --
// ends the options; the first other word is the text. Long options are bash's,
// and stand before all others.
//
// Words after the text are the positional parameters. Without -c the first word is
// the file of commands, and those after it are the parameters.
func (w *wrapper) shell(argv []string) peeled {
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
		if strings.HasPrefix(word, "--") {
			if _, known := w.options.Options[word]; short || !known {
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
			if !slices.Contains(w.OptionWords, argv[i]) {
				return unknown(argv, word+" "+argv[i])
			}
		}
	}
	switch {
	case !text && i < len(argv):
		return peeled{own: i, script: true}
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
func (w *wrapper) cluster(letters string, plus bool) bool {
	for i := range len(letters) {
		if strings.IndexByte(w.letters, letters[i]) < 0 || plus && strings.IndexByte("cl", letters[i]) >= 0 {
			return false
		}
	}
	return true
}

// multiplexer reads the name of the program that is inside.
func (w *wrapper) multiplexer(argv []string) peeled {
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
func (w *wrapper) dispatcher(argv []string) peeled {
	scan := scanner{wrapper: w, argv: argv, next: 1}
	scan.options()
	for range w.OperandsBeforeCommand {
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
		if !spelling.Portable(name) {
			scan.refuse(scan.word())
		}
		scan.names = append(scan.names, name)
		scan.next++
	}
	scan.check()
	return peeled{opaque: scan.opaque, own: scan.next, names: scan.names, made: scan.made()}
}
