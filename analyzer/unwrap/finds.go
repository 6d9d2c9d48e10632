package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// yield are the names that a command gets from another one: those that find finds, or that git tracks.
type yield struct {
	said  string   // the command that gives them, for people
	dir   string   // where that runs
	roots []string // where find begins, as written; each name begins with one of them
	name  string   // a pattern that the last name of each fits, or "" for any
	files bool     // they are neither links nor directories
	// tracked says that they are names of tracked files, none of which has a root. repository is where
	// their list is.
	tracked    *programs.PrintsTracked
	patterns   []string // the operands that choose among the tracked files; all of them without one
	repository *programs.Repository
	top        bool // they are relative to the top of the repository
	// piped is true if they are printed and xargs reads them, each with a zero byte behind it if
	// zeros is. at is the position of the word if they are printed and the shell makes words of them.
	piped, zeros bool
	marker       string // the word in place of which xargs puts each; "" if it adds them
	at           int
	lost         bool // it is unknown which they are
	// variable is the variable of the loop over them, each of which is then one line or one word; ""
	// without a loop. file has one name in each line, if nothing else gives them.
	variable, file string
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

// finding collects what find would find for one command.
type finding struct {
	*unfolder
	yield     *yield
	at        int // position of the word that stands for the names
	found     []gavel.Hazard
	ok, bound bool     // all of it was found; there is more than the bound permits
	strange   bool     // a name would not be read as one word, or as an option
	names     []string // what was found: each name, and where it leads
}

// look finds the files, for a command that runs in a directory.
func (f *finding) look(dir string) {
	switch {
	case f.yield.lost:
		f.strange = true
		return
	case f.yield.tracked != nil:
		f.tracked(dir)
		return
	case f.yield.file != "":
		f.lines(dir)
		return
	}
	for _, root := range f.yield.roots {
		if !path.IsAbs(root) && (dir == "" || dir != f.yield.dir) {
			f.strange = true
			return
		}
		f.root(root, dir)
	}
}

// root finds what is at a place where find begins. A link there is not followed.
func (f *finding) root(root, dir string) {
	if !f.ok {
		return
	}
	full := path.Clean(host.In(dir, root))
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
			f.called(text + "/" + one.Name)
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
	f.called(text)
	f.names = append(f.names, text+"\x00"+real+"\x00") // names have no zero byte
	h, ok := f.Paths.TargetHazard(real, f.Surroundings(""))
	if !ok {
		return
	}
	if h.Option == hazard.OptionDenied { // one of many, as in a search
		h.Option = hazard.OptionBelow
	}
	h.Argument, h.Index = text, f.at
	f.found = append(f.found, h)
}

// called records how a name is read: as one word, and not as an option.
func (f *finding) called(text string) {
	apart := (f.yield.apart() && !f.yield.zeros || f.yield.variable != "") && !spelling.Ordinary(text)
	f.strange = f.strange || apart || strings.HasPrefix(text, "-")
}
