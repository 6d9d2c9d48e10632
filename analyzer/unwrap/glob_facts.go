package unwrap

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"gavel"
)

// maxFitting limits the matching names that are facts. The hash covers all of them.
const maxFitting = 16

// recordNameFacts records the files that another command supplies to the current segment, in the same way as
// the files that match a glob.
func (u *unwrapper) recordNameFacts(f *nameSearch) {
	item := gavel.Fitting{Pattern: f.source.command}
	if item.Known = f.ok && !f.unsafeNames; item.Known {
		slices.Sort(f.names)
		item.Count = len(f.names)
		sum := sha256.New()
		for k, name := range f.names {
			if k < maxFitting {
				text, _, _ := strings.Cut(name, "\x00")
				item.Names = append(item.Names, text)
			}
			sum.Write([]byte(name))
		}
		item.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	u.fits = append(u.fits, item)
}

// recordGlobFacts records the files that match a glob of the current segment, so that an answer can be limited
// to them. Globs of zsh have features that are not expanded here, so their files are unknown.
func (u *unwrapper) recordGlobFacts(pattern string, e *glob) {
	if slices.ContainsFunc(u.fits, func(other gavel.Fitting) bool { return other.Pattern == pattern }) {
		return
	}
	item := gavel.Fitting{Pattern: pattern}
	if item.Known = e.ok && u.shell != "zsh"; item.Known {
		item.Count = len(e.matches)
		sum := sha256.New()
		for k, m := range e.matches {
			if k < maxFitting {
				item.Names = append(item.Names, m.text)
			}
			real, known := m.real, true
			if real == "" {
				real, known = u.Host.Resolve(path.Clean(m.full))
			}
			item.Known = item.Known && known
			sum.Write([]byte(m.text + "\x00" + real + "\x00")) // names have no zero byte
		}
		item.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	if !item.Known {
		item = gavel.Fitting{Pattern: pattern}
	}
	u.fits = append(u.fits, item)
}
