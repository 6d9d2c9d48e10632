package host

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Local returns the machine that this process runs on. Between calls it caches only two things, both
// limited in size: the names that an unchanged directory does not have, and the hashes of unchanged
// files. A program that was found is looked up again each time, and so is every link on the way to
// it.
func Local() Host { return newLocal(time.Now) }

func newLocal(now func() time.Time) *local { return &local{now: now} }

// local holds the caches; a view makes the lookups. It is safe for concurrent use.
type local struct {
	now     func() time.Time
	mu      sync.Mutex // guards the fields below
	missing map[string]missing
	hashes  map[string]cachedHash
}

// missing are the names that a directory does not have, valid as long as it has this stamp.
type missing struct {
	stamp stamp
	names map[string]bool
}

// Limits on the caches. When one is reached, that cache is emptied.
const (
	maxDirectories = 256
	maxMissing     = 2048 // names in one directory
	maxHashes      = 256
)

// settleTime is how long a second change could go unnoticed after a first one, because file system
// clocks tick. Nothing that changed more recently is cached.
const settleTime = 2 * time.Second

// stable reports whether every later change will show in the stamp.
func (l *local) stable(s stamp) bool {
	now := l.now().UnixNano()
	latest := max(s.changed, s.modified)
	return latest <= now && now-latest >= int64(settleTime)
}

// knownMissing reports whether a directory is known not to have a name.
func (l *local) knownMissing(dir string, s stamp, name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.missing[dir]
	return ok && known.stamp == s && known.names[name]
}

// recordMissing caches that a directory has no such name. The stamp must be from before the lookup.
func (l *local) recordMissing(dir string, s stamp, name string) {
	if !l.stable(s) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.missing[dir]
	if !ok || known.stamp != s || len(known.names) >= maxMissing {
		if l.missing == nil || len(l.missing) >= maxDirectories {
			l.missing = map[string]missing{}
		}
		known = missing{s, map[string]bool{}}
		l.missing[dir] = known
	}
	known.names[name] = true
}

// Named, Absent, At and Script make single lookups. An analysis uses a view.
func (l *local) Named(name string, searchPath []string) (Program, bool) {
	return l.View().Named(name, searchPath)
}

func (l *local) Absent(name string, searchPath []string) bool {
	return l.View().Absent(name, searchPath)
}

func (l *local) At(absolute string) (Program, bool) { return l.View().At(absolute) }

func (l *local) Script(absolute string) (Script, bool) { return l.View().Script(absolute) }

// View implements [Host].
func (l *local) View() Host {
	return &view{local: l, directories: map[string]status{}, reals: map[string]string{}}
}

// Entries makes a single lookup. An analysis uses a view.
func (l *local) Entries(dir string, limit int) ([]Entry, bool) { return l.View().Entries(dir, limit) }

// Text makes a single lookup. An analysis uses a view.
func (l *local) Text(absolute string, limit int) (string, bool) {
	return l.View().Text(absolute, limit)
}

// List makes a single lookup. An analysis uses a view.
func (l *local) List(dir string) ([]string, bool) { return l.View().List(dir) }

// Program makes a single lookup. An analysis uses a view.
func (l *local) Program(real string) (sha256, interpreter string) { return l.View().Program(real) }

// view is this machine as one analysis sees it. It examines each directory once.
type view struct {
	*local
	directories  map[string]status // by real path
	reals        map[string]string // of directories in search paths; "" for none
	scriptBytes  int64             // bytes of scripts hashed so far
	linkDirs     []string          // directories of the links that the last walk followed
	programBytes int64             // bytes of programs hashed so far
}

// At refuses a path whose ".." leads elsewhere when removed from the text than when the kernel
// follows it, as happens behind a symbolic link to a directory.
func (v *view) At(absolute string) (Program, bool) {
	clean, real, found, ok := v.file(absolute)
	if !ok {
		return Program{}, false
	}
	return v.program(clean, real, found)
}

// file follows a path to a file, both as given and after cleaning.
func (v *view) file(absolute string) (clean, real string, found status, ok bool) {
	if clean, ok = filePath(absolute); !ok {
		return "", "", status{}, false
	}
	real, found, err := v.walk(clean)
	if err == nil && clean != absolute {
		var walked string
		if walked, _, err = v.walk(absolute); walked != real {
			return "", "", status{}, false
		}
	}
	return clean, real, found, err == nil
}

// program builds a Program from a file, if it can be one.
func (v *view) program(clean, real string, s status) (Program, bool) {
	if !s.mode.IsRegular() || s.mode.Perm()&0o111 == 0 {
		return Program{}, false
	}
	return v.describe(clean, real, s), true
}

// describe builds a Program from a file, whether or not it is executable.
func (v *view) describe(clean, real string, s status) Program {
	device, inode := s.fileID()
	program := Program{Path: clean, Real: real, Device: device, Inode: inode, Writable: v.writable(real, s)}
	if clean != real {
		v.link(&program)
	}
	return program
}

// link finds the location of the symbolic link by which a program was found, if any.
func (v *view) link(p *Program) {
	dir, _, err := v.walk(path.Dir(p.Path))
	if p.Link = Join(dir, path.Base(p.Path)); err != nil || p.Link == p.Real {
		p.Link = "" // only its directories are links
		return
	}
	real, _, err := v.walk(p.Path)
	if err != nil || real != p.Real {
		p.Link = "" // it changed in the meantime
		return
	}
	list := slices.Clone(p.Writable)
	for _, dir := range append(v.linkDirs, dir) {
		if v.writableByOthers(dir) {
			list = append(list, "directory")
		}
		for dir != "/" {
			if dir = path.Dir(dir); v.writableByOthers(dir) {
				list = append(list, "above")
			}
		}
	}
	slices.Sort(list)
	p.LinkWritable = slices.Compact(list)
	p.LinkOfRoot = len(list) == 0
}

// writable lists the paths through which users other than root could replace a program.
func (v *view) writable(real string, file status) []string {
	list := []string{}
	dir := path.Dir(real)
	if v.writableByOthers(dir) {
		list = append(list, "directory")
	}
	if file.writableByOthers() {
		list = append(list, "file")
	}
	for dir != "/" {
		if dir = path.Dir(dir); v.writableByOthers(dir) {
			return append([]string{"above"}, list...)
		}
	}
	return list
}

// writableByOthers reports whether users other than root can change a directory, or may be able to.
func (v *view) writableByOthers(dir string) bool {
	s, err := v.lstat(dir)
	return err != nil || s.writableByOthers()
}

// Script implements [Host]. The hash of a file is "" once the scripts of this analysis are too large
// in total.
func (v *view) Script(absolute string) (Script, bool) {
	clean, real, found, ok := v.file(absolute)
	if !ok || !found.mode.IsRegular() {
		return Script{}, false
	}
	if v.scriptBytes += found.size; v.scriptBytes > maxScripts {
		found.size = maxScript + 1 // one command may name many files
	}
	sum, readable := v.hash(real, found, maxScript)
	if !readable {
		return Script{}, false
	}
	return Script{Program: v.describe(clean, real, found), SHA256: sum}, true
}

// lstat examines a path whose directories are real. Each directory is examined once.
func (v *view) lstat(real string) (status, error) {
	if known, ok := v.directories[real]; ok {
		return known, nil
	}
	s, err := lstat(real)
	if err == nil && s.mode.IsDir() {
		v.directories[real] = s
	}
	return s, err
}

// status is what lstat returns.
type status struct {
	stamp
	mode  fs.FileMode
	owner uint32
	size  int64
	names int // hard links; 0 if the platform does not say
}

// stamp changes whenever a file changes. Times are in nanoseconds.
type stamp struct {
	device, inode     uint64
	modified, changed int64
}

// writableByOthers reports whether users other than root can change the file. In a sticky directory, they
// cannot replace what belongs to root.
func (s status) writableByOthers() bool {
	return s.owner != 0 || s.mode.Perm()&0o022 != 0 && s.mode&fs.ModeSticky == 0
}

// fileID returns the device and the inode in decimal.
func (s status) fileID() (device, inode string) {
	return strconv.FormatUint(s.device, 10), strconv.FormatUint(s.inode, 10)
}
