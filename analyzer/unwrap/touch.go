package unwrap

import (
	"iter"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/site"
	"gavel/analyzer/spelling"
)

// Everything that a call names is compared with the protected places: each word of a command that
// may be a path, both as written and where it leads; the files of redirections and tools; and
// addresses. Whether a place is closed is up to the policy.

// add keeps a touch.
func (u *unwrapper) add(t gavel.Touch) {
	if len(u.touched) < site.MaxTouches && !slices.Contains(u.touched, t) {
		u.touched = append(u.touched, t)
	}
}

// touchWords records what the words of a segment touch, and which of them lead through a link to a
// closed place. may has the possible values of its words, and readings every way to read them.
func (u *unwrapper) touchWords(c call, s *gavel.Segment, may []string, readings [][]string) {
	program, preserves, reads := spelling.Base(s.Argv[0]), u.PathEffects.leavesAlone(s), u.PathEffects.reads(s)
	for _, name := range [...]string{program, s.Executable.RealName} {
		if u.PathEffects.moving[name][s.SubCommand] {
			program = name + " " + s.SubCommand
			break
		}
	}
	for i, word := range may {
		access := "write"
		if reads || i == 0 {
			access = "read"
		}
		if i == len(s.Argv) {
			break // words that a wrapper adds later
		}
		if u.PathEffects.excluded(s, i) {
			continue
		}
		for item := range c.values(s.Argv, i, word) {
			u.touchWord(c, s, i, item, gavel.Touch{Access: access, Program: program})
			if preserves {
				continue
			}
			for _, name := range u.PathEffects.decompressed(s, item.text) {
				u.touchWord(c, s, i, wordValue{name, name}, gavel.Touch{Access: "write", Program: program})
			}
			if kind, own := u.Protected.Mentions(item.text); kind != "" {
				u.add(gavel.Touch{Kind: kind, Access: "write", Given: item.text, Real: own, Program: program})
			}
		}
	}
	for _, h := range slices.Clone(s.Hazards) {
		if h.Option == hazard.OptionOpened {
			u.touchWord(c, s, h.Index, wordValue{h.Argument, h.Argument}, gavel.Touch{Access: "read", Program: program})
		}
	}
	if !preserves || len(s.Hazards) > 0 {
		names := !u.offline(s)
		u.hosts = u.hosts || names
		// A pattern that matches no file stays as it is written: http://[::1]/.
		for _, words := range append(slices.Clone(readings), s.Argv) {
			if kind, address := u.Protected.Connects(words[1:], names); kind != "" {
				u.add(gavel.Touch{Kind: kind, Access: "connect", Given: address, Real: address, Program: program})
			}
		}
	}
}

// excluded reports whether a word certainly is, or belongs to, an option with a pattern of files that the
// program leaves out.
func (s *PathEffects) excluded(item *gavel.Segment, i int) bool {
	if item.OptionsKnown != exact || slices.ContainsFunc(item.Operands, func(o gavel.GivenOperand) bool { return o.Index == i }) {
		return false
	}
	return slices.ContainsFunc(item.Options, func(o gavel.GivenOption) bool {
		for _, name := range item.Executable.Programs {
			if !slices.Contains(s.excluding[name], o.Name) {
				return false
			}
		}
		switch {
		case o.Dynamic || !o.Known || !o.HasValue || len(item.Executable.Programs) == 0:
			return false
		case item.Argv[o.Index] == o.Name+"="+o.Value:
			return i == o.Index
		}
		return item.Argv[o.Index] == o.Name && i == o.Index+1 && i < len(item.Argv) && item.Argv[i] == o.Value
	})
}

// offline reports whether the words of a segment certainly name no host that it connects to.
func (u *unwrapper) offline(s *gavel.Segment) bool {
	if s.Opaque != "" || slices.ContainsFunc(s.Hazards, func(h gavel.Hazard) bool { return !u.Protected.Offline(h.Kind) }) {
		return false
	}
	return s.Builtin != "" || u.Hazards.Described(s.Executable.Name) && u.Hazards.Described(s.Executable.RealName)
}

// wordValue is one value of a word, and how it is written.
type wordValue struct{ text, source string }

// values yields the possible values of a word.
func (c *call) values(argv []string, i int, text string) iter.Seq[wordValue] {
	return func(yield func(wordValue) bool) {
		if i >= len(c.words) || len(c.words[i].Choices) == 0 {
			if !yield(wordValue{text, argv[i]}) || i >= len(c.words) {
				return
			}
		}
		for _, item := range slices.Concat(c.words[i].Choices, c.words[i].FileNames) {
			value := wordValue{item.Reading(), item.Text}
			if item.IsPrefix {
				value.source += "*"
			}
			if !yield(value) {
				return
			}
		}
	}
}

// touchWord records what one word touches.
func (u *unwrapper) touchWord(c call, s *gavel.Segment, i int, given wordValue, as gavel.Touch) {
	item := strings.TrimSuffix(given.text, argv.Tilde)
	made := strings.Contains(item, argv.Unknown)
	if made {
		item = beginning(given.source)
	}
	if i == 0 && !strings.Contains(item, "/") {
		return // a bare name, which is searched for
	}
	for part := range hazard.Parts(item) {
		full := u.Absolute(part, c.dir)
		if full == "" {
			continue
		}
		real, known := u.Host.Resolve(full)
		clean := path.Clean(full)
		as.Given = part
		if t, ok := u.TouchAt(clean, real, known, as); ok && u.mayReach(&t, given.source, part, made) {
			u.add(t)
		}
		if i == 0 {
			return
		}
		if part == item && !made && known && real != clean {
			if found, ok := u.Paths.TargetHazard(real, u.Surroundings(c.dir)); ok {
				found.Argument, found.Index = s.Argv[i], i
				s.Hazards = addHazard(s.Hazards, found)
			}
		}
	}
}

// addHazard adds a hazard, unless the word already has the same one, for the same file or for one that is not known.
func addHazard(list []gavel.Hazard, h gavel.Hazard) []gavel.Hazard {
	same := func(other gavel.Hazard) bool {
		return other.Kind == h.Kind && other.Option == h.Option && other.Index == h.Index && (other.Real == h.Real || other.Real == "" || h.Real == "")
	}
	if slices.ContainsFunc(list, same) {
		return list
	}
	return append(list, h)
}

// beginning returns the literal beginning of a word that is produced at run time, up to the first
// name that is not literal.
func beginning(source string) string {
	source = strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(source)
	for _, home := range []string{"$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(source, home); ok {
			source = "~/" + rest
		}
	}
	if end := strings.IndexAny(source, "*?[{$`"); end >= 0 {
		source = source[:strings.LastIndexByte(source[:end], '/')+1]
	}
	return source
}

// mayReach reports whether a word that touches a place may lead there. A directory that contains
// the place, and is itself closed, is already a hazard. The beginning of a word produced at run
// time is known: the rest must fit, and if it is more than one name, it may lead deep into the
// directory. A glob matches hidden files only if it begins with a dot.
func (u *unwrapper) mayReach(t *gavel.Touch, source, known string, made bool) bool {
	if !t.Holds {
		return true
	}
	at := u.Surroundings("")
	if u.Paths.Absolute(t.Real, at) == hazard.OptionClosed {
		return false
	}
	if !made {
		return true
	}
	source = strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(source)
	end := strings.IndexAny(source+"*", "*?[{$`")
	written := source[strings.LastIndexByte(source[:end], '/')+1 : end]
	wild := end < len(source) && strings.IndexByte("*?[", source[end]) >= 0
	number := strings.HasPrefix(source[end:], shell.PID)
	if _, holds := u.Protected.MatchPath(t.Real); !holds && !u.Protected.MayHoldOwnFile(t.Real, written, wild, number) {
		return false
	}
	t.Holds = strings.Count(source, "/") <= strings.Count(known, "/")
	return true
}

// touches completes what a command touches with its files, its directory and its variables.
func (u *unwrapper) touches(facts *gavel.ExecFacts, dir string) []gavel.Touch {
	for _, f := range u.files {
		access := "read"
		if f.Writes {
			access = "write"
		}
		full, given := f.Path, f.Target
		if f.Dynamic && (f.Reads || f.Writes) {
			if begins := beginning(given); strings.HasPrefix(begins, "/") || strings.HasPrefix(begins, "~/") {
				full = u.Absolute(begins, "")
			}
		}
		if full == "" && !f.Dynamic && (f.Reads || f.Writes) {
			full = u.Absolute(given, "")
		}
		if full != "" {
			if t, ok := u.Touch(access, given, full, ""); ok && u.mayReach(&t, given, beginning(given), f.Dynamic) && !(f.Dynamic && t.Holds) {
				u.add(t)
			}
		}
		if f.Reads || f.Writes {
			if kind, address := u.Protected.Connects([]string{f.Target}, true); kind != "" && host.PerProcess(f.Target) {
				u.add(gavel.Touch{Kind: kind, Access: "connect", Given: f.Target, Real: address})
			}
		}
	}
	u.touchDirectory(dir)
	if len(facts.Env) > 0 {
		u.touchText(facts.Command, u.hosts)
	}
	if u.touched == nil {
		return []gavel.Touch{}
	}
	return u.touched
}

// touchDirectory records the directory in which a command begins.
func (u *unwrapper) touchDirectory(dir string) {
	if dir == "" {
		return
	}
	if t, ok := u.Touch("read", dir, dir, ""); ok && !t.Holds {
		u.add(t)
	}
}

// touchText records what a text touches that is not analyzed, or that sets variables, because a
// later part of it may join two of its words. names is true if one of its programs may connect to
// a host that a word names.
func (u *unwrapper) touchText(text string, names bool) {
	if kind, own := u.Protected.Mentions(text); kind != "" {
		u.add(gavel.Touch{Kind: kind, Access: "write", Given: own, Real: own})
	}
	if kind, address := u.Protected.Connects(strings.Fields(text), names); kind != "" {
		u.add(gavel.Touch{Kind: kind, Access: "connect", Given: address, Real: address})
	}
}

// textTouches returns what a command that was not understood touches, as far as its text shows.
func (c *Command) textTouches(facts *gavel.ExecFacts) []gavel.Touch {
	u := unwrapper{Site: c.Site, touched: []gavel.Touch{}}
	u.touchDirectory(c.Dir)
	u.touchText(facts.Command, true)
	return u.touched
}
