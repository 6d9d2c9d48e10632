package site

import (
	"cmp"
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/host"
)

// MaxTouches is the number of touches that are reported for one call.
const MaxTouches = 16

// Touch returns what a path touches, by its text and by its real path.
func (s *Site) Touch(access, given, full, program string) (gavel.Touch, bool) {
	real, known := s.Host.Resolve(full)
	return s.TouchAt(path.Clean(full), real, known, gavel.Touch{Access: access, Given: given, Program: program})
}

// TouchAt returns what a clean path touches. real is the path behind it, as far as it is known.
func (s *Site) TouchAt(clean, real string, known bool, t gavel.Touch) (gavel.Touch, bool) {
	kind, holds := s.Protected.At(clean, s.folds())
	if !known && real != "" {
		real = path.Clean(real) // a file could be created behind a dangling link
	}
	if real != "" && real != clean {
		if other, above := s.Protected.At(real, s.folds()); other != "" && (kind == "" || !above) {
			kind, holds, clean = other, above, real
		}
	}
	t.Kind, t.Real, t.Holds = kind, clean, holds
	return t, kind != ""
}

// nowhere stands for an unknown directory. The end of such a path is still known.
const nowhere = "/?"

// Full returns the absolute path of a text in a directory, or "".
func (s *Site) Full(text, dir string) string {
	switch {
	case text == "" || strings.Contains(text, "\n") || host.LongPath(text):
		return ""
	case text == "~" || strings.HasPrefix(text, "~/"):
		if s.Facts.Home == "" {
			return nowhere + text[1:]
		}
		return s.Facts.Home + text[1:]
	default:
		return host.In(cmp.Or(dir, nowhere), text)
	}
}
