package unwrap

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// wrapperWords is the result of reading the words of a wrapper.
type wrapperWords struct {
	// opaque says why the words cannot be read; then the rest is meaningless.
	opaque string
	// own is the number of words that are the wrapper's own. The command follows, or the text if
	// it is a shell.
	own int
	// names are the variables that the wrapper sets or unsets, as written.
	names []string
	// made are the words of the command that the wrapper fills in or appends.
	made []shell.InsertedWord
	// script is true if a shell reads its commands from the file that the first word after its
	// own names.
	script bool
}

// read reads the words of a wrapper. The first is its name.
func (w *wrapper) read(words []string) wrapperWords {
	switch w.Kind {
	case kindShell:
		return w.shell(words)
	case kindMultiplexer:
		return w.multiplexer(words)
	default:
		return w.dispatcher(words)
	}
}

// unknown is the result for words that the vocabulary does not list.
func unknown(words []string, what string) wrapperWords {
	return wrapperWords{opaque: shell.Excerpt(spelling.Base(words[0]) + " " + what)}
}

// shell reads the options of a shell up to the text of -c. The grammar is what bash, dash,
// mksh and the shell of busybox agree on: [shellGrammar].
//
// Words after the text are the positional parameters. Without -c, the first word is the file of
// commands, and the words after it are the parameters.
func (w *wrapper) shell(words []string) wrapperWords {
	read := w.options.Read(words[1:], 1)
	for _, o := range read.Options {
		if o.HasValue && !slices.Contains(w.OptionWords, o.Value) {
			return unknown(words, words[o.Index]+" "+o.Value)
		}
	}
	own := 1 + read.Next
	text := read.Has([]string{"-c"})
	switch {
	case read.Unread != nil:
		return unknown(words, unreadWord(read.Unread))
	case !text && own < len(words):
		return wrapperWords{own: own, script: true}
	case !text:
		return unknown(words, "without -c")
	case own == len(words):
		return unknown(words, "-c without a text")
	default:
		return wrapperWords{own: own}
	}
}

// unreadWord says why a grammar could not read a word.
func unreadWord(u *argv.Unread) string {
	if u.Why == argv.WhyNoValue {
		return u.Word + " without a value"
	}
	return u.Word
}

// multiplexer reads the name of the program that the multiplexer runs.
func (w *wrapper) multiplexer(words []string) wrapperWords {
	switch {
	case len(words) < 2:
		return unknown(words, "without a command")
	case slices.Contains(w.Shells, words[1]), slices.Contains(w.Applets, words[1]):
		return wrapperWords{own: 1}
	default:
		return unknown(words, words[1])
	}
}

// dispatcher reads options, operands and assignments, up to the command.
func (w *wrapper) dispatcher(words []string) wrapperWords {
	scan := dispatcherWords{wrapper: w, argv: words, next: 1}
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
	return wrapperWords{opaque: scan.opaque, own: scan.next, names: scan.names, made: scan.made()}
}
