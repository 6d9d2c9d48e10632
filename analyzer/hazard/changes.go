package hazard

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/treescan"
)

// The names of hazards of files that a program changes. The names denied, below, inside, bound and
// unseen mean the same as for files that it reads.
const (
	// OptionUnsure is a file on a deny list that the program may or may not change.
	OptionUnsure = "unsure"
	// OptionUnlisted is a changed file that is not on every allow list.
	OptionUnlisted = "unlisted"
	kindWrites     = "writes"
)

// changedPath is one path that a command may change.
type changedPath struct {
	text    string // the word
	index   int
	below   string              // what happens to the contents of a directory, as in the catalog
	exclude treescan.Exclusions // what the program leaves out of a directory
	unsure  bool                // it may only be read
	marked  bool                // another hazard of the word is compared with the allow lists
}

// checkChanges compares the files that a command changes with the lists of the policy. words are the words
// of the program or sub-command, and from is the index of the first hazard that was found in them.
func (f *finder) checkChanges(v *Vocabulary, args argv.Reading, words []string, base, from int) {
	if f.around.WriteLists == nil {
		return
	}
	f.changesOfValues(v, args)
	if v.changes == nil {
		f.changesOfHazards(args, words, base, from)
	}
	for i := range v.changes {
		f.applyChange(changeRule{ChangedFiles: &v.changes[i], args: args, words: words, base: base})
	}
}

// changesOfValues records the files that are values of options which write.
func (f *finder) changesOfValues(v *Vocabulary, args argv.Reading) {
	for _, g := range args.Options {
		if g.Kind != kindWrites || !g.HasValue || f.harmless[g.Value] {
			continue
		}
		changed := changedPath{index: g.Index, marked: true}
		f.in(f.startDir, func() { f.changeParts(g.Value, changed) })
		if f.workDir != f.startDir && !slices.Contains(v.directoryOptions, g.Name) {
			f.changeParts(g.Value, changed)
		}
	}
}

// changesOfHazards takes the files from the hazards of kind writes. If one of them names no file, each word may
// be the file.
func (f *finder) changesOfHazards(args argv.Reading, words []string, base, from int) {
	anywhere := false
	for _, h := range slices.Clone(f.found[from:]) {
		switch {
		case h.Kind != kindWrites || h.Option == optionDynamic:
		case h.Argument == "":
			anywhere = true
		default:
			f.changeParts(h.Argument, changedPath{index: h.Index, marked: true})
		}
	}
	if anywhere {
		f.applyChange(changeRule{ChangedFiles: &programs.ChangedFiles{Words: true, Below: programs.BelowSome}, args: args, words: words, base: base})
	}
}

// applyChange records the files to which one change of the catalog applies.
func (f *finder) applyChange(c changeRule) {
	if !c.applies() {
		return
	}
	c.exclude = c.exclusions()
	switch {
	case c.WorkingDirectory:
		f.checkChange(f.workDir, changedPath{text: ".", index: c.base - 1, below: c.Below, exclude: c.exclude, marked: true})
	case c.Words:
		for i, word := range c.words {
			f.changeParts(word, changedPath{index: c.base + i, below: c.Below, exclude: c.exclude, marked: true})
		}
	case len(c.ValueOf) > 0:
		for _, g := range c.args.Options {
			if g.HasValue && slices.Contains(c.ValueOf, g.Name) && hasPrefixIn(g.Value, c.BeginsWith) {
				f.in(f.startDir, func() { f.changeNamed(c, g.Value, g.Index) })
			}
		}
	default:
		first := slices.IndexFunc(c.args.Operands, func(o argv.Operand) bool { return maySplit(o.Text) })
		for i, o := range c.args.Operands {
			if c.counts(i, first) && hasPrefixIn(o.Text, c.BeginsWith) {
				for _, dir := range f.entered {
					f.in(dir, func() { f.changeNamed(c, o.Text, o.Index) })
				}
			}
		}
	}
}

// changeNamed records the files that one word names.
func (f *finder) changeNamed(c changeRule, text string, index int) {
	changed := changedPath{text: text, index: index, below: c.Below, exclude: c.exclude}
	switch {
	case c.BaseName:
		known, _, _ := strings.Cut(strings.TrimRight(text, "/"), "?")
		f.checkChange(f.absolute("./"+strings.TrimSuffix(path.Base(known), ".git")), changed)
	case c.Pathspecs:
		f.checkChange(f.absolute(pathspec(text)), changed)
	default:
		f.checkChange(f.absolute(text), changed)
		for _, name := range c.DecompressedNames(text, c.args.ValuesOf(c.EndingOf)) {
			f.checkChange(f.absolute(name), changed)
		}
		changed.marked = true
		f.changeParts(text, changed)
		if c.Into || c.Onto {
			f.changeInto(c, f.absolute(text), changed)
		}
	}
}

// changeParts records the files that a word names as a whole or in a part.
func (f *finder) changeParts(text string, changed changedPath) {
	changed.text = text
	for part := range parts(text) {
		f.checkChange(f.absolute(part), changed)
	}
}

// changeInto records the files that the operands become in a directory or under another name.
func (f *finder) changeInto(c changeRule, target string, changed changedPath) {
	if target == "" {
		return
	}
	inside := !c.Onto && (len(c.ValueOf) > 0 || f.around.Host.Kind(target) == host.KindDirectory)
	for _, o := range c.args.Operands {
		source := f.absolute(o.Text)
		if o.Index == changed.index || source == "" || strings.Contains(o.Text, argv.Unknown) {
			continue
		}
		become := target
		if name := path.Base(o.Text); inside && name != "." && name != ".." {
			become = path.Join(target, name)
		}
		if c.Links {
			changed.below = ""
			f.checkChange(become, changed)
			continue
		}
		f.changeMoved(source, become, changed)
		if strings.HasSuffix(o.Text, "/") {
			f.changeMoved(source, target, changed) // to some programs, this means the contents of the directory
		}
	}
}

// changeMoved records the denied files that a file or the contents of a directory would become.
func (f *finder) changeMoved(source, target string, changed changedPath) {
	changed.below = ""
	f.checkChange(target, changed)
	if f.around.Host.Kind(source) != host.KindDirectory {
		return
	}
	found := f.around.WriteLists.ScanMoved(source, target)
	for _, file := range slices.Concat(found.Files, found.Directories) {
		f.addWrite(OptionDenied, path.Join(target, strings.TrimPrefix(file, source)), changed)
	}
	if found.LimitReached || found.Incomplete {
		f.addWrite(OptionUnseen, target, changed)
	}
}

// checkChange records a hazard if the lists of the policy forbid changing a path, or what happens to the
// contents of a directory.
func (f *finder) checkChange(full string, c changedPath) {
	if full == "" {
		if f.workDir == "" && c.text != "" && c.text[0] != '-' && !strings.Contains(c.text, argv.Unknown) {
			f.addWrite(OptionUnsure, "", c) // a relative path, and the directory is unknown
		}
		return
	}
	full = path.Clean(full)
	if file, denied := f.around.WriteLists.DeniedPath(full); denied {
		option := OptionDenied
		if c.unsure {
			option = OptionUnsure
		}
		f.addWrite(option, file, c)
		return
	}
	if strings.Contains(c.text, argv.Unknown) && !strings.HasSuffix(c.text, argv.Tilde) {
		return // which file it is, is decided at run time
	}
	if c.below != "" {
		f.checkContents(full, c)
	}
	if !c.marked && !c.unsure && c.below != programs.BelowSome && !f.around.WriteLists.Permits(full) && !f.isMarked(full, c) {
		f.addWrite(OptionUnlisted, full, c)
	}
}

// isMarked reports whether a hazard of kind writes names this file, so that it is compared with the allow
// lists. A hazard of another option in the same word does not, as -c in tar -cf FILE.
func (f *finder) isMarked(full string, c changedPath) bool {
	return slices.ContainsFunc(f.found, func(h gavel.Hazard) bool {
		return h.Kind == kindWrites && h.Index == c.index && (h.Argument == c.text || h.Real == full)
	})
}

// checkContents records the denied files in a directory that is changed as a whole.
func (f *finder) checkContents(full string, c changedPath) {
	var found treescan.Result
	switch f.around.Host.Kind(full) {
	case host.KindFile, host.KindMissing:
		return
	case host.KindDirectory:
		found = f.around.WriteLists.Scan(full, c.exclude, false)
	default:
		found.Incomplete = true
	}
	for option, files := range map[string][]string{OptionBelow: found.Files, optionInside: found.Directories} {
		if c.below == programs.BelowSome {
			option = OptionUnsure
		}
		for _, file := range files {
			f.addWrite(option, file, c)
		}
	}
	if found.LimitReached {
		f.addWrite(OptionBound, full, c)
	}
	if found.Incomplete {
		f.addWrite(OptionUnseen, full, c)
	}
}

// addWrite records a hazard of kind writes with its file.
func (f *finder) addWrite(option, file string, c changedPath) {
	f.add(kindWrites, option, c.text, c.index)
	f.found[len(f.found)-1].Real = file
}

// checkUnknownProgram records the files that a word of a program without a description may name.
func (f *finder) checkUnknownProgram(text string, index int) {
	if f.around.WriteLists != nil {
		f.changeParts(text, changedPath{index: index, unsure: true, marked: true})
	}
}

// IsListedPath reports whether the file of a hazard is a path as a list has it, so that links in it are not
// followed again.
func IsListedPath(h *gavel.Hazard) bool {
	switch h.Option {
	case OptionDenied, OptionBelow, optionInside, OptionUnsure, OptionBound, OptionUnseen:
		return h.Kind == kindWrites
	}
	return false
}
