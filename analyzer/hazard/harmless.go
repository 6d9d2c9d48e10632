package hazard

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/spelling"
)

// The checks for plainly harmless arguments that are not programs of a small language. A check that does
// not understand an argument returns false.

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

// onlyWords reports whether a text has nothing but listed words and ports (:22 or :http), between brackets and
// operators of comparison.
func onlyWords(text string, listed []string) bool {
	return !slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ()!=<>&|", r) }), func(word string) bool {
		port, isPort := strings.CutPrefix(word, ":")
		return !slices.Contains(listed, word) && !(isPort && spelling.Portable("p"+strings.ReplaceAll(port, "-", "_")))
	})
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

// loopback reports whether a URL, or a host with or without a port, plainly names the local
// machine.
func loopback(text string) bool {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || strings.ContainsAny(text, `\{}[]`) && !strings.Contains(text, "[::1]") {
		return false
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// inWorkdir reports whether a text is plainly a path inside the working directory: it is a dot or
// begins with ./, and it contains no "..".
func inWorkdir(text string) bool {
	if text != "." && !strings.HasPrefix(text, "./") {
		return false
	}
	return !strings.Contains("/"+text+"/", "/../") && !strings.ContainsAny(text, "@:")
}

// onGitHub reports whether a text, as gh reads it, names nothing on a host other than github.com: it is a
// URL there, or OWNER/REPO, a number, a branch or something else without a host.
func onGitHub(text string) bool {
	lower := strings.ToLower(text)
	for _, ours := range [...]string{"https://github.com/", "https://api.github.com/", "git@github.com:", "ssh://git@github.com/", "github.com/"} {
		if strings.HasPrefix(lower, ours) {
			return true
		}
	}
	first, rest, _ := strings.Cut(lower, "/")
	return !strings.ContainsAny(first, ":@") && !(strings.Contains(first, ".") && strings.Contains(rest, "/"))
}
