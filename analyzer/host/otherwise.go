package host

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Reads is how the file systems of a platform read names. The zero value reads them as they are
// written, as on Linux.
type Reads int

// The values of Reads.
const (
	ReadsExactly Reads = iota
	// ReadsFolded ignores case, and how a letter is composed, as on macOS.
	ReadsFolded
	// ReadsWindows also knows streams, short names, devices, and names that end in dots or spaces.
	ReadsWindows
)

// ReadsOn returns how names are read on a platform, in lower case. On an unknown one they may be
// read in any of these ways.
func ReadsOn(platform string) Reads {
	switch {
	case platform == "darwin", platform == "ios", strings.HasPrefix(platform, "mac"):
		return ReadsFolded
	case platform == "linux", platform == "android", strings.HasSuffix(platform, "bsd"), platform == "solaris", platform == "illumos":
		return ReadsExactly
	}
	return ReadsWindows
}

// Otherwise reports whether a path may name a file that another spelling names, beyond the case of
// its letters: what is compared with it then may miss it.
func (r Reads) Otherwise(path string) bool {
	if r == ReadsExactly {
		return false
	}
	if r == ReadsWindows && windowsOnly(path) {
		return true
	}
	for i := 0; i < len(path); i++ {
		if path[i] >= 0x80 {
			return foldsToASCII(path)
		}
	}
	return false
}

// foldsToASCII reports whether letters of a text fold to ASCII letters, are not composed as usual, or
// are ignored.
func foldsToASCII(text string) bool {
	if !norm.NFC.IsNormalString(text) {
		return true
	}
	fold := cases.Fold()
	for _, r := range text {
		switch {
		case r < 0x80:
		case r == unicode.ReplacementChar, unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return true
		case strings.ContainsFunc(fold.String(string(r)), func(r rune) bool { return r < 0x80 }):
			return true
		}
	}
	return false
}

// windowsOnly reports whether Windows reads a part of a path otherwise than it is written.
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
		case strings.HasSuffix(part, "."), strings.HasSuffix(part, " "), short(name), device(strings.TrimRight(name, " ")):
			return true
		}
	}
	return false
}

// short reports whether a name may be the short one of a longer name: ID_RSA~1.
func short(name string) bool {
	_, number, tilde := strings.Cut(name, "~")
	return tilde && number != "" && strings.Trim(number, "0123456789") == ""
}

// device reports whether a name names a device in some case, which it is in every directory.
func device(name string) bool {
	if name == "" || !strings.ContainsRune("CPANLcpanl", rune(name[0])) { // no other letter has one of these as its capital
		return false
	}
	switch name = strings.ToUpper(name); name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "COM") || strings.HasPrefix(name, "LPT")) && name[3] >= '0' && name[3] <= '9'
}
