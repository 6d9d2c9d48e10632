package unwrap

import (
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// embeddedCommand is one command among the words of a program.
type embeddedCommand struct {
	option     string // the word before it
	start, end int    // positions in the program's words; end is the word that ends the command
	more       bool   // many names are inserted, not one
	added      int    // number of words that it gains when it is written out
}

// parseEmbedded finds the commands among the words of a program. Every word must be known, because
// an unknown one might take the next as its value.
func parseEmbedded(e *programs.Embeds, argv []string) (list []embeddedCommand, ok bool) {
	i := 1
	for i < len(argv) && slices.Contains(e.Words, argv[i]) && len(argv[i]) == 2 {
		i++
	}
	for i < len(argv) && !strings.HasPrefix(argv[i], "-") && !slices.Contains(e.Words, argv[i]) {
		i++ // the starting directory
	}
	for i < len(argv) {
		switch word := argv[i]; {
		case slices.Contains(e.Words, word):
			i++
		case slices.Contains(e.WordsWithValue, word) && i+1 < len(argv):
			i += 2
		case slices.Contains(e.Commands, word):
			item := embeddedCommand{option: word, start: i + 1}
			for item.end = item.start; item.end < len(argv) && !item.ends(argv); item.end++ {
			}
			if item.end == len(argv) || item.end == item.start {
				return nil, false
			}
			list, i = append(list, item), item.end+1
		default:
			return nil, false
		}
	}
	return list, len(list) > 0
}

// ends reports whether the word at end ends the command: a lone ; or a + after {}.
func (e *embeddedCommand) ends(argv []string) bool {
	e.more = argv[e.end] == "+" && e.end > e.start && argv[e.end-1] == "{}"
	return argv[e.end] == ";" || e.more
}

// unwrapEmbedded unwraps a program that embeds commands, if its words are known. The program becomes a
// segment, and so does each of its commands.
func (u *unwrapper) unwrapEmbedded(c call, executable gavel.Executable, opaque string) (node, bool) {
	argv, dynamic := c.argv()
	vocabulary, known := u.Wrappers.embeds[executable.Name]
	if !known || opaque != "" || executable.RealName != executable.Name || len(c.wrappers) == maxWrappers {
		return node{}, false
	}
	commands, ok := parseEmbedded(vocabulary, argv)
	for _, item := range commands {
		if slices.ContainsFunc(dynamic, func(at int) bool { return item.start-1 <= at && at <= item.end }) ||
			strings.Contains(argv[item.start], "{}") {
			ok = false
		}
	}
	if !ok {
		return node{}, false
	}
	at := len(u.list)
	n := u.segment(c, executable, "")
	layer := gavel.Wrapper{Executable: executable, Kind: kindDispatcher, Hazards: []gavel.Hazard{}}
	whole := u.list[at]
	layer.Commands, layer.CommandsKnown, layer.Options = whole.Commands, whole.CommandsKnown, whole.Options
	layer.OptionsKnown, layer.Operands = whole.OptionsKnown, whole.Operands
	words, seen := []shell.Word{}, 0
	for i, item := range commands {
		if u.refusal != nil {
			return node{}, true
		}
		layer.Argv = []string{argv[0], item.option}
		own := argv[item.start:item.end]
		put := shell.FindInserted(own, 0, len(own), "{}", !slices.Contains(vocabulary.NamesNeverBeginWithDash, item.option))
		if item.more {
			put = append(put, shell.InsertedWord{Index: len(own), MayBeginWithDash: put[len(put)-1].MayBeginWithDash})
		}
		inner := call{wrappers: append(slices.Clone(c.wrappers), layer), start: c.start, end: c.end, dir: c.dir}
		y, ok := sourceOfFind(vocabulary, argv, commands)
		y.command, y.dir, y.unknown = strings.Join(argv[:item.start-1], " "), c.dir, !ok || len(dynamic) > 0
		inner.names = &y
		inner.words, inner.follow = shell.Insert(c.words[item.start:item.end], put)
		if strings.HasSuffix(item.option, "dir") {
			inner.dir = "" // where the file is
		}
		written, ok := u.flatten(u.call(inner), true)
		if !ok {
			n.real = "" // a program that was not found is not written down
			return n, true
		}
		words = append(append(words, c.words[seen:item.start]...), written...)
		commands[i].added, seen = len(written)-len(own), item.end
	}
	words = append(words, c.words[seen:]...)
	text := shell.Texts(words)
	u.list[at] = withoutEmbedded(u.list[at], text, commands)
	u.list[at].Scripts = []gavel.Script{}
	u.findCode(at, c)
	n.words = words[1:]
	return n, true
}

// withoutEmbedded returns a segment whose embedded commands are segments of their own. So they are not
// hazards of this segment, except for strict inline evaluation. Its words are those that will
// run.
func withoutEmbedded(s gavel.Segment, words []string, commands []embeddedCommand) gavel.Segment {
	s.Argv = words
	kept := []gavel.Hazard{}
	for _, h := range s.Hazards {
		inside := slices.ContainsFunc(commands, func(item embeddedCommand) bool { return item.start-1 <= h.Index && h.Index <= item.end })
		if !inside || h.Kind == hazard.KindProgram {
			h.Index = shiftedIndex(h.Index, commands)
			kept = append(kept, h)
		}
	}
	s.Hazards = kept
	for i, at := range s.Dynamic {
		s.Dynamic[i] = shiftedIndex(at, commands)
	}
	return s
}

// shiftedIndex returns the position of a word after the commands before it are written out.
func shiftedIndex(at int, commands []embeddedCommand) int {
	to := at
	for _, item := range commands {
		if item.end <= at {
			to += item.added
		}
	}
	return to
}

// flatten returns a command as the words that would run it, or false if a program was not found.
func (u *unwrapper) flatten(n node, byPath bool) (words []shell.Word, ok bool) {
	if n.real == "" {
		return nil, false
	}
	name := shell.Word{Text: n.name}
	if byPath {
		name.Text = n.real
	}
	words = append(append(words, name), n.words...)
	switch {
	case n.script != nil:
		r := renderer{roundTrip: roundTrip{u.parsers, u.Builtins}}
		text := r.render(n.script)
		return append(append(words, shell.Word{Text: text}), n.after...), text != "" && len(text) <= shell.MaxText
	case len(n.inner) > 0:
		inner, ok := u.flatten(n.inner[0], n.kind != kindMultiplexer)
		return append(words, inner...), ok
	default:
		return words, true
	}
}

// unwrapJoined wraps a command whose words are joined by blanks and then read by a shell. Every shell
// must read each word literally; otherwise the wrapper is opaque.
func (u *unwrapper) unwrapJoined(c call, executable gavel.Executable, kind string, own int) node {
	list, names, values := len(u.list), len(u.names), len(u.values)
	n := u.wrap(c, executable, kind, own)
	if u.refusal != nil {
		return node{}
	}
	words := c.words[own:]
	if written, ok := u.flatten(n.inner[0], true); ok {
		words = slices.Concat(words, written)
	}
	if slices.ContainsFunc(words, func(w shell.Word) bool { return w.Dynamic || w.Text == "" || !spelling.Ordinary(w.Text) }) || strings.Contains(c.words[own].Text, "=") {
		u.list, u.names, u.values = u.list[:list], u.names[:names], u.values[:values]
		return u.segment(c, executable, executable.Name+" with words that a shell would read")
	}
	return n
}

// whyOpaqueNow says why the command of a wrapper cannot be known although the wrapper's words are,
// or returns "".
func (u *unwrapper) whyOpaqueNow(c call, w *wrapper, name string, p wrapperWords) string {
	switch {
	case w.Kind == kindBuiltin && !c.direct:
		return name + " outside a shell"
	case w.runtime(c.words, p), c.follow != nil && (w.JoinsWords || w.Kind == kindShell && !p.script):
		return name + " with words produced at run time"
	default:
		return ""
	}
}
