package tracked

import (
	"crypto/sha1" //nolint:gosec // only its size
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
	"gavel/analyzer/programs"
)

const (
	// maxHead is how many bytes are read of the file that makes a directory a repository.
	maxHead = 4096
	// maxIndex limits the bytes that are read of the list of tracked files, and of a configuration.
	maxIndex = 8 << 20
)

// Repositories finds repositories on a host. Kind says how a program recognizes one, and Files where
// it lists the tracked files.
type Repositories struct {
	Host  *host.Limited
	Kind  *programs.Repository
	Files *programs.ListsTrackedFiles
}

// Accepts reports whether the program certainly accepts the directory as a repository. Otherwise it may
// search the directories above, but not if there is a file in place of the repository's own directory.
func (r Repositories) Accepts(dir string) bool {
	own := host.Join(dir, r.Kind.Own)
	switch r.Host.Kind(own) {
	case host.KindDirectory:
	case host.KindFile:
		_, regular := r.Host.Text(own, maxHead)
		return regular
	default:
		return false
	}
	for _, name := range r.Kind.Has {
		if r.Host.Kind(host.Join(own, name)) != host.KindDirectory {
			return false
		}
	}
	text, ok := r.Host.Text(host.Join(own, r.Kind.Bare), maxHead)
	if hash, err := hex.DecodeString(strings.TrimSuffix(text, "\n")); err == nil && len(hash) == sha1.Size {
		return true
	}
	return ok && slices.ContainsFunc(r.Kind.Begins, func(begin string) bool { return strings.HasPrefix(text, begin) })
}

// Top returns the directory of the repository in which a directory is, given by its real path; "" if
// there is none. It is not ok if that is not certain.
func (r Repositories) Top(dir string) (top string, ok bool) {
	for {
		if r.Host.Kind(host.Join(dir, r.Kind.Own)) != host.KindMissing {
			return dir, r.Accepts(dir)
		}
		switch {
		case r.Host.Kind(host.Join(dir, r.Kind.Bare)) != host.KindMissing:
			return "", false // it may be a repository without a working tree
		case dir == "/":
			return "", true
		}
		dir = path.Dir(dir)
	}
}

// Names returns the names of the tracked files of the repository with this top, relative to it. It is
// not ok if they are not certain: its own directory is elsewhere, or its files are.
func (r Repositories) Names(top string) (names []string, ok bool) {
	own := host.Join(top, r.Kind.Own)
	if r.Host.Kind(own) != host.KindDirectory || !r.tracksOwnDirectory(own) {
		return nil, false
	}
	return r.read(host.Join(own, r.Files.Index))
}

// NamesOfAnyTree is like Names, and also reads the list of a working tree whose file in place of the
// repository's own directory says where that is.
func (r Repositories) NamesOfAnyTree(top string) (names []string, ok bool) {
	own := host.Join(top, r.Kind.Own)
	if r.Host.Kind(own) != host.KindFile {
		return r.Names(top)
	}
	text, ok := r.Host.Text(own, maxHead)
	dir, said := strings.CutPrefix(strings.TrimSuffix(text, "\n"), r.Kind.Elsewhere)
	if !ok || !said || dir == "" || strings.ContainsAny(dir, "\n\r") {
		return nil, false
	}
	real, ok := r.Host.Resolve(path.Clean(host.In(top, dir)))
	if !ok {
		return nil, false
	}
	return r.read(host.Join(real, r.Files.Index))
}

// IgnoreFile returns the path, relative to the top of a repository, of the file in its own directory that has
// patterns of ignored files; "" if it is not certain that they apply to the files there.
func (r Repositories) IgnoreFile(top string) string {
	own := host.Join(top, r.Kind.Own)
	if r.Kind.Ignores == "" || r.Host.Kind(own) != host.KindDirectory || !r.tracksOwnDirectory(own) {
		return ""
	}
	return path.Join(r.Kind.Own, r.Kind.Ignores)
}

// read returns the names in one index.
func (r Repositories) read(index string) (names []string, ok bool) {
	if real, known := r.Host.Resolve(index); !known || real != index {
		return nil, false
	}
	text, ok := r.Host.Text(index, maxIndex)
	if !ok || len(text) == maxIndex {
		return nil, false
	}
	return Names([]byte(text))
}

// tracksOwnDirectory reports whether the names of a repository are of files in the directory where its own is.
func (r Repositories) tracksOwnDirectory(own string) bool {
	for _, name := range r.Files.NeverWith {
		if r.Host.Kind(host.Join(own, name)) != host.KindMissing {
			return false
		}
	}
	settings := host.Join(own, r.Files.Settings)
	text, ok := r.Host.Text(settings, maxIndex)
	if !ok {
		return r.Host.Kind(settings) == host.KindMissing
	}
	return len(text) < maxIndex && !strings.Contains(strings.ToLower(text), r.Files.ElsewhereSetting)
}
