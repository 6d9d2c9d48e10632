package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel/analyzer/fileglob"
	"gavel/analyzer/host"
	"gavel/analyzer/spelling"
	"gavel/analyzer/tracked"
)

// searchTracked finds the files that a repository tracks, below a directory. A name leads out of it only
// through a link.
func (f *nameSearch) searchTracked(dir string) {
	real, known := f.Host.Resolve(dir)
	if !f.ok || !known || dir == "" || dir != f.source.dir {
		f.ok = false
		return
	}
	names, ok := f.trackedNames(real)
	if !ok {
		f.ok = false
		return
	}
	files, inside := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		if !f.source.chooses(name) {
			continue
		}
		files[name] = true
		for at := strings.LastIndexByte(name, '/'); at > 0; at = strings.LastIndexByte(name[:at], '/') {
			inside[name[:at]] = true
		}
	}
	f.matchTracked(files, inside, "", real, 0)
}

// chooses reports whether a command may print the name of a tracked file. A pattern matches more here than
// in git: case is ignored, and a directory matches everything below it.
func (y *nameSource) chooses(name string) bool {
	if len(y.patterns) == 0 || !spelling.Ordinary(name) {
		return true
	}
	item := strings.NewReplacer("/", "\x01") // a wildcard fits slashes, too
	name = strings.ToLower(name)
	return slices.ContainsFunc(y.patterns, func(pattern string) bool {
		pattern = strings.ToLower(strings.TrimSuffix(pattern, "/"))
		odd := slices.Contains(strings.Split(pattern, "/"), ".") || strings.Contains(pattern, "//") || strings.ContainsAny(pattern, `[\`)
		fit, err := path.Match(item.Replace(pattern), item.Replace(name))
		return odd || fit || err != nil || name == pattern || strings.HasPrefix(name, pattern+"/")
	})
}

// trackedNames returns the names of the tracked files below a directory, as they are called there.
func (f *nameSearch) trackedNames(dir string) (names []string, ok bool) {
	in := tracked.Repositories{Host: f.Host, Kind: f.source.repository, Files: f.source.tracked}
	top, ok := in.Top(dir)
	if !ok || top == "" || f.source.top && top != dir {
		return nil, false // below the top, the names are of other files
	}
	all, ok := in.Names(top)
	prefix := strings.TrimPrefix(strings.TrimPrefix(dir, top)+"/", "/")
	for _, name := range all {
		if name, below := strings.CutPrefix(name, prefix); below {
			names = append(names, name)
		}
	}
	return names, ok
}

// matchTracked finds which of these files are in a directory and below it. text is the path of the directory
// as git prints it, with a slash at its end, or "".
func (f *nameSearch) matchTracked(files, inside map[string]bool, text, real string, depth int) {
	entries, ok := f.Host.Entries(real, fileglob.MaxEntries-f.entriesRead)
	if f.entriesRead += len(entries); !ok || f.entriesRead >= fileglob.MaxEntries || depth == maxFindDepth {
		f.ok = false
		return
	}
	for _, item := range entries {
		name, there := text+item.Name, host.Join(real, item.Name)
		switch file, above := files[name], inside[name]; {
		case !f.ok:
			return
		case !file && !above:
		case item.Link && above:
			f.ok = false // it was a directory, and now leads somewhere
		case item.Link:
			f.checkLink(name, there)
		case item.Kind == host.KindDirectory && above:
			f.matchTracked(files, inside, name+"/", there, depth+1)
		case item.Kind == host.KindDirectory: // a repository of its own
			f.checkName(name)
			f.searchBelow(name, there, "", depth+1)
		default:
			f.checkFile(name, there)
		}
	}
}
