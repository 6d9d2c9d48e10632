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

// Touch returns the protected file or address that a path touches, by its text and by its real path.
// It is not ok if it touches none.
func (s *Site) Touch(access, given, full, program string) (gavel.Touch, bool) {
	real, known := s.Host.Resolve(full)
	return s.TouchAt(path.Clean(full), real, known, gavel.Touch{Access: access, Given: given, Program: program})
}

// TouchAt is like Touch for a clean path. real is its real path if known is true; otherwise it is the
// path up to which links were followed, or "".
func (s *Site) TouchAt(clean, real string, known bool, t gavel.Touch) (gavel.Touch, bool) {
	kind, holds := s.Protected.KindAt(clean, s.foldsNames())
	if !known && host.PerProcess(real) {
		if t.Kind, t.Real = s.Protected.KindBehindProcess(real, s.foldsNames()); t.Kind != "" {
			return t, true
		}
	}
	if !known && real != "" {
		real = path.Clean(real) // a file could be created behind a dangling link
	}
	if real != "" && real != clean {
		if other, above := s.Protected.KindAt(real, s.foldsNames()); other != "" && (kind == "" || !above) {
			kind, holds, clean = other, above, real
		}
	}
	if names := host.MatchingOn(s.Facts.Platform); names.MayAlias(clean) {
		plain := names.Plain(clean)
		if other, above := s.Protected.KindAt(plain, true); other != "" && (kind == "" || !above) {
			kind, holds, clean = other, above, plain
		}
	}
	t.Kind, t.Real, t.Holds = kind, clean, holds
	return t, kind != ""
}

// unknownDir stands for an unknown directory. The names after it are still known.
const unknownDir = "/?"

// Absolute returns the absolute path of a text that is relative to dir, or "" if it cannot be a path.
func (s *Site) Absolute(text, dir string) string {
	switch {
	case text == "" || strings.Contains(text, "\n") || host.PathTooLong(text):
		return ""
	case text == "~" || strings.HasPrefix(text, "~/"):
		if s.Facts.Home == "" {
			return unknownDir + text[1:]
		}
		return s.Facts.Home + text[1:]
	default:
		return host.In(cmp.Or(dir, unknownDir), text)
	}
}
