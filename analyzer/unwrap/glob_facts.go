package unwrap

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/fileglob"
)

// maxFitting limits the matching names that are facts. The hash covers all of them.
const maxFitting = 16

// recordNameFacts records the files that another command supplies to the current segment, in the same way as
// the files that match a glob.
func (u *unwrapper) recordNameFacts(f *nameSearch) {
	item := gavel.Fitting{Pattern: f.source.command, Command: true}
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
func (u *unwrapper) recordGlobFacts(pattern string, e *fileglob.Expansion) {
	if slices.ContainsFunc(u.fits, func(other gavel.Fitting) bool { return other.Pattern == pattern }) {
		return
	}
	item := gavel.Fitting{Pattern: pattern}
	if digest, ok := e.Digest(); ok && u.shell != "zsh" {
		item.Known, item.Count, item.SHA256 = true, len(e.Matches), digest
		for _, m := range e.Matches[:min(maxFitting, len(e.Matches))] {
			item.Names = append(item.Names, m.Text)
		}
	}
	u.fits = append(u.fits, item)
}
