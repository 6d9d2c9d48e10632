package analyzer

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"gavel"
)

// Resolve follows a path to where a file is, or would be made: what is missing at its
// end is taken as it is written. A link that leads nowhere has no such place.
func (v *view) Resolve(absolute string) (string, bool) {
	if !path.IsAbs(absolute) || eachProcess(absolute) {
		return "", false
	}
	real, _, err := v.walk(absolute)
	if err == nil {
		return real, !eachProcess(real)
	}
	dir, name := path.Split(strings.TrimRight(absolute, "/"))
	if !errors.Is(err, fs.ErrNotExist) || name == "" || name == "." || name == ".." {
		return "", false
	}
	parent, ok := v.Resolve(dir)
	if !ok {
		return "", false
	}
	if _, err := v.lstat(join(parent, name)); !errors.Is(err, fs.ErrNotExist) {
		return real, false // the link is there, and what is missing is behind it
	}
	return join(parent, name), true
}

// Resolve looks once; an analysis takes a view.
func (l *local) Resolve(absolute string) (string, bool) {
	return l.View().Resolve(absolute)
}

// Kind implements [Host].
func (v *view) Kind(absolute string) Kind {
	if !path.IsAbs(absolute) {
		return KindUnknown
	}
	switch _, found, err := v.walk(absolute); {
	case errors.Is(err, fs.ErrNotExist):
		return KindMissing
	case err != nil:
		return KindUnknown
	case found.mode.IsDir():
		return KindDirectory
	default:
		return KindFile
	}
}

// Kind looks once; an analysis takes a view.
func (l *local) Kind(absolute string) Kind { return l.View().Kind(absolute) }

// Kind is not known of the files of another machine.
func (c claimedHost) Kind(string) Kind { return KindUnknown }

// Resolve knows nothing of the links on another machine: a path is what it says, and
// one with ".." is not known.
func (c claimedHost) Resolve(absolute string) (string, bool) {
	if !path.IsAbs(absolute) || eachProcess(absolute) {
		return "", false
	}
	if climbs(absolute) {
		return "", false
	}
	return path.Clean(absolute), true
}

// eachProcess reports whether a path is another file for every process, or none at
// all but a connection, as shells have below /dev.
func eachProcess(absolute string) bool {
	clean := path.Clean(absolute)
	if !strings.HasPrefix(clean, "/proc") && !strings.HasPrefix(clean, "/dev/") {
		return false
	}
	for _, tree := range []string{"/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tcp", "/dev/udp"} {
		if clean == tree || strings.HasPrefix(clean, tree+"/") {
			return true
		}
	}
	return false
}

// resources are the files that a tool of files names in its parameters. What cannot
// be read of them is a file that nobody knows, and told as odd.
func (p *place) resources(tool *gavel.ToolFacts, params map[string]any) []gavel.Resource {
	list := []gavel.Resource{}
	var odd []string
	name := func(key string) string {
		given, there := params[key]
		text, ok := given.(string)
		if there && !ok {
			odd = append(odd, key+" that is not text")
		}
		return text
	}
	add := func(access, given string) {
		list = append(list, p.resource(access, given))
		if what := oddName(given); what != "" {
			odd = append(odd, what)
		}
	}
	switch tool.Name {
	case "read":
		add("read", name("path"))
	case "write", "edit":
		add("write", name("path"))
	case "apply_patch":
		names, what := patched(name("input"))
		if what != "" {
			odd = append(odd, what)
		}
		for _, given := range names {
			add("write", given)
		}
		if len(names) == 0 {
			add("write", "")
		}
	default:
		return list
	}
	for key := range params {
		tool.Parameters = append(tool.Parameters, key)
	}
	tool.Parameters, tool.Odd = tidy(tool.Parameters), tidy(odd)
	return list
}

func (p *place) resource(access, name string) gavel.Resource {
	r := gavel.Resource{Access: access, Given: name}
	full := name
	switch {
	case name == "":
		return r
	case strings.HasPrefix(name, "~/") && p.facts.Home != "":
		full = p.facts.Home + name[1:]
	case path.IsAbs(name):
	case p.facts.Cwd == "" || strings.HasPrefix(name, "~"):
		return r
	default:
		full = p.facts.Cwd + "/" + name
	}
	if !p.budget.fits(full) {
		return r
	}
	r.Path = path.Clean(full)
	if real, ok := p.host.Resolve(full); ok {
		r.Real = real
	}
	return r
}

// places finds the files that hazards name.
func (u *unfolder) places(hazards []gavel.Hazard, dir string) {
	for i := range hazards {
		full := hazards[i].Real
		if full == "" {
			continue
		}
		hazards[i].Real = ""
		if !path.IsAbs(full) {
			if dir == "" {
				continue
			}
			full = dir + "/" + full
		}
		if real, ok := u.host.Resolve(full); ok {
			hazards[i].Real = real
		}
	}
}

// locate finds the file of a redirection. dir is where the script began.
func (u *unfolder) locate(f *file, dir string) {
	if f.Dynamic || !f.Reads && !f.Writes || f.Target == "" {
		return
	}
	full := f.Target
	if !u.budget.fits(full) {
		return
	}
	if !path.IsAbs(full) {
		dir = u.where(f.dir, dir)
		if dir == "" {
			return
		}
		full = dir + "/" + full
	}
	f.Path = path.Clean(full)
	if real, ok := u.host.Resolve(full); ok && !strings.HasSuffix(full, "/") {
		f.Real = real
	}
}

// where is the directory in which a command runs, by its real path once it changed,
// or "" when that is not known. What one cd leads to is found once.
func (u *unfolder) where(d directory, start string) string {
	if d.unknown {
		return ""
	}
	if d.last == nil {
		return start
	}
	key := arrival{d.last, start}
	if known, ok := u.arrivals[key]; ok {
		return known
	}
	to := u.arrive(d.last.to, u.where(directory{last: d.last.before}, start))
	if u.arrivals == nil {
		u.arrivals = map[arrival]string{}
	}
	u.arrivals[key] = to
	return to
}

// arrival is a way through directories, and where it begins.
type arrival struct {
	last  *step
	start string
}

// arrive is where one cd leads.
func (u *unfolder) arrive(to, dir string) string {
	if !path.IsAbs(to) {
		if dir == "" {
			return ""
		}
		to = dir + "/" + to
	}
	real, ok := u.host.Resolve(to)
	if !ok || strings.Contains(to, "..") && real != path.Clean(to) {
		return "" // shells go up by the text, and the kernel by what is there
	}
	return real
}
