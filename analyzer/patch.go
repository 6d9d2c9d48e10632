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
// file in a line that begins with an invisible character. Text that could be read in two ways is
// reported as odd; nothing is guessed.

// oddName describes why another reader might read a file name differently, or returns "".
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
		if what := invisible(r, width); what != "" {
			return what
		}
	}
	return ""
}

// invisible describes a character that readers may drop, replace or treat as a line end; "" for any
// other.
func invisible(r rune, width int) string {
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

// patchHeads returns the beginnings of the patch lines that name a file (FILES-2).
func patchHeads() []string {
	return []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "}
}

// readApplyPatch reads the file names in a patch in the format of apply_patch: one line for each file to
// add, update, delete or move to. odd describes what another reader might read differently. One
// example is a line that becomes a head only after invisible characters around it are dropped;
// another is a line that follows a character which only some readers treat as a line end.
func readApplyPatch(patch string) (names []string, odd string) {
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if name, ok := patchLineName(line); ok {
			names = append(names, name)
			continue
		}
		for part := range strings.FieldsFuncSeq(line, mayEndLine) {
			part = strings.TrimFunc(part, func(r rune) bool { return unicode.IsSpace(r) || invisible(r, utf8.RuneLen(r)) != "" })
			if odd == "" && strings.HasPrefix(part, "***") && !isPatchMarker(line) {
				odd = fmt.Sprintf("a line that another reader may take for the head of a file, %q", shell.Excerpt(part))
			}
		}
	}
	return names, odd
}

// patchLineName returns the file that a line of a patch names. It is not ok for any other line.
func patchLineName(line string) (name string, ok bool) {
	for _, head := range patchHeads() {
		if name, ok := strings.CutPrefix(line, head); ok {
			return name, true
		}
	}
	return "", false
}

// isPatchMarker reports whether a line is a patch marker that names no file.
func isPatchMarker(line string) bool {
	return line == "*** Begin Patch" || line == "*** End Patch" || line == "*** End of File"
}

// mayEndLine reports whether some readers treat a character as a line end.
func mayEndLine(r rune) bool {
	switch r {
	case '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	default:
		return false
	}
}
