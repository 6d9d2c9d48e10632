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

// The names of hazards of files that a program changes. Denied, below, inside, bound and unseen are
// as for reads.
const (
	// OptionUnsure is a file on a deny list that the program may change; nobody knows whether it does.
	OptionUnsure = "unsure"
	// OptionUnlisted is a file that is changed and that an allow list does not name.
	OptionUnlisted = "unlisted"
	kindWrites     = "writes"
)

// change is one path that a command may change.
type change struct {
	text   string // the word
	index  int
	below  string              // what happens to what is in it, as in the catalog
	out    treescan.Exclusions // of that
	unsure bool                // it may be read only
	marked bool                // the allow lists are applied to another hazard of the word
}

// changes records which of the files that a command changes are on a list. words are the words of the
// program or sub-command, and from is the first of the hazards that were found in them.
func (f *finder) changes(v *Vocabulary, args argv.Reading, words []string, base, from int) {
	if f.at.WriteLists == nil {
		return
	}
	f.values(v, args)
	if v.changes == nil {
		f.marked(args, words, base, from)
	}
	for i := range v.changes {
		f.changing(changing{ChangedFiles: &v.changes[i], args: args, words: words, base: base})
	}
}

// values records the files that options say which write.
func (f *finder) values(v *Vocabulary, args argv.Reading) {
	for _, g := range args.Options {
		if g.Kind != kindWrites || !g.HasValue || f.harmless[g.Value] {
			continue
		}
		one := change{index: g.Index, marked: true}
		f.before(func() { f.parts(g.Value, one) })
		if f.in != f.was && !slices.Contains(v.worksIn, g.Name) {
			f.parts(g.Value, one)
		}
	}
}

// before does something where the program was before its options said where it works.
func (f *finder) before(do func()) {
	in := f.in
	f.in = f.was
	do()
	f.in = in
}

// marked takes the files from the hazards that write. If one of them does not say which file, each
// word may be it.
func (f *finder) marked(args argv.Reading, words []string, base, from int) {
	anywhere := false
	for _, h := range slices.Clone(f.found[from:]) {
		switch {
		case h.Kind != kindWrites || h.Option == optionDynamic:
		case h.Argument == "":
			anywhere = true
		default:
			f.parts(h.Argument, change{index: h.Index, marked: true})
		}
	}
	if anywhere {
		f.changing(changing{ChangedFiles: &programs.ChangedFiles{Words: true, Below: programs.BelowSome}, args: args, words: words, base: base})
	}
}

// changing records the files that one line of the catalog is about.
func (f *finder) changing(c changing) {
	if !c.applies() {
		return
	}
	c.out = c.leftOut()
	switch {
	case c.Here:
		f.change(f.in, change{text: ".", index: c.base - 1, below: c.Below, out: c.out, marked: true})
	case c.Words:
		for i, word := range c.words {
			f.parts(word, change{index: c.base + i, below: c.Below, out: c.out, marked: true})
		}
	case len(c.ValueOf) > 0:
		for _, g := range c.args.Options {
			if g.HasValue && slices.Contains(c.ValueOf, g.Name) && begins(g.Value, c.BeginsWith) {
				f.before(func() { f.named(c, g.Value, g.Index) })
			}
		}
	default:
		first := slices.IndexFunc(c.args.Operands, func(o argv.Operand) bool { return several(o.Text) })
		for i, o := range c.args.Operands {
			if c.counts(i, first) && begins(o.Text, c.BeginsWith) {
				f.named(c, o.Text, o.Index)
			}
		}
	}
}

// named records the files that one word names.
func (f *finder) named(c changing, text string, index int) {
	one := change{text: text, index: index, below: c.Below, out: c.out}
	switch {
	case c.Named:
		known, _, _ := strings.Cut(strings.TrimRight(text, "/"), "?")
		f.change(f.file("./"+strings.TrimSuffix(path.Base(known), ".git")), one)
	case c.Pathspecs:
		f.change(f.file(pathspec(text)), one)
	default:
		f.change(f.file(text), one)
		one.marked = true
		f.parts(text, one)
		if c.Into || c.Onto {
			f.into(c, f.file(text), one)
		}
	}
}

// parts records the files that a word names as a whole or in a part.
func (f *finder) parts(text string, one change) {
	one.text = text
	for part := range parts(text) {
		f.change(f.file(part), one)
	}
}

// into records the files that the operands become in a directory, or as another file.
func (f *finder) into(c changing, target string, one change) {
	if target == "" {
		return
	}
	inside := !c.Onto && (len(c.ValueOf) > 0 || f.at.Host.Kind(target) == host.KindDirectory)
	for _, o := range c.args.Operands {
		source := f.file(o.Text)
		if o.Index == one.index || source == "" || strings.Contains(o.Text, argv.Unknown) {
			continue
		}
		become := target
		if name := path.Base(o.Text); inside && name != "." && name != ".." {
			become = path.Join(target, name)
		}
		if c.Links {
			one.below = ""
			f.change(become, one)
			continue
		}
		f.lands(source, become, one)
		if strings.HasSuffix(o.Text, "/") {
			f.lands(source, target, one) // to some programs this means the files in it
		}
	}
}

// lands records the denied files that a file, and what is in a directory, would become.
func (f *finder) lands(source, target string, one change) {
	one.below = ""
	f.change(target, one)
	if f.at.Host.Kind(source) != host.KindDirectory {
		return
	}
	found := f.at.WriteLists.ScanMoved(source, target)
	for _, file := range slices.Concat(found.Files, found.Directories) {
		f.write(OptionDenied, path.Join(target, strings.TrimPrefix(file, source)), one)
	}
	if found.LimitReached || found.Incomplete {
		f.write(OptionUnseen, target, one)
	}
}

// file is the path that a text is, as far as it is known; "" if it is unknown.
func (f *finder) file(text string) string {
	if text == "" || len(text) > host.MaxPath {
		return ""
	}
	at := f.at
	at.Dir = f.in
	return f.places.full(text, at)
}

// move goes to the directory that options say.
func (f *finder) move(v *Vocabulary, args argv.Reading) {
	f.was = f.in
	for _, g := range args.Options {
		if g.HasValue && (g.Kind == "directory" || slices.Contains(v.worksIn, g.Name)) {
			f.in = f.file(g.Value)
		}
	}
}

// change records a hazard if lists speak against changing a path, or against what happens to a
// directory.
func (f *finder) change(full string, c change) {
	if full == "" {
		if f.in == "" && c.text != "" && c.text[0] != '-' && !strings.Contains(c.text, argv.Unknown) {
			f.write(OptionUnsure, "", c) // a relative path, and the directory is unknown
		}
		return
	}
	full = path.Clean(full)
	if file, denied := f.at.WriteLists.DeniedPath(full); denied {
		option := OptionDenied
		if c.unsure {
			option = OptionUnsure
		}
		f.write(option, file, c)
		return
	}
	if strings.Contains(c.text, argv.Unknown) && !strings.HasSuffix(c.text, argv.Tilde) {
		return // which file it is, is decided at run time
	}
	if c.below != "" {
		f.contents(full, c)
	}
	if !c.marked && !c.unsure && c.below != programs.BelowSome && !f.at.WriteLists.Permits(full) && !f.marks(full, c) {
		f.write(OptionUnlisted, full, c)
	}
}

// marks reports whether a hazard that writes says which file it is, so that the allow lists are
// applied to it. One of another option in the word says nothing about the file, as -c of tar -cf FILE.
func (f *finder) marks(full string, c change) bool {
	return slices.ContainsFunc(f.found, func(h gavel.Hazard) bool {
		return h.Kind == kindWrites && h.Index == c.index && (h.Argument == c.text || h.Real == full)
	})
}

// contents records the denied files in a directory.
func (f *finder) contents(full string, c change) {
	var found treescan.Result
	switch f.at.Host.Kind(full) {
	case host.KindFile, host.KindMissing:
		return
	case host.KindDirectory:
		found = f.at.WriteLists.Scan(full, c.out, false)
	default:
		found.Incomplete = true
	}
	for option, files := range map[string][]string{OptionBelow: found.Files, optionInside: found.Directories} {
		if c.below == programs.BelowSome {
			option = OptionUnsure
		}
		for _, file := range files {
			f.write(option, file, c)
		}
	}
	if found.LimitReached {
		f.write(OptionBound, full, c)
	}
	if found.Incomplete {
		f.write(OptionUnseen, full, c)
	}
}

func (f *finder) write(option, file string, c change) {
	f.add(kindWrites, option, c.text, c.index)
	f.found[len(f.found)-1].Real = file
}

// unsure records the files that a program without a description is given.
func (f *finder) unsure(text string, index int) {
	if f.at.WriteLists != nil {
		f.parts(text, change{index: index, unsure: true, marked: true})
	}
}

// Placed reports whether the file of a hazard is the path that a list names, which is not followed
// further.
func Placed(h *gavel.Hazard) bool {
	switch h.Option {
	case OptionDenied, OptionBelow, optionInside, OptionUnsure, OptionBound, OptionUnseen:
		return h.Kind == kindWrites
	}
	return false
}
