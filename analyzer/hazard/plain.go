package hazard

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/spelling"
)

// plainFormat reports whether a printf format takes nothing but text. A shell may evaluate what
// it reads as a number.
func plainFormat(format string) bool {
	_, rest, more := strings.Cut(format, "%")
	for more {
		rest = strings.TrimLeft(rest, "-0123456789.")
		if rest == "" || strings.IndexByte("sbqc%", rest[0]) < 0 {
			return false
		}
		_, rest, more = strings.Cut(rest[1:], "%")
	}
	return !strings.Contains(format, argv.Unknown)
}

// plainAssignment reports whether a word is not an assignment, or assigns a number or a switch to
// a variable that does not determine what make runs or reads.
func plainAssignment(text string) bool {
	name, value, assigns := strings.Cut(text, "=")
	if !assigns {
		return true
	}
	if !spelling.Portable(name) || strings.HasPrefix(name, "MAKE") || slices.Contains([]string{"SHELL", "VPATH", "PATH", "GNUMAKEFLAGS"}, name) {
		return false
	}
	number := value != "" && spelling.Digits(value[:1]) && strings.Trim(value, "0123456789.") == ""
	return number || slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "debug", "release", "all", "none"}, strings.ToLower(value))
}

// plainFile reports whether a text is only a file name, or a dash, to programs that interpret
// names, such as perl -n and -p: a bar means a command, and an angle bracket a file to write.
func plainFile(text string) bool {
	return text == "-" || spelling.Ordinary(text) && text != "" && text[0] != '-' && text[0] != '+' && text[0] != '='
}
