package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/fileglob"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// nameSource describes the names that another command, or a file, supplies to a command: those that find
// finds, or that git tracks.
type nameSource struct {
	command string   // the command that supplies them, for messages
	dir     string   // where that command runs
	roots   []string // starting points of find, as written; each name begins with one of them
	name    string   // a pattern that each base name matches; "" is any name
	files   bool     // they are neither links nor directories
	// tracked is set if they are names of tracked files, which have no starting point; repository then
	// describes where the list of them is.
	tracked    *programs.ListsTrackedFiles
	patterns   []string // pathspecs that select tracked files; none select all
	repository *programs.Repository
	top        bool // they are relative to the top of the repository
	// piped is true if xargs reads the printed names; zeros is true if a zero byte ends each. at is the
	// index of the word if the names are the output of a command substitution.
	piped, zeros bool
	marker       string // the word that xargs replaces; "" if it appends the names
	at           int
	unknown      bool // the names cannot be determined
	// variable is the variable of the loop over the names; "" without a loop. file is the file of which
	// each line is a name, if no command supplies them.
	variable, file string
}

// sourceOfFind reads which names find supplies to its only command. It is not ok if find may follow links,
// or if the names are inserted into words other than {}.
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

// sourceBefore reads which files the tests of find select, given the words before an action.
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

// nameSearch searches the files that are supplied to one command, and collects their hazards.
type nameSearch struct {
	*unwrapper
	source           *nameSource
	at               int // index of the word that stands for the names
	found            []gavel.Hazard
	ok, limitReached bool     // every file was found; a limit was reached
	unsafeNames      bool     // a name would be read as an option, or not as one word
	names            []string // each name that was found, with its real path
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

// searchRoot searches one starting point of find. If it is a link, it is not followed.
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

// endsInDirectory reports whether a path ends so that a link at its end is followed.
func endsInDirectory(root string) bool {
	return slices.Contains([]string{"", ".", ".."}, root[strings.LastIndexByte(root, '/')+1:])
}

// maxFindDepth limits the depth of directories that are searched.
const maxFindDepth = 64

// searchBelow searches a path recursively. text is the path as find prints it, and name the pattern that base
// names must match.
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
	entries, ok := f.Host.Entries(real, fileglob.MaxEntries-f.entriesRead)
	if f.entriesRead += len(entries); !ok || f.entriesRead >= fileglob.MaxEntries || depth == maxFindDepth {
		f.ok, f.limitReached = false, ok
		return
	}
	for _, item := range entries {
		if !f.ok {
			return
		}
		// For find, a leading dot is like any other character.
		fit, there := name == "" || fileglob.MayMatch("x"+name, "x"+item.Name), host.Join(real, item.Name)
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

// checkLink examines the target of a link. A directory is not searched, although the command may read
// everything in it.
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

// checkName records whether a name would be read as an option, or not as one word.
func (f *nameSearch) checkName(text string) {
	apart := (f.source.maybeEmpty() && !f.source.zeros || f.source.variable != "") && !spelling.Ordinary(text)
	f.unsafeNames = f.unsafeNames || apart || strings.HasPrefix(text, "-")
}
