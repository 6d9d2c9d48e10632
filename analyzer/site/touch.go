package site

import (
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/host"
)

// MaxTouches is how many are told of one call: the first says enough.
const MaxTouches = 16

// Touch returns what a path touches, by its text and by its real path.
func (s *Site) Touch(access, given, full, program string) (gavel.Touch, bool) {
	real, known := s.Host.Resolve(full)
	return s.TouchAt(path.Clean(full), real, known, gavel.Touch{Access: access, Given: given, Program: program})
}

// TouchAt returns what a clean path touches that leads to a real one, as far as it is
// known.
func (s *Site) TouchAt(clean, real string, known bool, t gavel.Touch) (gavel.Touch, bool) {
	kind, holds := s.Protected.At(clean, s.folds())
	if !known && real != "" {
		real = path.Clean(real) // behind a link that leads nowhere, a file could be made
	}
	if real != "" && real != clean {
		if other, above := s.Protected.At(real, s.folds()); other != "" && (kind == "" || !above) {
			kind, holds, clean = other, above, real
		}
	}
	t.Kind, t.Real, t.Holds = kind, clean, holds
	return t, kind != ""
}

// nowhere stands for a directory that is unknown: what a path ends like is known all
// the same.
const nowhere = "/?"

// Full is the absolute path that a text would be in a directory, or "".
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

// Parts yields a text and what in it may be a path by itself, as [hazard.Paths] has it.
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
