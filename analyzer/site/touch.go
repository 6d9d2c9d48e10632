package site

import (
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

// nowhere stands for an unknown directory. The end of such a path is known all the same.
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
	case path.IsAbs(text):
		return text
	case dir == "":
		return nowhere + "/" + text
	default:
		return dir + "/" + text
	}
}

// Parts yields a text and the parts of it that may be paths, as [hazard.Paths] defines them.
func Parts(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if scheme, rest, ok := strings.Cut(text, "://"); ok && strings.HasSuffix(strings.ToLower(scheme), "file") {
			if !yield("/" + strings.TrimLeft(rest, "/")) {
				return
			}
		}
		if !yield(text) {
			return
		}
		if strings.ContainsAny(text, "=@:,") {
			for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("=@:,", r) }) {
				if !yield(part) {
					return
				}
			}
		}
		if len(text) > 2 && text[0] == '-' && text[1] != '-' {
			yield(text[2:])
		}
	}
}
