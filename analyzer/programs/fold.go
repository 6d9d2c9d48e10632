package programs

import (
	"slices"
	"strings"
)

// Fold folds program names. It is the only code that removes versions, file extensions, builds and
// targets from names.
type Fold struct {
	targets, variants []string
	gnu               map[string]bool
	known             map[string][]string // the names of the programs in the catalog
}

// Of returns the names under which the catalog may list a program, its own name first: in lower
// case, and without a Windows extension, the target of a cross tool, the version, the build, or
// the g of a GNU program. For example, x86_64-linux-gnu-gcc-12 is gcc. Every lookup by program
// name goes through here. The result is never nil. It is shared, so callers must not change it.
func (t *Fold) Of(name string) []string {
	if names, ok := t.known[name]; ok {
		return names
	}
	return t.fold(name)
}

// fold returns a name and every shorter form of it.
func (t *Fold) fold(name string) []string {
	names := []string{strings.ToLower(name)}
	if WholeName(names[0]) {
		return names
	}
	for i := 0; i < len(names); i++ {
		for _, shorter := range [...]string{
			withoutEnding(names[i]), t.withoutTarget(names[i]), withoutVersion(names[i]), t.withoutVariant(names[i]), t.withoutGNUPrefix(names[i]),
		} {
			if shorter != "" && !slices.Contains(names, shorter) {
				names = append(names, shorter)
			}
		}
	}
	return names
}

// WholeName reports whether a lower-case name folds only to itself: it has only letters, and does not
// begin with the g of GNU.
func WholeName(name string) bool {
	for i := range len(name) {
		if name[i] < 'a' || 'z' < name[i] {
			return false
		}
	}
	return name != "" && name[0] != 'g'
}

// Both returns the folded names of a program and of the file behind it.
func (t *Fold) Both(name, file string) []string {
	names := t.Of(name)
	if file == name || file == "" {
		return names
	}
	for _, other := range t.Of(file) {
		if !slices.Contains(names, other) {
			names = append(names, other)
		}
	}
	return names
}

func withoutEnding(name string) string {
	for _, ending := range [...]string{".exe", ".com", ".cmd", ".bat", ".ps1"} {
		if before, cut := strings.CutSuffix(name, ending); cut {
			return before
		}
	}
	return ""
}

// withoutTarget returns the tool in x86_64-linux-gnu-gcc-12: what follows the last dash that has
// no digit after it, as in i686-w64-mingw32-g++.
func (t *Fold) withoutTarget(name string) string {
	if !t.Target(name) {
		return ""
	}
	end := len(name)
	for {
		dash := strings.LastIndexByte(name[:end], '-')
		if dash < 0 {
			return ""
		}
		if tool := name[dash+1:]; tool != "" && !digit(tool[0]) {
			return tool
		}
		end = dash
	}
}

// Target reports whether a name begins like a target: with a processor and a dash.
func (t *Fold) Target(name string) bool {
	processor, _, more := strings.Cut(name, "-")
	return more && slices.ContainsFunc(t.targets, func(known string) bool { return strings.HasPrefix(processor, known) })
}

// withoutVersion returns python for python3.12 and python3.13t. It also removes a version that is
// followed by a target, as in perl5.36-x86_64-linux-gnu.
func withoutVersion(name string) string {
	end := len(strings.TrimRight(name, "dmtu"))
	if end > 0 && !digit(name[end-1]) {
		end = len(name)
	}
	before := strings.TrimRight(name[:end], "0123456789.-_")
	if before == name[:end] {
		return ""
	}
	return before
}

func (t *Fold) withoutVariant(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if c := name[i]; (c == '-' || c == '.') && (slices.Contains(t.variants, name[i+1:]) || t.Target(name[i+1:]+"-")) {
			return name[:i]
		}
	}
	return ""
}

func (t *Fold) withoutGNUPrefix(name string) string {
	if rest, cut := strings.CutPrefix(name, "g"); cut && t.gnu[rest] {
		return rest
	}
	return ""
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
