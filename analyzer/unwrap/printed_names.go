package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// namesPrintedBy returns the names that a command of a script prints, perhaps through filters; nil if it prints
// anything else, or if that is unknown.
func (u *unwrapper) namesPrintedBy(s *shell.Script, at int, from call) *nameSource {
	c := &s.Commands[at]
	if c.Function || slices.ContainsFunc(c.Words, func(w shell.Word) bool { return w.Dynamic }) {
		return nil
	}
	argv, dir := shell.Texts(c.Words), u.directoryOf(c.Dir, from.dir)
	executable, ok := u.executableByName(argv[0], dir)
	if !ok {
		return nil
	}
	var y *nameSource
	if e := u.Wrappers.embeds[executable.Name]; e != nil {
		y = namesOfFind(e, argv)
	} else if t := u.Wrappers.tracking[executable.Name]; t != nil {
		y = u.namesOfRepository(t, argv, executable, dir)
	} else if k := u.Wrappers.filters[executable.Name]; k != nil && c.Source > 0 && u.filtersLines(k, argv, executable, dir) {
		if y = u.namesPrintedBy(s, c.Source-1, from); y != nil && y.zeros {
			return nil // filters read lines
		}
		return y
	}
	if y != nil {
		y.command, y.dir = strings.Join(argv, " "), dir
	}
	return y
}

// executableByName returns the program that a word names, if the file behind it has the same name and is not
// in the workspace, where a name means nothing.
func (u *unwrapper) executableByName(word, dir string) (gavel.Executable, bool) {
	if strings.Contains(word, "/") && !path.IsAbs(word) {
		return gavel.Executable{}, false
	}
	program, found := u.Resolve(word, dir)
	e, opaque := u.executableNamed(word, program, found)
	here := u.Facts.Workspace != "" && host.Within(e.Real, u.Facts.Workspace)
	return e, found && opaque == "" && e.Name == e.RealName && !here
}

// namesOfFind returns the names that a find without a command prints; nil if it prints anything else.
func namesOfFind(e *programs.Embeds, argv []string) *nameSource {
	last := argv[len(argv)-1]
	zeros := last == "-print0"
	if zeros || last == "-print" {
		argv = argv[:len(argv)-1]
	}
	y, ok := sourceBefore(e, argv)
	if !ok || !onlyTests(e, argv) {
		return nil
	}
	y.zeros = zeros
	return &y
}

// onlyTests reports whether the words of find are starting points and tests only, so that it prints each
// name that it finds.
func onlyTests(e *programs.Embeds, argv []string) bool {
	for i := 1; i < len(argv); i++ {
		switch word := argv[i]; {
		case slices.Contains([]string{"-name", "-iname", "-path", "-ipath", "-type", "-maxdepth", "-mindepth", "-size", "-mtime", "-newermt", "-mmin"}, word):
			if i++; i == len(argv) {
				return false
			}
		case strings.HasPrefix(word, "-") && !slices.Contains([]string{"-not", "-o", "-or", "-a", "-and", "-empty"}, word):
			return false
		}
	}
	return true
}

// namesOfRepository returns the names of tracked files that a program prints, relative to its working
// directory; nil if it prints anything else.
func (u *unwrapper) namesOfRepository(t *programs.ListsTrackedFiles, argv []string, executable gavel.Executable, dir string) *nameSource {
	line := u.Hazards.Line([][]string{argv}, executable, dir)
	repository := u.PathEffects.repositories[executable.Name]
	if repository != nil && changedBy(t.Changed, &line) {
		zeros := slices.ContainsFunc(line.Options, func(o gavel.GivenOption) bool { return hasName(o, t.NULTerminatedWith) })
		return &nameSource{tracked: t, repository: repository, top: true, zeros: zeros}
	}
	if repository == nil || !slices.Equal(line.Commands, []string{t.Subcommand}) || line.OptionsKnown != exact || !onlyOptions(line.Options, t.Options) {
		return nil
	}
	var patterns []string
	for _, item := range line.Operands {
		patterns = append(patterns, item.Text)
		if item.Dynamic || item.Text == "" || strings.ContainsRune(":/~", rune(item.Text[0])) || slices.Contains(strings.Split(item.Text, "/"), "..") {
			return nil // it may print names outside the working directory
		}
	}
	zeros := slices.ContainsFunc(line.Options, func(o gavel.GivenOption) bool { return hasName(o, t.NULTerminatedWith) })
	return &nameSource{tracked: t, repository: repository, patterns: patterns, zeros: zeros}
}

// changedBy reports whether a program prints names of tracked files that differ from what is tracked.
func changedBy(c *programs.ListsChangedFiles, line *hazard.Line) bool {
	return c != nil && slices.Equal(line.Commands, []string{c.Subcommand}) && line.OptionsKnown == exact && onlyOptions(line.Options, c.Options) &&
		len(line.Operands) == 0 && slices.ContainsFunc(line.Options, func(o gavel.GivenOption) bool { return hasName(o, c.RequiresOneOf) })
}

// filtersLines reports whether a filter prints only whole lines of its standard input.
func (u *unwrapper) filtersLines(k *programs.FiltersLines, argv []string, executable gavel.Executable, dir string) bool {
	for _, word := range argv[1:] {
		if number, dash := strings.CutPrefix(word, "-"); dash && number != "" && spelling.Digits(number[:1]) && !(k.Numbers && spelling.Digits(number)) {
			return false
		}
	}
	line := u.Hazards.Line([][]string{argv}, executable, dir)
	want, last := k.Operands, 0
	for _, o := range line.Options {
		if last = o.Index; hasName(o, k.InsteadOfOperands) {
			want = 0
		}
	}
	if line.OptionsKnown != exact || !onlyOptions(line.Options, k.Options) || len(line.Operands) != want {
		return false
	}
	// Some programs read an option after an operand as a file.
	return want == 0 || line.Operands[0].Index > last
}

// exact says that the options of a line are certain; [gavel.Segment] describes it.
const exact = "exact"

// onlyOptions reports whether each option is one of these, and certain.
func onlyOptions(list []gavel.GivenOption, known []string) bool {
	return !slices.ContainsFunc(list, func(o gavel.GivenOption) bool { return o.Dynamic || !o.Known || !hasName(o, known) })
}

func hasName(o gavel.GivenOption, names []string) bool {
	return slices.ContainsFunc(o.Names, func(name string) bool { return slices.Contains(names, name) })
}

// throughXargs returns the names as xargs passes them to its command; nil if its options may make it read
// its input differently. own are the words of xargs itself.
func (y *nameSource) throughXargs(executable gavel.Executable, own []string) *nameSource {
	if y == nil || executable.Name != "xargs" || executable.RealName != "xargs" || len(own) == 0 {
		return nil
	}
	zeros, counted, marker := false, false, ""
	for i := 1; i < len(own); i++ {
		switch word := own[i]; word {
		case "-0", "--null", "-0r", "-r0":
			zeros = true
		case "-r", "-t", "--no-run-if-empty":
		case "-I":
			if i++; i == len(own) {
				return nil
			}
			marker = own[i]
		case "-n", "-P", "-L":
			counted = counted || word != "-P"
			if i++; i == len(own) || !spelling.Digits(own[i]) {
				return nil
			}
		default:
			letter, number := word[:min(2, len(word))], word[min(2, len(word)):]
			if letter == "-I" && number != "" {
				marker = number
				break
			}
			counted = counted || letter != "-P"
			if !slices.Contains([]string{"-n", "-P", "-L"}, letter) || !spelling.Digits(number) {
				return nil
			}
		}
	}
	if zeros != y.zeros || marker != "" && counted {
		return nil // the later of these options wins
	}
	given := *y
	given.piped, given.marker = true, marker
	return &given
}

// outputAt returns the index of the only word that is the output of a command, or 0.
func outputAt(words []shell.Word) (at int) {
	for i := range words {
		if words[i].Output > 0 {
			if at > 0 || i == 0 {
				return 0
			}
			at = i
		}
	}
	return at
}

// asSubstitution returns the names as a command substitution at an index turns them into words; nil if zero
// bytes separate them, which shells drop.
func (y *nameSource) asSubstitution(at int) *nameSource {
	if y == nil || y.zeros {
		return nil
	}
	given := *y
	given.at = at
	return &given
}
