package unwrap

import (
	"maps"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/archive"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
)

// The names of hazards of unpackedArchive an archive, of kind writes.
const (
	optionMember   = "member"   // a member is or may be created outside the workspace
	optionContents = "contents" // its members could not be examined
)

// maxDirectories limits how many directories of an archive are examined.
const maxDirectories = 1024

// checkUnpacked records what unpacking the archives of a segment would create. Protected files are touches;
// files outside the workspace are hazards, and so is an archive that cannot be read.
func (u *unwrapper) checkUnpacked(c call, s *gavel.Segment, readings [][]string) {
	how := u.Hazards.Unpacks(s.Executable)
	if how == nil || u.Facts.Claimed {
		return
	}
	line := u.Hazards.Line(readings, s.Executable, c.dir) // the line of the segment may be empty
	if len(how.With) > 0 && !hasOption(line, how.With) || hasOption(line, how.Unless) {
		return
	}
	archives := archivesOf(how, line)
	if len(archives) == 0 {
		archives = []gavel.GivenOperand{{Dynamic: true}} // the archive is unknown
	}
	dir, known := u.unpacksInto(how, line, c.dir)
	read := known && !hasOption(line, how.Renames)
	for _, word := range archives {
		m := extraction{unwrapper: u, how: how, line: line, s: s, dir: dir, archive: word, directories: map[string]string{}, symlinks: map[string]bool{}, extracted: map[string]bool{}, reported: map[string]bool{}}
		file, list, ok := u.members(c, word, how, formOf(how, line))
		if read = read && ok; !read {
			m.hazard(optionContents)
			continue
		}
		for _, member := range list {
			if member.Soft || member.Link != "" { // a member below it would be created elsewhere
				for _, name := range m.names(member.Name) {
					m.symlinks[path.Join(m.dir, name)] = true
				}
			}
		}
		for _, member := range list {
			m.extract(member)
		}
		done := unpackedArchive{segment: len(u.list) - 1, archive: word, file: file, links: slices.Collect(maps.Keys(m.symlinks))}
		for _, member := range list {
			if u.PathEffects.ignoring[path.Base(member.Name)] {
				done.ignoring = append(done.ignoring, m.dir)
			}
			done.settings = done.settings || u.PathEffects.settings[path.Base(member.Name)]
		}
		u.unpacks = append(u.unpacks, done)
	}
	if read { // it is known which files of the directory change
		s.Hazards = slices.DeleteFunc(s.Hazards, func(h gavel.Hazard) bool { return h.Kind == "writes" && h.Index == 0 && h.Argument == "." })
	}
}

// unpackedArchive is an archive that was read, and the segment that unpacks it.
type unpackedArchive struct {
	segment int
	archive gavel.GivenOperand
	file    string // its real path
	// links are the links that it creates. ignoring are the directories below which it changes what
	// searches leave out.
	links, ignoring []string
	settings        bool // it has a file with settings of programs
}

// checkUnpackedLater adds a hazard for each archive that another command or a redirection may change
// before it is unpacked.
func (u *unwrapper) checkUnpackedLater() {
	for _, unpacked := range u.unpacks {
		s := &u.list[unpacked.segment]
		written := slices.ContainsFunc(u.files, func(f gavel.Redirect) bool {
			real, ok := u.Host.Resolve(f.Path)
			return f.Writes && u.Hazards.Stores(f.Target) && (f.Path == "" || !ok || real == unpacked.file)
		})
		if s.After || written {
			(&extraction{unwrapper: u, s: s, archive: unpacked.archive}).hazard(optionContents)
		}
	}
}

// unpacksInto returns the directory in which a program creates the members of an archive. It is not known if
// several words name one, or if a shell expands the word.
func (u *unwrapper) unpacksInto(how *programs.Unpacks, line hazard.Line, start string) (dir string, known bool) {
	given := []gavel.GivenOperand{}
	for _, o := range line.Options {
		if slices.Contains(how.Into, o.Name) {
			given = append(given, gavel.GivenOperand{Text: o.Value, Dynamic: o.Dynamic || !o.HasValue})
		}
	}
	for i, o := range line.Operands {
		switch {
		case !how.IntoMayFollow || i == 0 || !o.Dynamic && !strings.HasPrefix(o.Text, "-"):
		case i+1 < len(line.Operands) && !o.Dynamic && slices.Contains(how.Into, o.Text):
			given = append(given, line.Operands[i+1])
		default:
			return "", false
		}
	}
	switch {
	case len(given) == 0:
		return start, true
	case len(given) > 1 || given[0].Dynamic || given[0].Text == "":
		return "", false
	}
	dir = u.Absolute(given[0].Text, start)
	return dir, dir != ""
}

// hasOption reports whether a line has one of these options.
func hasOption(line hazard.Line, names []string) bool {
	return slices.ContainsFunc(line.Options, func(o gavel.GivenOption) bool { return slices.Contains(names, o.Name) })
}

// archivesOf returns the words that name archives.
func archivesOf(how *programs.Unpacks, line hazard.Line) (list []gavel.GivenOperand) {
	for _, o := range line.Options {
		if slices.Contains(how.Archive, o.Name) {
			list = append(list, gavel.GivenOperand{Text: o.Value, Dynamic: o.Dynamic || !o.HasValue, Index: o.Index})
		}
	}
	if len(how.Archive) == 0 && len(line.Operands) > 0 {
		first := line.Operands[0]
		first.Dynamic = first.Dynamic || how.Patterns && strings.ContainsAny(first.Text, `*?[\`)
		list = append(list, first)
	}
	return list
}

// formOf returns the form in which a program reads an archive, or "" if it is unknown.
func formOf(how *programs.Unpacks, line hazard.Line) archive.Form {
	forms := []archive.Form{}
	for form, names := range map[archive.Form][]string{archive.FormGzip: how.Gzip, archive.FormBzip2: how.Bzip2, "": how.Packed} {
		if hasOption(line, names) {
			forms = append(forms, form)
		}
	}
	switch {
	case how.Zip:
		return archive.FormZip
	case len(forms) == 0:
		return archive.FormTar
	case len(forms) == 1:
		return forms[0]
	default:
		return ""
	}
}

// members returns the real path of an archive and its members. It is not ok if the archive cannot be
// read.
func (u *unwrapper) members(c call, o gavel.GivenOperand, how *programs.Unpacks, form archive.Form) (real string, list []archive.Member, ok bool) {
	full := u.Absolute(o.Text, c.dir)
	if o.Dynamic || full == "" || c.dir == "" {
		return "", nil, false
	}
	for _, ending := range append([]string{""}, how.Endings...) {
		if u.Host.Kind(full+ending) != host.KindFile {
			continue
		}
		real, known := u.Host.Resolve(full + ending)
		text, read := u.Host.Text(real, archive.MaxBytes)
		list, ok = archive.Members(text, form)
		return real, list, known && read && ok
	}
	return "", nil, false
}

// extraction records what unpacking one archive does.
type extraction struct {
	*unwrapper
	how         *programs.Unpacks
	line        hazard.Line
	s           *gavel.Segment
	dir         string
	archive     gavel.GivenOperand
	directories map[string]string // the real path of each directory by its path; "" if it is unknown
	symlinks    map[string]bool   // the paths of the symbolic links among the members
	extracted   map[string]bool   // the members so far by name; true for files and hard links
	reported    map[string]bool   // the options of hazards that were reported
}

// hazard adds a hazard of the archive, unless the segment has it.
func (m *extraction) hazard(option string) {
	m.s.Hazards = addHazard(m.s.Hazards, gavel.Hazard{Kind: "writes", Option: option, Argument: m.archive.Text, Index: m.archive.Index})
}

// extract records what extracting a member creates, under every name that the program may give it.
func (m *extraction) extract(member archive.Member) {
	name := strings.TrimLeft(member.Name, "/")
	if host.Climbs(name) || host.Climbs(member.Link) || strings.ContainsAny(name, "\\\x00") || len(m.directories) > maxDirectories {
		m.hazard(optionMember)
		return
	}
	names := m.names(name)
	for _, name := range names {
		m.extractFile(name, len(names) == 1 && !m.maySelect())
	}
	if member.Link != "" {
		m.extractHardLink(member.Link)
	}
	m.extracted[path.Clean(name)] = !member.Soft
}

// extractHardLink records what a hard link may touch: through it, the file that it leads to can be read and
// changed. Only a file that the same archive has created is known to have nothing but its content.
func (m *extraction) extractHardLink(link string) {
	link = strings.TrimLeft(link, "/")
	if !m.extracted[path.Clean(link)] {
		m.hazard(optionMember)
	}
	for _, name := range m.names(link) {
		m.extractFile(name, false)
		real, known := m.Host.Resolve(path.Join(m.dir, name))
		if h, ok := m.Paths.TargetHazard(real, m.Surroundings("")); known && ok {
			h.Argument, h.Index = m.archive.Text, m.archive.Index
			m.s.Hazards = addHazard(m.s.Hazards, h)
		}
	}
}

// maySelect reports whether other words of the command may select which members are extracted.
func (m *extraction) maySelect() bool {
	return len(m.line.Operands) > 1 || len(m.how.Archive) > 0 && len(m.line.Operands) > 0
}

// names returns the names that the program may give a member. Programs differ in how they count the
// leading directories that an option removes.
func (m *extraction) names(name string) []string {
	parts := strings.Split(path.Clean(strings.TrimLeft(name, "/")), "/")
	switch {
	case hasOption(m.line, m.how.Flat):
		return parts[len(parts)-1:]
	case !hasOption(m.line, m.how.Strip):
		return []string{name}
	}
	names := []string{name}
	for i := 1; i < len(parts); i++ {
		names = append(names, strings.Join(parts[i:], "/"))
	}
	return names
}

// extractFile records what creating one file touches, and what the lists of files to write say about it.
// sure means that the program creates it under exactly this name.
func (m *extraction) extractFile(name string, sure bool) {
	clean := path.Join(m.dir, name)
	above := path.Dir(clean)
	if name == "" || clean == path.Clean(m.dir) {
		return
	}
	root, known := m.directories[above]
	if !known {
		if real, ok := m.Host.Resolve(above); ok {
			root = real
		}
		m.directories[above] = root
	}
	if root == "" || !m.inWorkspace(root) || m.throughLink(above) {
		m.hazard(optionMember)
		return
	}
	made := path.Join(root, path.Base(clean))
	m.checkLists(made, sure, strings.HasSuffix(name, "/"))
	as := gavel.Touch{Access: "write", Given: name, Program: m.s.Executable.Name}
	if t, ok := m.TouchAt(clean, made, true, as); ok && !t.Holds {
		m.add(t)
	}
}

// checkLists reports a file that is created, if a deny list names it or an allow list does not.
func (m *extraction) checkLists(made string, sure, directory bool) {
	option := hazard.OptionUnsure
	if sure {
		option = hazard.OptionBelow
	}
	switch denied, listed := m.WriteLists.CheckCreated(made); {
	case denied:
		m.report(option, made)
	case !listed && !directory:
		m.report(hazard.OptionUnlisted, made)
	}
}

// report adds a hazard for a file, the first of each option only.
func (m *extraction) report(option, real string) {
	if m.reported[option] {
		return
	}
	m.reported[option] = true
	m.s.Hazards = append(m.s.Hazards, gavel.Hazard{Kind: "writes", Option: option, Argument: m.archive.Text, Index: m.archive.Index, Real: real})
}

// inWorkspace reports whether a real path is in the workspace.
func (m *extraction) inWorkspace(real string) bool {
	return m.Facts.Workspace != "" && host.Within(real, m.Facts.Workspace)
}

// throughLink reports whether a directory is, or is below, a symbolic link of the archive.
func (m *extraction) throughLink(dir string) bool {
	for len(m.symlinks) > 0 && dir != "/" && dir != "." {
		if m.symlinks[dir] {
			return true
		}
		dir = path.Dir(dir)
	}
	return false
}
