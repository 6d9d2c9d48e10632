package host

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// NameMatching is how the file systems of a platform compare file names. The zero value compares
// them byte by byte, as Linux does.
type NameMatching int

// The values of Reads.
const (
	MatchExact NameMatching = iota
	// MatchFolded ignores case and Unicode normalization, as macOS does.
	MatchFolded
	// MatchWindows also has streams, short names, devices, and names that end in dots or spaces.
	MatchWindows
)

// MatchingOn returns how names are compared on a platform, whose name is in lower case. An unknown
// platform may compare them in any of these ways.
func MatchingOn(platform string) NameMatching {
	switch {
	case platform == "darwin", platform == "ios", strings.HasPrefix(platform, "mac"):
		return MatchFolded
	case platform == "linux", platform == "android", strings.HasSuffix(platform, "bsd"), platform == "solaris", platform == "illumos":
		return MatchExact
	}
	return MatchWindows
}

// MayAlias reports whether a path may be another spelling of a path that differs from it in more
// than case, so that comparing the two as text would miss the match.
func (m NameMatching) MayAlias(path string) bool {
	if m == MatchExact {
		return false
	}
	if m == MatchWindows && windowsOnly(path) {
		return true
	}
	for i := 0; i < len(path); i++ {
		if path[i] >= 0x80 {
			return foldsToASCII(path)
		}
	}
	return false
}

// Plain returns a path that [NameMatching.MayAlias] reports in the spelling in which such aliases are
// compared: folded, without the characters that file systems ignore, and on Windows without streams, and
// without dots and spaces at the end of a name. A drive is the root. A short name is left unchanged.
func (m NameMatching) Plain(clean string) string {
	clean = cases.Fold().String(norm.NFC.String(strings.Map(func(r rune) rune {
		if isIgnored(r) {
			return -1
		}
		return r
	}, clean)))
	if m != MatchWindows {
		return clean
	}
	var names []string
	for name := range strings.SplitSeq(strings.ReplaceAll(clean, "\\", "/"), "/") {
		if len(name) == 2 && name[1] == ':' {
			names = names[:0]
			continue
		}
		name, _, _ = strings.Cut(name, ":")
		if name = strings.TrimRight(name, ". "); name != "" {
			names = append(names, name)
		}
	}
	return "/" + strings.Join(names, "/")
}

// ShortName returns the first name of a path that Windows may read as the short form of a longer one; ""
// if there is none.
func (m NameMatching) ShortName(path string) string {
	if m != MatchWindows {
		return ""
	}
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if stem, _, _ := strings.Cut(name, "."); isShortName(stem) {
			return name
		}
	}
	return ""
}

// isIgnored reports whether a character is one that some file systems ignore in names.
func isIgnored(r rune) bool {
	return r == unicode.ReplacementChar || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// foldsToASCII reports whether a text is not in the normal form NFC, or has characters that fold to
// ASCII letters or that some file systems ignore.
func foldsToASCII(text string) bool {
	if !norm.NFC.IsNormalString(text) {
		return true
	}
	fold := cases.Fold()
	for _, r := range text {
		switch {
		case r < 0x80:
		case isIgnored(r):
			return true
		case strings.ContainsFunc(fold.String(string(r)), func(r rune) bool { return r < 0x80 }):
			return true
		}
	}
	return false
}

// windowsOnly reports whether Windows gives a part of a path another meaning than its text.
func windowsOnly(path string) bool {
	if strings.ContainsAny(path, "\\:") {
		return true
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			continue
		}
		name, _, _ := strings.Cut(part, ".")
		switch {
		case strings.HasSuffix(part, "."), strings.HasSuffix(part, " "), isShortName(name), isDeviceName(strings.TrimRight(name, " ")):
			return true
		}
	}
	return false
}

// isShortName reports whether a name may be the 8.3 name of a longer one: ID_RSA~1.
func isShortName(name string) bool {
	_, number, tilde := strings.Cut(name, "~")
	return tilde && number != "" && strings.Trim(number, "0123456789") == ""
}

// isDeviceName reports whether a name, in any case, is a device, as it then is in every directory.
func isDeviceName(name string) bool {
	if name == "" || !strings.ContainsRune("CPANLcpanl", rune(name[0])) { // no other letter has one of these as its capital
		return false
	}
	switch name = strings.ToUpper(name); name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "COM") || strings.HasPrefix(name, "LPT")) && name[3] >= '0' && name[3] <= '9'
}
