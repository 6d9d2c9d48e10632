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

// The names of hazards of unpacking an archive, of kind writes.
const (
	optionMember   = "member"   // a member is or may be created outside the workspace
	optionContents = "contents" // its members could not be examined
)

// maxMade limits the directories of an archive that are examined.
const maxMade = 1024

// checkUnpacked records what the archives that a segment unpacks would create: protected files are touches,
// and files outside the workspace are hazards. So is an archive that cannot be read, or that an earlier
// command may have changed.
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
	read := !hasOption(line, how.Renames)
	for _, item := range archives {
		m := maker{unwrapper: u, how: how, line: line, s: s, dir: c.dir, archive: item, roots: map[string]string{}, soft: map[string]bool{}, made: map[string]bool{}, said: map[string]bool{}}
		file, list, ok := u.members(c, item, how, formOf(how, line))
		if read = read && ok; !read {
			m.hazard(optionContents)
			continue
		}
		for _, member := range list {
			if member.Soft || member.Link != "" { // what is made below it would be made elsewhere
				for _, name := range m.names(member.Name) {
					m.soft[path.Join(m.dir, name)] = true
				}
			}
		}
		for _, member := range list {
			m.make(member)
		}
		done := unpacking{segment: len(u.list) - 1, archive: item, file: file, links: slices.Collect(maps.Keys(m.soft))}
		for _, member := range list {
			if u.PathEffects.ignoring[path.Base(member.Name)] {
				done.ignoring = append(done.ignoring, m.dir)
			}
		}
		u.unpacks = append(u.unpacks, done)
	}
	if read { // so it is known which files of the directory it changes
		s.Hazards = slices.DeleteFunc(s.Hazards, func(h gavel.Hazard) bool { return h.Kind == "writes" && h.Index == 0 && h.Argument == "." })
	}
}

// unpacking is an archive that was read, and the segment that unpacks it.
type unpacking struct {
	segment int
	archive gavel.GivenOperand
	file    string // its real path
	// links are the links that it makes, and ignoring directories below which it changes what searches
	// leave out.
	links, ignoring []string
}

// checkUnpackedLater adds the hazard of archives that something else in the text may change before they
// are unpacked, or that may be unpacked through links that it makes.
func (u *unwrapper) checkUnpackedLater() {
	for _, item := range u.unpacks {
		s := &u.list[item.segment]
		written := slices.ContainsFunc(u.files, func(f gavel.Redirect) bool {
			real, ok := u.Host.Resolve(f.Path)
			return f.Writes && u.Hazards.Stores(f.Target) && (f.Path == "" || !ok || real == item.file)
		})
		if s.After || written {
			(&maker{unwrapper: u, s: s, archive: item.archive}).hazard(optionContents)
		}
	}
}

// hasOption reports whether a line has one of these options.
func hasOption(line hazard.Line, names []string) bool {
	return slices.ContainsFunc(line.Options, func(o gavel.GivenOption) bool { return slices.Contains(names, o.Name) })
}

// archivesOf are the words that name archives.
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

// formOf is the form in which a line reads an archive; "" if that is unknown.
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

// members reads an archive, and returns its real path. It is not ok if that is not possible.
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

// maker is one archive that is unpacked.
type maker struct {
	*unwrapper
	how     *programs.Unpacks
	line    hazard.Line
	s       *gavel.Segment
	dir     string
	archive gavel.GivenOperand
	roots   map[string]string // the real path of each directory; "" if it is unknown
	soft    map[string]bool   // the links among the members
	made    map[string]bool   // the files among the members so far, as the archive calls them
	said    map[string]bool   // what was recorded of the lists of files
}

// hazard records one, once.
func (m *maker) hazard(option string) {
	m.s.Hazards = addHazard(m.s.Hazards, gavel.Hazard{Kind: "writes", Option: option, Argument: m.archive.Text, Index: m.archive.Index})
}

// make records what one member makes, under every name that the program may give it.
func (m *maker) make(member archive.Member) {
	name := strings.TrimLeft(member.Name, "/")
	if host.Climbs(name) || host.Climbs(member.Link) || strings.ContainsAny(name, "\\\x00") || len(m.roots) > maxMade {
		m.hazard(optionMember)
		return
	}
	names := m.names(name)
	for _, item := range names {
		m.file(item, len(names) == 1 && !m.selects())
	}
	if member.Link != "" {
		m.shared(member.Link)
	}
	m.made[path.Clean(name)] = !member.Soft
}

// shared records what it means that a member is another name of a file, with which the file may be read
// and changed. Only a file of the archive itself has nothing in it but what the archive says.
func (m *maker) shared(link string) {
	link = strings.TrimLeft(link, "/")
	if !m.made[path.Clean(link)] {
		m.hazard(optionMember)
	}
	for _, name := range m.names(link) {
		m.file(name, false)
		real, known := m.Host.Resolve(path.Join(m.dir, name))
		if h, ok := m.Paths.TargetHazard(real, m.Surroundings("")); known && ok {
			h.Argument, h.Index = m.archive.Text, m.archive.Index
			m.s.Hazards = addHazard(m.s.Hazards, h)
		}
	}
}

// selects reports whether words beside the archive may say which members are made.
func (m *maker) selects() bool {
	return len(m.line.Operands) > 1 || len(m.how.Archive) > 0 && len(m.line.Operands) > 0
}

// names are the names that a program may give to a member. Programs count differently how many
// directories a name begins with.
func (m *maker) names(name string) []string {
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

// file records what making one file touches, and what the lists of files to write say of it. It is
// sure if the program makes it under this very name.
func (m *maker) file(name string, sure bool) {
	clean := path.Join(m.dir, name)
	above := path.Dir(clean)
	if name == "" || clean == path.Clean(m.dir) {
		return
	}
	root, known := m.roots[above]
	if !known {
		if real, ok := m.Host.Resolve(above); ok {
			root = real
		}
		m.roots[above] = root
	}
	if root == "" || !m.grounds(root) || m.throughLink(above) {
		m.hazard(optionMember)
		return
	}
	made := path.Join(root, path.Base(clean))
	m.listed(made, sure, strings.HasSuffix(name, "/"))
	as := gavel.Touch{Access: "write", Given: name, Program: m.s.Executable.Name}
	if t, ok := m.TouchAt(clean, made, true, as); ok && !t.Holds {
		m.add(t)
	}
}

// listed records what the lists of files to write say of a file that is made: the first that is
// denied, and the first that an allow list lacks.
func (m *maker) listed(made string, sure, directory bool) {
	option := hazard.OptionUnsure
	if sure {
		option = hazard.OptionBelow
	}
	switch denied, listed := m.WriteLists.CheckCreated(made); {
	case denied:
		m.says(option, made)
	case !listed && !directory:
		m.says(hazard.OptionUnlisted, made)
	}
}

// says records a file that is made and that a list is about, one for each way.
func (m *maker) says(option, real string) {
	if m.said[option] {
		return
	}
	m.said[option] = true
	m.s.Hazards = append(m.s.Hazards, gavel.Hazard{Kind: "writes", Option: option, Argument: m.archive.Text, Index: m.archive.Index, Real: real})
}

// grounds reports whether a real path is in the workspace.
func (m *maker) grounds(real string) bool {
	return m.Facts.Workspace != "" && host.Within(real, m.Facts.Workspace)
}

// throughLink reports whether a directory is, or is below, a symbolic link of the archive.
func (m *maker) throughLink(dir string) bool {
	for len(m.soft) > 0 && dir != "/" && dir != "." {
		if m.soft[dir] {
			return true
		}
		dir = path.Dir(dir)
	}
	return false
}
