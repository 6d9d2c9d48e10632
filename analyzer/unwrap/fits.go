package unwrap

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"gavel"
)

// maxFitting is how many names that fit a pattern are facts. The hash covers all of them.
const maxFitting = 16

// fitFound records which files another command gives to the segment that is being read, like those
// that fit a pattern.
func (u *unfolder) fitFound(f *finding) {
	one := gavel.Fitting{Pattern: f.yield.said}
	if one.Known = f.ok && !f.strange; one.Known {
		slices.Sort(f.names)
		one.Count = len(f.names)
		sum := sha256.New()
		for k, name := range f.names {
			if k < maxFitting {
				text, _, _ := strings.Cut(name, "\x00")
				one.Names = append(one.Names, text)
			}
			sum.Write([]byte(name))
		}
		one.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	u.fits = append(u.fits, one)
}

// fit records which files fit a pattern of the segment that is being read, so that an answer can
// be limited to them. In zsh patterns mean more than is expanded here.
func (u *unfolder) fit(pattern string, e *expanding) {
	if slices.ContainsFunc(u.fits, func(other gavel.Fitting) bool { return other.Pattern == pattern }) {
		return
	}
	one := gavel.Fitting{Pattern: pattern}
	if one.Known = e.ok && u.shell != "zsh"; one.Known {
		one.Count = len(e.matches)
		sum := sha256.New()
		for k, m := range e.matches {
			if k < maxFitting {
				one.Names = append(one.Names, m.text)
			}
			real, known := m.real, true
			if real == "" {
				real, known = u.Host.Resolve(path.Clean(m.full))
			}
			one.Known = one.Known && known
			sum.Write([]byte(m.text + "\x00" + real + "\x00")) // names have no zero byte
		}
		one.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	if !one.Known {
		one = gavel.Fitting{Pattern: pattern}
	}
	u.fits = append(u.fits, one)
}
