package hazard

import (
	"path"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/tracked"
	"gavel/analyzer/treescan"
)

// Some commands take files into a repository that it does not track yet, as git add does. What they take
// in can be read from the repository, so they read it.

// checkUntracked finds denied files that a command takes into the repository that it works in.
func (f *finder) checkUntracked(v *Vocabulary, args argv.Reading, at int) {
	out, top, ok := f.untracked(v, args)
	if !ok {
		f.add("reads", OptionUnseen, "", at)
		return
	}
	texts := args.Operands
	if len(texts) == 0 || v.walks.Untracked.Whole {
		texts = []argv.Operand{{Text: "", Index: at}}
	}
	for _, o := range texts {
		from, patterns := f.takenIn(o.Text, top)
		if from == "" {
			continue
		}
		one := *out.Repository
		one.Patterns = patterns
		limited := out
		limited.Repository = &one
		f.addFound(f.around.Scanner.Scan(from, limited, false), o.Text, o.Index)
	}
	for _, name := range v.walks.Untracked.Lists {
		if args.Has([]string{name}) { // the operands are in a file
			f.addFound(f.around.Scanner.Scan(top, out, false), "", at)
		}
	}
}

// untracked returns what a command leaves out that takes in untracked files, and the top of the working
// tree. It is not ok if that is unknown.
func (f *finder) untracked(v *Vocabulary, args argv.Reading) (out treescan.Exclusions, top string, ok bool) {
	dir, known := f.around.Host.Resolve(f.workDir)
	if f.workDir == "" || !known || f.around.Host.Kind(dir) != host.KindDirectory {
		return out, "", false
	}
	return untrackedIn(v, f.around.Host, dir, !args.Has(v.walks.IgnoredWith))
}

// untrackedIn is untracked for a directory, given by its real path. Without a repository, one may be made
// in the directory.
func untrackedIn(v *Vocabulary, h *host.Limited, dir string, ignored bool) (out treescan.Exclusions, top string, ok bool) {
	in := tracked.Repositories{Host: h, Kind: v.repository, Files: v.tracked}
	top, ok = in.Top(dir)
	if !ok {
		return out, "", false
	}
	if top == "" {
		top = dir
	}
	files := func() map[string]bool {
		set := map[string]bool{}
		names, _ := in.NamesOfAnyTree(top)
		for _, name := range names {
			set[name] = true
		}
		return set
	}
	own := treescan.Repository{Top: top, Own: v.repository.Own, IgnoreFile: in.IgnoreFile(top), Tracked: files}
	return treescan.Exclusions{Ignored: ignored, InsideDenied: true, Repository: &own}, top, true
}

// takenIn returns the directory in which the files are that an operand names, and patterns of them relative
// to the top; "" if it names a single file, which is judged as a path.
func (f *finder) takenIn(text, top string) (from string, patterns []string) {
	if text == "" || strings.Contains(text, argv.Unknown) {
		return top, nil
	}
	full := f.absolute(text)
	if full != "" && text[0] != ':' {
		switch f.around.Host.Kind(path.Clean(full)) {
		case host.KindDirectory:
			return path.Clean(full), nil
		case host.KindFile:
			return "", nil
		}
	}
	dir, known := f.around.Host.Resolve(f.workDir)
	if !known || text[0] == ':' || text[0] == '/' || strings.Contains(text, "..") {
		return top, nil
	}
	return top, []string{strings.TrimPrefix(strings.TrimPrefix(dir, top)+"/", "/") + strings.TrimPrefix(text, "./")}
}

// TakesIn reports whether a command that takes untracked files into a repository may take in denied ones if
// nothing is ignored. The sub-commands are those of its line, and dir is where it runs, or "". known is false
// if it does not take in such files.
func (h *Table) TakesIn(program string, commands []string, dir string, at Surroundings) (may, known bool) {
	_, v := h.Program(program)
	root := v
	for _, name := range commands {
		v = v.subcommand(name)
	}
	if v == nil || root == nil || v.walks == nil || v.walks.Untracked == nil {
		return false, false
	}
	if at.Scanner == nil {
		return false, true
	}
	real, ok := at.Host.Resolve(dir)
	if dir == "" || !ok {
		return true, true
	}
	out, top, ok := untrackedIn(v, at.Host, real, false)
	if !ok {
		return true, true
	}
	found := at.Scanner.Scan(top, out, false)
	return found.LimitReached || found.Incomplete || len(found.Files)+len(found.Directories) > 0, true
}

// mayLeaveRepository reports whether a command may read the directories that are its operands, because it
// works in no repository, or one of the operands is outside its working tree.
func (f *finder) mayLeaveRepository(v *Vocabulary, args argv.Reading) bool {
	if len(args.Operands) < 2 {
		return false
	}
	dir, known := f.around.Host.Resolve(f.workDir)
	if f.workDir == "" || !known {
		return true
	}
	top, ok := (tracked.Repositories{Host: f.around.Host, Kind: v.repository, Files: v.tracked}).Top(dir)
	return !ok || top == "" || slices.ContainsFunc(args.Operands, func(o argv.Operand) bool {
		full := f.absolute(o.Text)
		if full == "" || strings.Contains(o.Text, argv.Unknown) {
			return len(args.Operands) == 2 // with more, they are not two files
		}
		real, known := f.around.Host.Resolve(full)
		return known && !host.Within(real, top) || !host.Within(path.Clean(full), top) && !host.Within(path.Clean(full), f.workDir)
	})
}

// scanKnown records the denied files in the directories among some operands. A word that is produced at run
// time may name any file, as for every program.
func (f *finder) scanKnown(operands []argv.Operand) {
	for _, o := range operands {
		if !strings.Contains(o.Text, argv.Unknown) {
			f.scan(o.Text, o.Index, treescan.Exclusions{}, false)
		}
	}
}

// setRepository tells those sub-commands that take in untracked files, or read what is outside, what is known
// of repositories.
func (v *Vocabulary) setRepository(e *programs.Entry) {
	for _, command := range v.subcommands {
		if command.walks != nil && (command.walks.Untracked != nil || command.walks.OutsideRepository != "") {
			command.repository, command.tracked = e.Repository, e.ListsTrackedFiles
		}
		command.setRepository(e)
	}
}
