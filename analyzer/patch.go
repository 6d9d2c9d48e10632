package analyzer

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gavel/analyzer/shell"
)

// File tools parse file names and patches with code that Gavel does not share. Some of them drop
// characters at the ends of a name, turn Unicode spaces into plain ones, or find the head of a
// file in a line that begins with an invisible character. Whatever could be read in two ways is
// reported as odd, never guessed.

// oddName says why another reader might read a file name differently, or returns "".
func oddName(name string) string {
	switch {
	case strings.HasPrefix(name, "@"):
		return "a leading @"
	case strings.HasPrefix(strings.ToLower(name), "file:"):
		return "a name that begins with file:"
	case strings.Trim(name, " \t") != name:
		return "a space at the beginning or end of the name"
	case strings.ContainsRune(name, '\\'):
		return "a backslash"
	}
	for i, r := range name {
		_, width := utf8.DecodeRuneInString(name[i:])
		if what := unseen(r, width); what != "" {
			return what
		}
	}
	return ""
}

// unseen describes a character that readers may drop, replace or treat as a line end; "" for any
// other.
func unseen(r rune, width int) string {
	switch {
	case r == utf8.RuneError && width <= 1:
		return "a byte that is not UTF-8"
	case ' ' <= r && r <= '~' || r == '\t':
		return ""
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs):
		return fmt.Sprintf("the character U+%04X", r)
	default:
		return ""
	}
}

// patchHeads are the beginnings of the patch lines that name a file (FILES-2).
func patchHeads() []string {
	return []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "}
}

// patched reads the file names in a patch in the format of apply_patch: one line for each file to
// add, update, delete or move to. odd says what another reader might read differently. One
// example is a line that becomes a head only after invisible characters around it are dropped;
// another is a line that follows a character which only some readers treat as a line end.
func patched(patch string) (names []string, odd string) {
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if name, ok := head(line); ok {
			names = append(names, name)
			continue
		}
		for part := range strings.FieldsFuncSeq(line, endsLine) {
			part = strings.TrimFunc(part, func(r rune) bool { return unicode.IsSpace(r) || unseen(r, utf8.RuneLen(r)) != "" })
			if odd == "" && strings.HasPrefix(part, "***") && !marker(line) {
				odd = fmt.Sprintf("a line that another reader may take for the head of a file, %q", shell.Excerpt(part))
			}
		}
	}
	return names, odd
}

// head reads a line that names a file.
func head(line string) (name string, ok bool) {
	for _, head := range patchHeads() {
		if name, ok := strings.CutPrefix(line, head); ok {
			return name, true
		}
	}
	return "", false
}

// marker reports whether a line is a patch marker that names no file.
func marker(line string) bool {
	return line == "*** Begin Patch" || line == "*** End Patch" || line == "*** End of File"
}

// endsLine reports whether some readers treat a character as a line end.
func endsLine(r rune) bool {
	switch r {
	case '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	default:
		return false
	}
}
