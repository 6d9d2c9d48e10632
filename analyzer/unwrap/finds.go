package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// yield is what find gives to the command that it runs: the names of what it finds.
type yield struct {
	roots []string // where it begins, as written; each name begins with one of them
	name  string   // a pattern that the last name of each fits, or "" for any
	files bool     // they are neither links nor directories
	// piped is true if they are printed and xargs reads them, each with a zero byte behind it if
	// zeros is.
	piped, zeros bool
}

// yieldOf reads which names find gives to its only command. It is not ok if find may follow links,
// or if other words than {} hold the names.
func yieldOf(e *programs.Embeds, argv []string, commands []embedded) (y yield, ok bool) {
	if len(commands) != 1 || !slices.Contains(e.NamesNeverBeginWithDash, commands[0].option) {
		return yield{}, false
	}
	one := commands[0]
	for at := one.start; at < one.end; at++ {
		if argv[at] != "{}" && strings.Contains(argv[at], "{}") {
			return yield{}, false
		}
	}
	return yieldBefore(e, argv[:one.start-1])
}

// yieldBefore reads which files find has found behind these of its words.
func yieldBefore(e *programs.Embeds, argv []string) (y yield, ok bool) {
	i := 1
	for i < len(argv) && !strings.HasPrefix(argv[i], "-") && !slices.Contains(e.Words, argv[i]) {
		if y.roots = append(y.roots, argv[i]); argv[i] == "" || argv[i][0] == '~' {
			return yield{}, false
		}
		i++
	}
	either := false
	for ; i < len(argv); i++ {
		switch word := argv[i]; {
		case slices.Contains([]string{"-H", "-L", "-follow"}, word):
			return yield{}, false
		case slices.Contains([]string{"-o", "-or", "-not", "!", ",", "(", ")"}, word):
			either = true
		case slices.Contains(e.WordsWithValue, word):
			if i++; i == len(argv) {
				return yield{}, false
			}
			switch {
			case word == "-name" && !strings.ContainsAny(argv[i], "\\"):
				y.name = argv[i]
			case word == "-type" && argv[i] == "f":
				y.files = true
			}
		}
	}
	if either {
		y.name, y.files = "", false
	}
	if len(y.roots) == 0 {
		y.roots = []string{"."}
	}
	return y, true
}

// yielded examines the files whose names find gives to a command, and returns the hazards among
// them. What is known holds if nothing changes the files before the command runs.
func (u *unfolder) yielded(c call, argv, may []string, executable gavel.Executable, opaque string) []gavel.Hazard {
	if c.yield == nil {
		return nil
	}
	words := c.given(argv)
	if len(words) == 0 {
		return nil
	}
	f := finding{unfolder: u, yield: c.yield, at: words[0], ok: !u.Facts.Claimed}
	for _, root := range c.yield.roots {
		if !path.IsAbs(root) && c.dir == "" {
			return nil
		}
		f.root(root, c.dir)
	}
	switch {
	case f.strange, !f.ok && (!c.yield.files || c.yield.piped && !c.yield.zeros || strings.HasPrefix(c.yield.name, ".") || u.Paths.FitsSecret(c.yield.name)):
		return nil // any of them may be a link, or hold a secret
	case !f.ok && u.Look != nil:
		option := hazard.OptionUnseen
		if f.bound {
			option = hazard.OptionBound
		}
		f.found = append(f.found, gavel.Hazard{Kind: "reads", Option: option, Argument: c.yield.roots[0], Index: words[0]})
	}
	if c.yield.piped { // without a name, xargs may run the command as it is
		bare, _ := u.Hazards.Of(argv, [][]string{may[:len(argv)]}, executable, opaque, u.around(c))
		f.found = append(f.found, bare...)
	}
	u.expansions = append(u.expansions, expansion{segment: len(u.list), words: words})
	return few(f.found)
}

// given are the positions of the words that find gives to a command.
func (c *call) given(argv []string) (words []int) {
	for i, word := range argv {
		if word == "{}" && i > 0 && !c.yield.piped {
			words = append(words, i)
		}
	}
	if c.follow != nil {
		words = append(words, len(argv))
	}
	return words
}

// finding is the work of finding what find finds.
type finding struct {
	*unfolder
	yield     *yield
	at        int // position of the word that stands for the names
	found     []gavel.Hazard
	ok, bound bool // all of it was found; there is more than the bound permits
	strange   bool // xargs would not read a name as one word
}

// root finds what is at a place where find begins. A link there is not followed.
func (f *finding) root(root, dir string) {
	if !f.ok {
		return
	}
	full := path.Clean(join(dir, root))
	real, known := f.Host.Resolve(full)
	if above, ok := f.Host.Resolve(path.Dir(full)); !known || !ok || !opens(root) && host.Join(above, path.Base(full)) != real {
		f.ok = false
		return
	}
	f.below(root, real, f.yield.name, 0)
}

// opens reports whether a path leads to a directory even if its last name is a link.
func opens(root string) bool {
	return slices.Contains([]string{"", ".", ".."}, root[strings.LastIndexByte(root, '/')+1:])
}

// maxFinds is how deep directories may be nested in which files are found.
const maxFinds = 64

// below finds what is at a path and below it. text is what find calls it, and name the pattern
// that is left to fit.
func (f *finding) below(text, real, name string, depth int) {
	switch f.Host.Kind(real) {
	case host.KindDirectory:
	case host.KindMissing:
		return
	case host.KindUnknown:
		f.ok = false
		return
	default:
		f.file(text, real)
		return
	}
	entries, ok := f.Host.Entries(real, maxSeen-f.seen)
	if f.seen += len(entries); !ok || f.seen >= maxSeen || depth == maxFinds {
		f.ok, f.bound = false, ok
		return
	}
	for _, one := range entries {
		if !f.ok {
			return
		}
		// A dot at the beginning of a name is like any other character for find.
		fit, there := name == "" || fits("x"+name, "x"+one.Name), host.Join(real, one.Name)
		switch {
		case one.Link && fit && !f.yield.files:
			f.link(text+"/"+one.Name, there)
		case one.Link:
		case one.Kind == host.KindDirectory && fit && !f.yield.files:
			f.strange = f.strange || f.yield.piped && !f.yield.zeros && !spelling.Ordinary(text+"/"+one.Name)
			f.below(text+"/"+one.Name, there, "", depth+1) // the command may read all of it
		case one.Kind == host.KindDirectory:
			f.below(text+"/"+one.Name, there, name, depth+1)
		case fit:
			f.file(text+"/"+one.Name, there)
		}
	}
}

// link examines what a link leads to. A command may read everything in a directory behind it.
func (f *finding) link(text, there string) {
	real, known := f.Host.Resolve(there)
	if !known || f.Host.Kind(real) == host.KindDirectory {
		f.ok = false
		return
	}
	if t, ok := f.TouchAt(there, real, true, gavel.Touch{Access: "write", Given: text, Program: "find"}); ok {
		f.add(t)
	}
	f.file(text, real)
}

// file examines a file by its real path.
func (f *finding) file(text, real string) {
	f.strange = f.strange || f.yield.piped && !f.yield.zeros && !spelling.Ordinary(text)
	h, ok := f.Paths.Behind(real, f.Surroundings(""))
	if !ok {
		return
	}
	if h.Option == hazard.OptionDenied { // one of many, as in a search
		h.Option = hazard.OptionBelow
	}
	h.Argument, h.Index = text, f.at
	f.found = append(f.found, h)
}

// printedBy returns what a find prints that runs by itself as the only segment of a range; nil if it
// prints anything else than names.
func (u *unfolder) printedBy(of shell.Span, wrappers int) *yield {
	if of.End != of.Start+1 {
		return nil
	}
	s := &u.list[of.Start]
	e, known := u.Wrappers.embeds[s.Executable.Name]
	if !known || s.Executable.RealName != s.Executable.Name || s.Opaque != "" || len(s.Dynamic) > 0 || len(s.Wrappers) != wrappers {
		return nil
	}
	argv := s.Argv
	last := argv[len(argv)-1]
	zeros := last == "-print0"
	if zeros || last == "-print" {
		argv = argv[:len(argv)-1]
	}
	y, ok := yieldBefore(e, argv)
	if !ok || !onlyTests(e, argv) {
		return nil
	}
	y.piped, y.zeros = true, zeros
	return &y
}

// onlyTests reports whether the words of find are places and tests, so that it prints each name that
// it finds.
func onlyTests(e *programs.Embeds, argv []string) bool {
	for i := 1; i < len(argv); i++ {
		switch word := argv[i]; {
		case slices.Contains([]string{"-name", "-iname", "-path", "-ipath", "-type", "-maxdepth", "-mindepth", "-size", "-mtime", "-newermt", "-mmin"}, word):
			if i++; i == len(argv) {
				return false
			}
		case strings.HasPrefix(word, "-") && !slices.Contains([]string{"-not", "-o", "-or", "-a", "-and", "-empty"}, word):
			return false
		}
	}
	return true
}

// through returns what xargs adds to its command of what it is given; nil if its own words may make
// it read that otherwise.
func (y *yield) through(executable gavel.Executable, own []string) *yield {
	if y == nil || executable.Name != "xargs" || executable.RealName != "xargs" || len(own) == 0 {
		return nil
	}
	zeros := false
	for _, word := range own[1:] {
		switch word {
		case "-0", "--null", "-0r", "-r0":
			zeros = true
		case "-r", "-t", "--no-run-if-empty", "-n1":
		default:
			return nil
		}
	}
	if zeros != y.zeros {
		return nil
	}
	return y
}
