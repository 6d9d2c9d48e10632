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
		return "", false
	}
	return join(parent, name), true
}

// Resolve looks once; an analysis takes a view.
func (l *local) Resolve(absolute string) (string, bool) {
	return l.view().Resolve(absolute)
}

// Resolve knows nothing of the links on another machine: a path is what it says, and
// one with ".." is not known.
func (c claimedHost) Resolve(absolute string) (string, bool) {
	if !path.IsAbs(absolute) || eachProcess(absolute) {
		return "", false
	}
	for _, name := range strings.Split(absolute, "/") {
		if name == ".." {
			return "", false
		}
	}
	return path.Clean(absolute), true
}

// eachProcess reports whether a path is another file for every process, or none at
// all but a connection, as shells have below /dev.
func eachProcess(absolute string) bool {
	clean := path.Clean(absolute)
	for _, tree := range []string{"/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tcp", "/dev/udp"} {
		if clean == tree || strings.HasPrefix(clean, tree+"/") {
			return true
		}
	}
	return false
}

// resources are the files that a tool of files names in its parameters. What cannot
// be read of them is a file that nobody knows.
func (p *place) resources(tool string, params map[string]any) []gavel.Resource {
	switch tool {
	case "read":
		return []gavel.Resource{p.resource("read", params["path"])}
	case "write", "edit":
		return []gavel.Resource{p.resource("write", params["path"])}
	case "apply_patch":
		list := []gavel.Resource{}
		text, _ := params["input"].(string)
		for _, name := range patched(text) {
			list = append(list, p.resource("write", name))
		}
		if len(list) == 0 {
			list = append(list, p.resource("write", nil))
		}
		return list
	default:
		return []gavel.Resource{}
	}
}

func (p *place) resource(access string, given any) gavel.Resource {
	name, _ := given.(string)
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
	r.Path = path.Clean(full)
	if real, ok := p.host.Resolve(full); ok {
		r.Real = real
	}
	return r
}

// patched returns the names of the files in a patch, in the format of apply_patch: a
// line for each file to add, update, delete or move to (document 004).
func patched(patch string) []string {
	var names []string
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				names = append(names, strings.TrimSpace(name))
			}
		}
	}
	return names
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
// or "" when that is not known.
func (u *unfolder) where(d directory, start string) string {
	if d.unknown {
		return ""
	}
	dir := start
	for _, step := range d.steps {
		if !path.IsAbs(step) {
			if dir == "" {
				return ""
			}
			step = dir + "/" + step
		}
		real, ok := u.host.Resolve(step)
		if !ok || strings.Contains(step, "..") && real != path.Clean(step) {
			return "" // shells go up by the text, and the kernel by what is there
		}
		dir = real
	}
	return dir
}
