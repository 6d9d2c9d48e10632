package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
)

// patterns returns the positions of words that are nothing but patterns of file names of
// which it is known what they cannot match: hidden files, files of other directories than
// the one that is written, and names that are known to hold secrets. Never nil.
func (u *unwrapper) patterns(words []shell.Word, programs []string) []int {
	list := []int{}
	if u.shell == "zsh" { // in which patterns have qualifiers, such as D for hidden files
		return list
	}
	number := 1
	for i := range words {
		number *= max(1, len(words[i].Choices))
		if number > shell.MaxChoices {
			return []int{} // not all of them were examined
		}
		if words[i].ProcessSubstitution {
			list = append(list, i)
			continue
		}
		found := words[i].Patterns()
		if words[i].Dynamic && len(found) > 0 && !slices.ContainsFunc(found, func(item string) bool { return !u.plainPattern(item) && !u.textPattern(item, programs) }) {
			list = append(list, i)
		}
	}
	return list
}

// plainPattern reports whether wildcards are in the last name of a pattern only, and what
// that matches holds no secret as far as names tell.
func (u *unwrapper) plainPattern(pattern string) bool {
	dir, name := path.Split(pattern)
	return !strings.HasPrefix(pattern, "-") && !strings.ContainsAny(pattern, "{}~\\\n") && !strings.ContainsAny(dir, "*?[") &&
		!strings.HasPrefix(name, ".") && !u.Paths.MayMatchSecret(name)
}

// textPattern reports whether whatever a pattern matches is an option with a value that names no
// file, as in --include=*.go, for every program of these names.
func (u *unwrapper) textPattern(pattern string, programs []string) bool {
	name, value, attached := strings.Cut(pattern, "=")
	return attached && strings.HasPrefix(name, "--") && !strings.ContainsAny(name, "*?[") && !strings.ContainsAny(value, "{}\\\n") && len(programs) > 0 &&
		!slices.ContainsFunc(programs, func(program string) bool { return !u.Hazards.Text(program, name) })
}

// operands finds the files that operands name.
func (u *unwrapper) operands(list []gavel.GivenOperand, c call, patterns []int) {
	for i := range list {
		o := &list[i]
		text, name := o.Text, ""
		switch {
		case !o.Dynamic:
			if o.Path == "" {
				continue
			}
		case o.Index < len(c.words) && c.words[o.Index].PathBelowHome() != "":
			text = u.expandHome(c.words[o.Index].PathBelowHome())
		case slices.Contains(patterns, o.Index) && len(c.words[o.Index].Choices) == 0 && !c.words[o.Index].ProcessSubstitution:
			text, name = path.Split(c.words[o.Index].Patterns()[0])
		default:
			continue
		}
		full := host.In(c.dir, text)
		// Whether this fact is observed depends on the policy, so it must not meet a limit.
		if full == "" || host.PathTooLong(full) {
			continue
		}
		if real, ok := u.Host.Resolve(full); ok {
			o.Real = path.Join(real, name)
		}
	}
}
