package hazard

import (
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// isSecret reports whether a path names a secret. A glob that begins with a dot may match any
// hidden file.
func (p *Paths) isSecret(full string) bool {
	lower := strings.ToLower(full)
	name := lower[strings.LastIndexByte(strings.TrimRight(lower, "/"), '/')+1:]
	name = strings.TrimRight(name, "/")
	if strings.HasPrefix(name, ".") && strings.ContainsAny(name, "*?[") {
		return true
	}
	if p.notSecret.has(name) {
		return false
	}
	return p.secrets.has(name) || p.inSecretDirectory(lower)
}

// inSecretDirectory reports whether a lower-case path leads through a secret directory.
func (p *Paths) inSecretDirectory(lower string) bool {
	for rest, more := lower, true; more; {
		name, after, below := strings.Cut(rest, "/")
		if slices.ContainsFunc(p.directories.Of(name), func(dir string) bool { return host.Within(rest, dir) }) {
			return true
		}
		rest, more = after, below
	}
	return false
}

// MayMatchSecret reports whether a glob may be meant to match the name of a secret file. For a glob that
// only determines how names end, such as *.json, that ending decides.
func (p *Paths) MayMatchSecret(pattern string) bool {
	lower := strings.ToLower(pattern)
	if end, ok := strings.CutPrefix(lower, "*"); ok && !strings.ContainsAny(end, `*?[\`) && (end == "" || end[0] == '.') {
		return slices.ContainsFunc([]string{"x", "key", "private"}, func(name string) bool { return p.isSecret(name + end) })
	}
	if strings.Trim(lower, "*?") == "" {
		return true // it matches any name
	}
	return slices.ContainsFunc(p.examples, func(name string) bool {
		fits, err := path.Match(lower, name)
		return fits || err != nil
	})
}
