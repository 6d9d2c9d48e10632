package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	options "gavel/analyzer/argv"
	"gavel/analyzer/hazard"
	"gavel/analyzer/shell"
)

// nameHazards examines the files whose names another command supplies to a command, and returns their
// hazards. base are the hazards of the words as written. The result is provisional: it applies if nothing
// changes the files before the command runs.
func (u *unwrapper) nameHazards(c call, argv, may []string, base []gavel.Hazard, executable gavel.Executable, opaque string) []gavel.Hazard {
	words := c.nameIndexes(argv)
	if len(words) == 0 {
		return nil
	}
	f := nameSearch{unwrapper: u, source: c.names, at: words[0], ok: !u.Facts.Claimed}
	f.search(c.dir)
	defer u.recordNameFacts(&f)
	switch {
	case f.unsafeNames, !f.ok && f.needsFiles():
		return nil // any of them may be a link or a secret file
	case !f.ok && u.Scanner != nil:
		option := hazard.OptionUnseen
		if f.limitReached {
			option = hazard.OptionBound
		}
		f.found = append(f.found, gavel.Hazard{Kind: "reads", Option: option, Argument: c.names.roots[0], Index: words[0]})
	}
	if c.names.maybeEmpty() { // without a name, the command may run as it is
		f.found = append(f.found, u.hazardsWithoutNames(c, argv, may, words[0], executable, opaque)...)
	}
	e := provisional{segment: len(u.list), words: words, tracked: c.names.tracked}
	if f.ok { // no name begins with a dash, and each is one word
		e.line = u.plainLine(c, may, words, executable)
		plain := u.hazardsWithNames(c, argv, may, words, executable, opaque)
		for _, h := range base {
			if !slices.ContainsFunc(plain, func(other gavel.Hazard) bool { return sameHazard(h, other) }) {
				e.drop = append(e.drop, h)
			}
		}
	}
	u.provisionals = append(u.provisionals, e)
	return limitHazards(f.found)
}

// needsFiles reports whether the files themselves must be known, because their names alone do not ensure
// that none of them is a link or a secret file.
func (f *nameSearch) needsFiles() bool {
	y := f.source
	return y.tracked != nil || !y.files || y.variable != "" || y.maybeEmpty() && !y.zeros || strings.HasPrefix(y.name, ".") || f.Paths.MayMatchSecret(y.name)
}

// maybeEmpty reports whether the names become words only at run time, so that there may be none.
func (y *nameSource) maybeEmpty() bool { return y.piped || y.at > 0 }

// hazardsWithoutNames returns the hazards of a command to which no name is supplied.
func (u *unwrapper) hazardsWithoutNames(c call, argv, may []string, at int, executable gavel.Executable, opaque string) []gavel.Hazard {
	bare, text := slices.Clone(may), slices.Clone(argv)
	if bare = slices.Delete(bare, at, at+1); at < len(text) {
		text = slices.Delete(text, at, at+1)
	}
	found, _ := u.Hazards.Of(text, [][]string{bare}, executable, opaque, u.surroundings(c))
	for i := range found {
		if found[i].Index >= at {
			found[i].Index++
		}
	}
	return found
}

// hazardsWithNames returns the hazards of a command if none of the supplied names is an option.
func (u *unwrapper) hazardsWithNames(c call, argv, may []string, words []int, executable gavel.Executable, opaque string) []gavel.Hazard {
	found, _ := u.Hazards.Of(argv, shell.Readings(withoutDashes(may, words), c.words), executable, opaque, u.surroundings(c))
	return found
}

// noOptionWord stands for words that are not options, as package argv has it.
const noOptionWord = options.Unknown + options.Several

// nameIndexes returns the indexes of the words that another command supplies.
func (c *call) nameIndexes(argv []string) (words []int) {
	switch y := c.names; {
	case y == nil:
		return nil
	case y.variable != "":
		for i := range c.words {
			name, here := c.words[i].SingleVariable()
			if name == y.variable && i > 0 && !(here && slices.ContainsFunc(y.roots, path.IsAbs)) {
				words = append(words, i)
			}
		}
		return words
	case y.at > 0:
		if y.at < len(c.words) && c.words[y.at].Output > 0 && c.follow == nil {
			return []int{y.at}
		}
		return nil
	}
	marker := c.names.marker
	if !c.names.piped {
		marker = "{}"
	}
	for i, word := range argv {
		if word == marker && marker != "" && i > 0 {
			words = append(words, i)
		}
	}
	if c.follow != nil {
		words = append(words, len(argv))
	}
	return words
}
