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

// nameSource are the names that a command gets from another one: those that find finds, or that git tracks.
type nameSource struct {
	command string   // the command that gives them, for people
	dir     string   // where that runs
	roots   []string // where find begins, as written; each name begins with one of them
	name    string   // a pattern that the last name of each fits, or "" for any
	files   bool     // they are neither links nor directories
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
	unknown      bool // it is unknown which they are
	// variable is the variable of the loop over them, each of which is then one line or one word; ""
	// without a loop. file has one name in each line, if nothing else gives them.
	variable, file string
}

// sourceOfFind reads which names find gives to its only command. It is not ok if find may follow links,
// or if other words than {} hold the names.
func sourceOfFind(e *programs.Embeds, argv []string, commands []embeddedCommand) (y nameSource, ok bool) {
	if len(commands) != 1 || !slices.Contains(e.NamesNeverBeginWithDash, commands[0].option) {
		return nameSource{}, false
	}
	item := commands[0]
	for at := item.start; at < item.end; at++ {
		if argv[at] != "{}" && strings.Contains(argv[at], "{}") {
			return nameSource{}, false
		}
	}
	return sourceBefore(e, argv[:item.start-1])
}

// sourceBefore reads which files find has found behind these of its words.
func sourceBefore(e *programs.Embeds, argv []string) (y nameSource, ok bool) {
	i := 1
	for i < len(argv) && !strings.HasPrefix(argv[i], "-") && !slices.Contains(e.Words, argv[i]) {
		if y.roots = append(y.roots, argv[i]); argv[i] == "" || argv[i][0] == '~' {
			return nameSource{}, false
		}
		i++
	}
	either := false
	for ; i < len(argv); i++ {
		switch word := argv[i]; {
		case slices.Contains([]string{"-H", "-L", "-follow"}, word):
			return nameSource{}, false
		case slices.Contains([]string{"-o", "-or", "-not", "!", ",", "(", ")"}, word):
			either = true
		case slices.Contains(e.WordsWithValue, word):
			if i++; i == len(argv) {
				return nameSource{}, false
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

// nameSearch collects what find would find for one command.
type nameSearch struct {
	*unwrapper
	source           *nameSource
	at               int // position of the word that stands for the names
	found            []gavel.Hazard
	ok, limitReached bool     // all of it was found; there is more than the bound permits
	unsafeNames      bool     // a name would not be read as one word, or as an option
	names            []string // what was found: each name, and where it leads
}

// search finds the files, for a command that runs in a directory.
func (f *nameSearch) search(dir string) {
	switch {
	case f.source.unknown:
		f.unsafeNames = true
		return
	case f.source.tracked != nil:
		f.searchTracked(dir)
		return
	case f.source.file != "":
		f.searchLines(dir)
		return
	}
	for _, root := range f.source.roots {
		if !path.IsAbs(root) && (dir == "" || dir != f.source.dir) {
			f.unsafeNames = true
			return
		}
		f.searchRoot(root, dir)
	}
}

// searchRoot finds what is at a place where find begins. A link there is not followed.
func (f *nameSearch) searchRoot(root, dir string) {
	if !f.ok {
		return
	}
	full := path.Clean(host.In(dir, root))
	real, known := f.Host.Resolve(full)
	if above, ok := f.Host.Resolve(path.Dir(full)); !known || !ok || !endsInDirectory(root) && host.Join(above, path.Base(full)) != real {
		f.ok = false
		return
	}
	f.searchBelow(root, real, f.source.name, 0)
}

// endsInDirectory reports whether a path leads to a directory even if its last name is a link.
func endsInDirectory(root string) bool {
	return slices.Contains([]string{"", ".", ".."}, root[strings.LastIndexByte(root, '/')+1:])
}

// maxFindDepth is how deep directories may be nested in which files are found.
const maxFindDepth = 64

// searchBelow finds what is at a path and below it. text is what find calls it, and name the pattern
// that is left to fit.
func (f *nameSearch) searchBelow(text, real, name string, depth int) {
	switch f.Host.Kind(real) {
	case host.KindDirectory:
	case host.KindMissing:
		return
	case host.KindUnknown:
		f.ok = false
		return
	default:
		f.checkFile(text, real)
		return
	}
	entries, ok := f.Host.Entries(real, maxEntries-f.entriesRead)
	if f.entriesRead += len(entries); !ok || f.entriesRead >= maxEntries || depth == maxFindDepth {
		f.ok, f.limitReached = false, ok
		return
	}
	for _, item := range entries {
		if !f.ok {
			return
		}
		// A dot at the beginning of a name is like any other character for find.
		fit, there := name == "" || mayMatch("x"+name, "x"+item.Name), host.Join(real, item.Name)
		switch {
		case item.Link && fit && !f.source.files:
			f.checkLink(text+"/"+item.Name, there)
		case item.Link:
		case item.Kind == host.KindDirectory && fit && !f.source.files:
			f.checkName(text + "/" + item.Name)
			f.searchBelow(text+"/"+item.Name, there, "", depth+1) // the command may read all of it
		case item.Kind == host.KindDirectory:
			f.searchBelow(text+"/"+item.Name, there, name, depth+1)
		case fit:
			f.checkFile(text+"/"+item.Name, there)
		}
	}
}

// checkLink examines what a link leads to. A command may read everything in a directory behind it.
func (f *nameSearch) checkLink(text, there string) {
	real, known := f.Host.Resolve(there)
	if !known || f.Host.Kind(real) == host.KindDirectory {
		f.ok = false
		return
	}
	if t, ok := f.TouchAt(there, real, true, gavel.Touch{Access: "write", Given: text, Program: "find"}); ok {
		f.add(t)
	}
	f.checkFile(text, real)
}

// checkFile examines a file by its real path.
func (f *nameSearch) checkFile(text, real string) {
	f.checkName(text)
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

// checkName records how a name is read: as one word, and not as an option.
func (f *nameSearch) checkName(text string) {
	apart := (f.source.maybeEmpty() && !f.source.zeros || f.source.variable != "") && !spelling.Ordinary(text)
	f.unsafeNames = f.unsafeNames || apart || strings.HasPrefix(text, "-")
}
